"""One connection to NATS: bounded at first, endless afterwards, and honest about what it may not do."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio
from nats.errors import Error as NatsError

from eunoe.runtime import addresses, wire
from eunoe.runtime.client import Client
from eunoe.schemas import limits
from eunoe.schemas.errors import Denied, Misconfigured, TooLarge, Unreachable
from eunoe.schemas.subjects import Caller

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 3  # seconds the first connection may take, for each server that is named
RETRY_SECONDS = 0.25  # seconds between two attempts to connect
PING_SECONDS = 15  # seconds between two pings, so that a dead peer is found
CLOSE_SECONDS = 2.0  # seconds that closing may take

_DENIED = re.compile(r'permissions violation for (publish|subscription) to "?([^"\s]+)"?', re.IGNORECASE)
_COUNTED = ("disconnects", "reconnects", "errors", "denied")


@dataclass(slots=True)
class Hooks:
    """What wants to know: ``denied`` gets the kind (publish, subscription) and the subject in lower case.

    It returns whether it told who is concerned, so that the log need not.
    """

    disconnected: list[Callable[[], None]] = field(default_factory=list)
    reconnected: list[Callable[[], None]] = field(default_factory=list)
    denied: list[Callable[[str, str], bool]] = field(default_factory=list)


class Connection:
    """A live connection. Made by `connect`; ``hooks`` are called in the event loop and must not block."""

    def __init__(self, caller: Caller, url: str) -> None:
        self.caller = caller
        self.servers = addresses.servers(url)
        self.url = addresses.shown(url)  # as it may be told
        self.hooks = Hooks()
        self.client = Client()
        self._counts: dict[str, int] = dict.fromkeys(_COUNTED, 0)
        self._up = asyncio.Event()
        self._closed = asyncio.Event()
        self._closing = False
        self.last_error = ""

    @property
    def connected(self) -> bool:
        return self.client.is_connected

    @property
    def closed(self) -> bool:
        """Closed for good, by this program or by the server."""
        return self._closed.is_set()

    @property
    def max_payload(self) -> int:
        """Bytes of headers and payload together that the server takes."""
        return self.client.max_payload

    def statistics(self) -> dict[str, int]:
        return dict(self._counts)

    async def publish(
        self, subject: str, data: bytes, *, reply: str = "", headers: wire.Headers = (), more: bool = False
    ) -> None:
        """Send one message, with ``more`` together with what else is sent in this turn of the event loop.

        Raises `TooLarge` over the server's limit (which would close the connection for good), `Unreachable` while
        there is no connection, and OSError when it breaks meanwhile.
        """
        block = wire.header_block(headers)
        size = len(block) + len(data)
        if size > self.max_payload:
            raise TooLarge(f"the message is {size} bytes long; the server takes {self.max_payload}. Send less at once.")
        if not self.client.is_connected:
            raise Unreachable(f"the connection to {self.url} is down; it is being made again")
        await self.client.write(wire.publish_command(subject, reply, block, data), more=more)

    async def publish_each(self, subject: str, messages: Sequence[tuple[str, bytes]]) -> None:
        """Send several short messages, each a reply subject and data, in one write. Raises as `publish`."""
        longest = max((len(data) for _, data in messages), default=0)
        if longest > self.max_payload:
            raise TooLarge(
                f"a message is {longest} bytes long; the server takes {self.max_payload}. Send less at once."
            )
        if not self.client.is_connected:
            raise Unreachable(f"the connection to {self.url} is down; it is being made again")
        if messages:
            await self.client.write(wire.publish_commands(subject, messages))

    async def available(self, seconds: float) -> None:
        """Wait until there is a connection; raises `Unreachable` after ``seconds`` or once it is closed."""
        if self.client.is_connected:
            return
        if self._closed.is_set():
            raise Unreachable(f"the connection to {self.url} was closed: {self.last_error or 'by this program'}")
        try:
            async with asyncio.timeout(seconds):
                await self._up.wait()
        except TimeoutError:
            raise Unreachable(f"no server answers at {self.url}; the connection is made again when one does") from None

    async def wait_closed(self) -> None:
        """Wait until the connection is closed for good; a worker cannot go on then."""
        await self._closed.wait()

    async def close(self) -> None:
        self._closing = True
        await self._close_client()
        self._up.clear()
        self._closed.set()
        for hook in list(self.hooks.disconnected):
            hook()

    async def _close_client(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.client.close()
        except (TimeoutError, OSError, NatsError) as error:
            logger.warning("closing the connection failed: %r", error, extra={"action": "close_failed"})

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(self, *exc: object) -> None:
        with anyio.CancelScope(shield=True):
            await self.close()

    async def open(self, options: dict[str, Any]) -> None:
        """One attempt to connect; used by `connect`."""
        self.client = Client()
        try:
            await self.client.connect(
                self.servers,
                allow_reconnect=False,  # of the first connection: a refusal must be heard
                max_reconnect_attempts=-1,
                ping_interval=PING_SECONDS,
                connect_timeout=CONNECT_SECONDS,
                error_cb=self._on_error,
                disconnected_cb=self._on_disconnected,
                reconnected_cb=self._on_reconnected,
                closed_cb=self._on_closed,
                inbox_prefix=self.caller.inbox,
                **options,
            )
        except BaseException:
            self.client.abandon()
            raise
        self.client.options["allow_reconnect"] = True
        self._up.set()

    async def _on_error(self, error: Exception) -> None:
        self._counts["errors"] += 1
        self.last_error = str(error) or repr(error)
        told = False
        if found := _DENIED.search(self.last_error):
            self._counts["denied"] += 1
            answers = [hook(found[1].lower(), found[2].lower()) for hook in list(self.hooks.denied)]
            told = any(answers)
        level = logging.WARNING if self.client.is_connected and not told else logging.DEBUG
        logger.log(level, "the connection reports: %s", self.last_error, extra={"action": "connection_error"})

    async def _on_disconnected(self) -> None:
        self._up.clear()
        self._counts["disconnects"] += 1
        if not self._closing:
            logger.warning("disconnected from %s", self.url, extra={"action": "disconnected"})
        for hook in list(self.hooks.disconnected):
            hook()

    async def _on_reconnected(self) -> None:
        self._up.set()
        self._counts["reconnects"] += 1
        logger.info("connected to %s again", self.url, extra={"action": "reconnected"})
        for hook in list(self.hooks.reconnected):
            hook()

    async def _on_closed(self) -> None:
        self._closed.set()
        if not self._closing:
            logger.error("the connection was closed: %s", self.last_error, extra={"action": "connection_closed"})


async def connect(
    url: str, *, caller: Caller, user: str | None = None, password: str | None = None, name: str = "eunoe"
) -> Connection:
    """Connect as ``caller``, whose inbox alone is read; reconnects for ever from then on.

    ``url`` may name several servers of a cluster, with commas between. Raises `Unreachable` when none answers in
    time, `Denied` when the server refuses the user, `Misconfigured` for an address that is none, and for a
    server that is too old or takes too small messages.
    """
    options = {"user": user, "password": password, "name": name, "reconnect_time_wait": RETRY_SECONDS}
    connection = Connection(caller, url)
    await _open(connection, options)
    try:
        _check(connection)
    except Misconfigured:
        await connection.close()
        raise
    return connection


async def _open(connection: Connection, options: dict[str, Any]) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + CONNECT_SECONDS * len(connection.servers)
    while True:
        try:
            async with asyncio.timeout_at(deadline):
                await connection.open(options)
        except (OSError, NatsError, TimeoutError) as error:
            reason = str(error) or connection.last_error or repr(error)
            if "authorization violation" in f"{reason} {connection.last_error}".lower():
                raise Denied(f"the server at {connection.url} refuses this user; check its name and password") from None
            if loop.time() + RETRY_SECONDS > deadline:
                raise Unreachable(
                    f"no server can be reached at {connection.url} ({reason}). Name one that runs, nats://HOST:PORT, "
                    "or none: then the one of `eunoe up` on this machine is found."
                ) from None
            await asyncio.sleep(RETRY_SECONDS)
        else:
            return


def _check(connection: Connection) -> None:
    version = connection.client.connected_server_version
    if (version.major, version.minor) < limits.SERVER_VERSION:
        wanted = ".".join(map(str, limits.SERVER_VERSION))
        raise Misconfigured(f"the server at {connection.url} is nats-server {version}; {wanted} or newer is needed")
    if connection.max_payload < limits.MAX_PAYLOAD:
        raise Misconfigured(
            f"the server at {connection.url} takes messages of {connection.max_payload} bytes. "
            f"Set `max_payload: {limits.MAX_PAYLOAD}` in its configuration and reload it."
        )
