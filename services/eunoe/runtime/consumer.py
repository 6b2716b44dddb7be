"""A durable pull consumer: fetch, acknowledge, give back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from eunoe.runtime import stored, wire
from eunoe.runtime.calls import Answer
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Delivery, Stored
from eunoe.runtime.inbox import Inbox
from eunoe.runtime.jetstream import API_SECONDS, CONSUMER_NOT_FOUND, JetStream, Refused
from eunoe.schemas import limits
from eunoe.schemas.errors import OutcomeUnknown, Unreachable

logger = logging.getLogger(__name__)

GRACE_SECONDS = 1.0  # seconds after a pull's end in which its last answer may still come
RETRY_SECONDS = 0.1  # seconds before a lost consumer is tried again
FETCH_BYTES = 16 * limits.MIB  # bytes that one fetch brings at most, about; over any single message


@dataclass(frozen=True, slots=True)
class JetStreamDelivery:
    """A `doors.Delivery`. An acknowledgement that cannot be sent is no failure: the message comes again."""

    message: Stored
    attempts: int
    reply: str
    connection: Connection

    async def ack(self) -> None:
        await self._say(b"+ACK")

    async def nak(self, delay: float = 0.0) -> None:
        await self._say(b'-NAK {"delay": %d}' % round(delay * limits.NANOSECONDS) if delay > 0 else b"-NAK")

    async def in_progress(self) -> None:
        await self._say(b"+WPI")

    async def term(self) -> None:
        await self._say(b"+TERM")

    async def _say(self, word: bytes) -> None:
        try:
            await self.connection.publish(self.reply, word)
        except (OSError, Unreachable) as error:
            logger.info(
                "message %d is not acknowledged and will come again: %s",
                self.message.seq,
                error,
                extra={"action": "ack_lost"},
            )


class JetStreamConsumer:
    """A `doors.Consumer`. One inbox is kept, so what comes to an abandoned fetch is found by the next."""

    def __init__(self, jetstream: JetStream, stream: str, config: dict[str, Any]) -> None:
        self._jetstream = jetstream
        self._stream = stream
        self._config = config
        self._name = str(config["durable_name"])
        self._inbox: Inbox | None = None

    async def ensure(self) -> None:
        """Create the consumer, or bring its settings up to date where it is there already."""
        request = {"stream_name": self._stream, "config": self._config}
        subject = f"CONSUMER.CREATE.{self._stream}.{self._name}"
        await self._jetstream.again(
            f"consumer {self._name} of {self._stream}", lambda: self._jetstream.api(subject, request)
        )

    async def fetch(self, batch: int, wait: float) -> Sequence[Delivery]:
        """As in `doors.Consumer`; while the server is away it waits and gives nothing.

        Raises `Unreachable` once the connection is closed for good.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait
        while True:
            try:
                return await self._fetch(batch, deadline)
            except (OutcomeUnknown, Unreachable):
                await self._leave()
                if self._jetstream.requester.connection.closed:
                    raise
            except TimeoutError:
                return ()
            left = deadline - loop.time()
            if left <= 0:
                return ()
            await asyncio.sleep(min(RETRY_SECONDS, left))

    async def pending(self) -> tuple[int, int]:
        info = await self._jetstream.again(
            f"consumer {self._name} of {self._stream}",
            lambda: self._jetstream.api(f"CONSUMER.INFO.{self._stream}.{self._name}"),
        )
        return int(info["num_pending"]), int(info["num_ack_pending"])

    async def close(self) -> None:
        await self._leave()

    async def _fetch(self, batch: int, deadline: float) -> Sequence[Delivery]:
        inbox = await self._opened(deadline)
        found: list[Delivery] = []
        while len(found) < batch and (answer := inbox.ready()):
            if not answer.status:
                found.append(self._delivery(answer))
        left = deadline - asyncio.get_running_loop().time()
        if not found:  # with all that is allowed out already, the server leaves even this without an answer
            seconds = min(API_SECONDS, max(left, 0.0) + GRACE_SECONDS)
            await self._collect(inbox, found, batch, seconds, _present(batch))
            left = deadline - asyncio.get_running_loop().time()
        if not found and left > 0:
            expires = {"batch": 1, "expires": max(int(left * limits.NANOSECONDS), 1_000_000)}
            await self._collect(inbox, found, 1, left + GRACE_SECONDS, expires)
            if found and batch > 1:
                await self._collect(inbox, found, batch, API_SECONDS, _present(batch - 1))
        return found

    async def _collect(
        self, inbox: Inbox, found: list[Delivery], batch: int, seconds: float, pull: dict[str, Any]
    ) -> None:
        """One pull: its messages up to the status that ends it."""
        await inbox.send(f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{self._name}", msgspec.json.encode(pull))
        while len(found) < batch:
            try:
                answer = await inbox.take(seconds)
            except (TimeoutError, OutcomeUnknown):
                if found:
                    return
                raise
            if not answer.status:
                found.append(self._delivery(answer))
            elif answer.status in (404, 408) or "MaxBytes" in wire.status_text(answer.headers):
                return
            elif not found:
                await self._lost(answer)

    async def _lost(self, answer: Answer) -> None:
        """The server knows nothing of the consumer, or no more: see whether it is to be made again."""
        try:
            await self._jetstream.api(f"CONSUMER.INFO.{self._stream}.{self._name}")
        except Refused as refused:
            if refused.number != CONSUMER_NOT_FOUND:
                raise
            logger.warning(
                "consumer %s was gone and is made again", self._name, extra={"action": "consumer_made_again"}
            )
            await self.ensure()
        raise Unreachable(f"consumer {self._name} answered {answer.status}")

    async def _opened(self, deadline: float) -> Inbox:
        if self._inbox is None:
            left = deadline - asyncio.get_running_loop().time()
            await self._jetstream.requester.connection.available(max(left, 0.001))
            self._inbox = await Inbox(self._jetstream.requester).__aenter__()
        return self._inbox

    async def _leave(self) -> None:
        inbox, self._inbox = self._inbox, None
        if inbox is not None:
            with suppress(OSError):
                await inbox.__aexit__()

    def _delivery(self, answer: Answer) -> Delivery:
        found = stored.position(answer.reply)
        message = Stored(answer.subject, found.seq, answer.data, found.time)
        return JetStreamDelivery(message, found.attempts, answer.reply, self._jetstream.requester.connection)


def _present(batch: int) -> dict[str, Any]:
    """A pull of what is there now."""
    return {"batch": batch, "no_wait": True, "max_bytes": FETCH_BYTES}


def durable_config(
    durable: str, filters: Sequence[str], *, ack_wait: float, max_ack_pending: int, replicas: int = 0
) -> dict[str, Any]:
    """A durable consumer as JetStream's API writes it: explicit acks, from the beginning, no limit of attempts."""
    return {
        "durable_name": durable,
        "name": durable,
        "ack_policy": "explicit",
        "deliver_policy": "all",
        "replay_policy": "instant",
        "ack_wait": int(ack_wait * limits.NANOSECONDS),
        "max_deliver": -1,
        "max_ack_pending": max_ack_pending,
        "max_waiting": 512,
        "num_replicas": replicas,
        **({"filter_subjects": list(filters)} if filters else {}),
    }
