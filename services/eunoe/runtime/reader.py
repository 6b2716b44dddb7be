"""Reading a stream in order and in bounded memory, over disconnections.

An ephemeral pull consumer brings batches; when it is lost it is made again behind the last message that
was seen. The server ends what nobody pulls from.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from eunoe.runtime import stored, wire
from eunoe.runtime.calls import Answer
from eunoe.runtime.doors import Stored
from eunoe.runtime.inbox import Inbox
from eunoe.runtime.jetstream import API_SECONDS, JetStream
from eunoe.runtime.leaving import Leaving
from eunoe.schemas import limits
from eunoe.schemas.errors import Damaged, OutcomeUnknown, Unreachable

logger = logging.getLogger(__name__)

BATCH = 256  # messages of one pull
BATCH_BYTES = limits.MAX_PAYLOAD + 64 * limits.KIB  # bytes of one pull, enough for the largest message
EXPIRES_SECONDS = 10.0  # seconds a pull waits at the server for what is to come
PRESENT_SECONDS = 1.0  # seconds a pull waits for what the server says is there; a damaged block never brings it
HEARTBEAT_SECONDS = 2.0  # seconds between signs of life while a pull waits
IDLE_SECONDS = 60.0  # seconds after which the server drops a consumer that nobody pulls from
ATTEMPTS = 5  # failures in a row, without a message between them, that end the reading of a range
RETRY_SECONDS = 0.1  # seconds before a lost consumer is made again
HEARTBEAT = 100  # status of a sign of life


def _pull_request(expires: float) -> bytes:
    return msgspec.json.encode(
        {
            "batch": BATCH,
            "max_bytes": BATCH_BYTES,
            "expires": int(expires * limits.NANOSECONDS),
            "idle_heartbeat": int(min(HEARTBEAT_SECONDS, expires / 3) * limits.NANOSECONDS),
        }
    )


_PULL_COMING = _pull_request(EXPIRES_SECONDS)
_PULL_PRESENT = _pull_request(PRESENT_SECONDS)


@dataclass(frozen=True, slots=True)
class Read:
    """One message with its raw headers."""

    message: Stored
    headers: bytes


@dataclass(frozen=True, slots=True)
class Range:
    """What to read. ``until`` None: go on for ever. ``newest``: only the last message of every subject.

    ``resume`` False: an interruption ends the reading with its error. ``leaving`` ends it when it is told."""

    filters: tuple[str, ...]
    start: int = 1
    until: int | None = None
    newest: bool = False
    resume: bool = True
    leaving: Leaving = field(default_factory=Leaving)


@dataclass(frozen=True, slots=True)
class End:
    """A stream's last sequence, when it was created, and whether nothing can be written to it any more."""

    last: int
    created: str
    sealed: bool


class _State(msgspec.Struct):
    last_seq: int


class _Config(msgspec.Struct, frozen=True):
    sealed: bool = False


class _Info(msgspec.Struct):
    """What the server says of a stream, as far as it is asked for; a refusal has no state."""

    state: _State | None = None
    config: _Config = _Config()


_info = msgspec.json.Decoder(_Info)


