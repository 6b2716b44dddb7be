"""Reading a stream in order and in bounded memory, over disconnections.

What is read through one consumer goes on through another when that is lost, behind the last message that was seen.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass

import msgspec

from eunoe.runtime.jetstream import API_SECONDS, JetStream
from eunoe.runtime.pulling import EXPIRES_SECONDS, Pulling, Range, Read
from eunoe.schemas.errors import Damaged, OutcomeUnknown, Unreachable

logger = logging.getLogger(__name__)

ATTEMPTS = 5  # failures in a row, without a message between them, that end the reading of a range
RETRY_SECONDS = 0.1  # seconds before a lost consumer is made again


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
        self._pulling = Pulling(jetstream, stream)

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
                async with aclosing(self._pulling.read(wanted, seq)) as messages:
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
