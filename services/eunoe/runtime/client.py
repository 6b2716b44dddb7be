"""nats-py's client with a shorter way in and out for what is hot.

nats-py hands each message through a queue to a task, and each command through a queue to a flusher whose
wait swallows cancellation. Here a message of a *direct* subscription goes to a plain function in the
reader, with its headers unparsed, and a command is written at once. Everything that touches nats-py's
private names is in this module and `eunoe.runtime.parser`; the contract tests run all of it on a real server.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from nats.aio.client import Client as BaseClient
from nats.aio.subscription import Subscription
from nats.aio.transport import TcpTransport
from nats.errors import Error as NatsError

from eunoe.runtime.parser import DirectParser

logger = logging.getLogger(__name__)

FLUSH_SECONDS = 10  # seconds a flush waits for the server

Receiver = Callable[[bytes, bytes, bytes, bytes], None]
"""Takes subject, reply subject, payload and raw header block of one message; must not block."""


class Client(BaseClient):
    """A connection that can also deliver to functions and write without a flusher."""

    def __init__(self) -> None:
        super().__init__()
        self._receivers: dict[int, Receiver] = {}
        self._together: list[bytes] = []
        self._turn = False  # whether the end of this turn of the event loop will write what waits until then
        self._written = False  # whether anything was written in it
        self._ps = DirectParser(self, self._deliver)

    async def subscribe_direct(self, subject: str, receiver: Receiver, *, queue: str = "") -> Subscription:
        """Subscribe; every message goes to ``receiver`` as soon as it is read."""
        self._receivers[self._sid + 1] = receiver  # before the subscription is sent, so that no message is missed
        try:
            return await self.subscribe(subject, queue=queue)
        except NatsError:
            self._receivers.pop(self._sid + 1, None)
            raise

    @property
    def _plain(self) -> bool:
        return isinstance(self._transport, TcpTransport)

    async def unsubscribe_direct(self, subscription: Subscription) -> None:
        self.forget(subscription)
        if not (self.is_closed or self.is_draining):
            await subscription.unsubscribe()

    def forget(self, subscription: Subscription) -> None:
        """Deliver nothing more of a direct subscription."""
        self._receivers.pop(subscription._id, None)

    async def write(self, command: bytes, *, more: bool = False) -> None:
        """Send one whole protocol command; raises OSError when the connection breaks meanwhile.

        The first command of a turn of the event loop is written at once, the others together at its end. With ``more``
        to come in this turn, a command waits for that: a write takes as long as some hundred commands. Who sends the
        last of them waits while the socket takes no more.
        """
        transport: Any = self._transport
        if self._pending or not self._plain:
            await self._send_command(command)
            await self._flush_pending()
            return
        if not self._turn:
            self._turn = True
            asyncio.get_running_loop().call_soon(self._end_turn)  # before the write, which may fail
        self._together.append(command)
        if more:
            return
        if not self._written:
            self._written = True
            _put(transport, self._taken())
        await transport.drain()

    async def flush(self, timeout: int = FLUSH_SECONDS) -> None:
        """Return when the server has handled all that was sent. nats-py's ping overtakes what waits for its flusher,
        and what is to be written together."""
        self._write_rest()
        transport: Any = self._transport
        if self._pending and self.is_connected and transport is not None:
            waiting, self._pending, self._pending_data_size = self._pending[:], [], 0
            _put(transport, b"".join(waiting))
        await super().flush(timeout)

    def abandon(self) -> None:
        """Close the socket of an attempt to connect that failed."""
        transport: Any = self._transport
        if transport is not None:
            transport.close()

    async def _process_pong(self) -> None:
        """The answer to a ping. To one whose flush was given up, nats-py's own would end the reader."""
        if self._pongs and self._pongs[0].done():
            self._pongs.pop(0)
            self._pongs_received += 1
            self._pings_outstanding = 0
            return
        await super()._process_pong()

    def _end_turn(self) -> None:
        self._turn = self._written = False
        self._write_rest()

    def _write_rest(self) -> None:
        commands, transport = self._taken(), self._transport
        if commands and self.is_connected and transport is not None:
            with suppress(ConnectionError):  # who waits for an answer to them hears that the connection was lost
                _put(transport, commands)

    def _taken(self) -> bytes:
        """The commands that wait to be written together, which do no longer."""
        commands, self._together = self._together, []
        return commands[0] if len(commands) == 1 else b"".join(commands)

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: Any) -> None:
        if not self._deliver(sid, subject, reply, data, headers or b""):
            await super()._process_msg(sid, subject, reply, data, headers)

    def _deliver(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> bool:
        """Hand a message of a direct subscription to its receiver; False for one of any other."""
        receiver = self._receivers.get(sid)
        if receiver is None:
            return False
        self.stats["in_msgs"] += 1
        self.stats["in_bytes"] += len(data)
        try:
            receiver(subject, reply, data, headers)
        except Exception:
            logger.exception("a message could not be taken", extra={"action": "receive_failed"})
        return True


def _put(transport: Any, data: bytes) -> None:
    """Write to a transport; raises ConnectionError where it is closed, for which uvloop has a RuntimeError."""
    try:
        transport.write(data)
    except RuntimeError as error:
        raise ConnectionResetError(f"the connection was lost: {error}") from None