class Reader:
    """Ordered reads of one stream."""

    def __init__(self, jetstream: JetStream, stream: str) -> None:
        self._jetstream = jetstream
        self._stream = stream

    async def end(self) -> End:
        """Where the stream ends, as its leader knows it."""
        info = await self._jetstream.again(
            f"stream {self._stream}", lambda: self._jetstream.api(f"STREAM.INFO.{self._stream}")
        )
        return End(int(info["state"]["last_seq"]), str(info["created"]), bool(info["config"].get("sealed")))

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[Callable[[], Awaitable[int | None]]]:
        """Ask the leader for the stream's last sequence; the answer is taken where it is called for.

        None where there is none at the first attempt, or the stream is sealed: `end` asks for as long as it makes
        sense, and tells.
        """
        requester, call = self._jetstream.requester, None
        with suppress(OutcomeUnknown, Unreachable):  # where nothing could be asked, there is no answer
            call = await requester.send(f"$JS.API.STREAM.INFO.{self._stream}", b"", timeout=API_SECONDS, more=True)

        async def last() -> int | None:
            try:
                answer = await call.take(API_SECONDS) if call else None
            except (TimeoutError, OutcomeUnknown):
                return None
            info = _info.decode(answer.data) if answer and not answer.status else None
            return info.state.last_seq if info and info.state and not info.config.sealed else None

        try:
            yield last
        finally:
            if call:
                requester.leave(call)

    async def read(self, wanted: Range) -> AsyncGenerator[Read, None]:
        """Every message of the range, in order.

        A range that ends raises `Unreachable` when nothing can be read for a while; one without end waits.
        Raises `Damaged` when the stream was made again meanwhile.
        """
        end = await self.end()
        seq = wanted.start
        if wanted.until is not None and seq > min(end.last, wanted.until):
            return
        failures = 0
        while True:
            try:
                async with aclosing(self._consume(wanted, seq)) as messages:
                    async for found in messages:
                        seq, failures = found.message.seq + 1, 0
                        yield found
            except (OutcomeUnknown, Unreachable) as error:
                failures += 1
                lasting = wanted.resume and not wanted.newest and not wanted.leaving.over
                if not lasting or (wanted.until is not None and failures == ATTEMPTS):
                    raise
                logger.info("reading %s goes on at %d: %s", self._stream, seq, error, extra={"action": "reader_again"})
            else:
                if wanted.until is not None:
                    return
            await self._resume(end.created, following=wanted.until is None)

    async def _resume(self, created: str, *, following: bool) -> None:
        """Wait until the stream can be read again; the same stream, or it is `Damaged`."""
        connection = self._jetstream.requester.connection
        await asyncio.sleep(RETRY_SECONDS)
        while True:
            try:
                await connection.available(EXPIRES_SECONDS)
                found = (await self.end()).created
            except (OutcomeUnknown, Unreachable):
                if not following or connection.closed:
                    raise
            else:
                break
        if found != created:
            raise Damaged(f"stream {self._stream} was made again at {found}; restart what reads it")

    async def _consume(self, wanted: Range, start: int) -> AsyncGenerator[Read, None]:
        """Messages through one consumer, until the range ends or the consumer is lost."""
        name = f"read_{secrets.token_hex(8)}"
        info = await self._jetstream.api(f"CONSUMER.CREATE.{self._stream}.{name}", self._config(name, wanted, start))
        left = int(info.get("num_pending", 0))
        async with Inbox(self._jetstream.requester, wanted.leaving) as inbox:
            try:
                while wanted.until is None or left > 0:
                    before = left
                    async with aclosing(self._pull(inbox, name, wanted)) as answers:
                        async for answer in answers:
                            found = stored.position(answer.reply)
                            left = found.pending
                            if wanted.until is not None and found.seq > wanted.until:
                                return
                            yield Read(Stored(answer.subject, found.seq, answer.data, found.time), answer.headers)
                            if wanted.until is not None and not left:
                                return
                    if wanted.until is not None and left == before:
                        raise Unreachable(f"stream {self._stream} brings nothing although {left} messages wait")
            finally:
                await self._drop(name)

    async def _pull(self, inbox: Inbox, name: str, wanted: Range) -> AsyncGenerator[Answer, None]:
        """The messages of one pull, without the signs of life between them."""
        request = _PULL_COMING if wanted.until is None else _PULL_PRESENT
        await inbox.send(f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{name}", request)
        count = 0
        while count < BATCH:
            try:
                answer = await inbox.take(HEARTBEAT_SECONDS * 3)
            except TimeoutError:
                raise OutcomeUnknown(f"stream {self._stream} is silent") from None
            if not answer.status:
                count += 1
                yield answer
            elif answer.status != HEARTBEAT:
                _ended(self._stream, answer)
                return

    async def _drop(self, name: str) -> None:
        try:
            await self._jetstream.requester.connection.publish(f"$JS.API.CONSUMER.DELETE.{self._stream}.{name}", b"")
        except (OSError, Unreachable):
            logger.debug("consumer %s is left to expire", name, extra={"action": "reader_left"})

    def _config(self, name: str, wanted: Range, start: int) -> dict[str, Any]:
        config: dict[str, Any] = {
            "name": name,
            "ack_policy": "none",
            "replay_policy": "instant",
            "deliver_policy": "last_per_subject" if wanted.newest else "by_start_sequence",
            "inactive_threshold": int(IDLE_SECONDS * limits.NANOSECONDS),
            "max_deliver": 1,
            "mem_storage": True,
            "num_replicas": 1,
        }
        if wanted.filters:
            config["filter_subjects"] = list(wanted.filters)
        if not wanted.newest:
            config["opt_start_seq"] = start
        return {"stream_name": self._stream, "config": config}


def _ended(stream: str, answer: Answer) -> None:
    """A pull that expired or was filled is normal; a consumer that went away is not."""
    text = wire.status_text(answer.headers)
    if answer.status in (404, 408) or "MaxBytes" in text or "Batch Completed" in text:
        return
    raise Unreachable(f"the consumer on stream {stream} was lost: {answer.status} {text}")
