"""The log and the work queue in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from eunoe.runtime.doors import Appended, Clock, Consumer, Snapshot, Stored, StreamInfo, SystemClock
from eunoe.schemas.errors import Busy, NotFound
from eunoe.testing.consumer import MemoryConsumer, Standing
from eunoe.testing.stream import MemoryStream


class MemoryLog:
    """A `doors.Log`. ``latest_only`` keeps one message a subject, as the stream of pieces does."""

    def __init__(self, clock: Clock | None = None, *, latest_only: bool = False) -> None:
        self._clock = clock or SystemClock()
        self._stream = MemoryStream(self._clock, latest_only=latest_only)
        self._durables: dict[str, Standing] = {}

    async def append(
        self, subject: str, data: bytes, *, msg_id: str = "", expect: tuple[str, int] | None = None
    ) -> Appended:
        return self._stream.append(subject, data, msg_id, expect)

    async def last(self, filters: Sequence[str], *, fence: int = 0) -> Snapshot:
        if fence > self._stream.last_seq:
            raise Busy(f"the log ends at {self._stream.last_seq} and does not reach {fence} yet; try again")
        found = tuple(self._stream.latest(filters)) if filters else ()
        return Snapshot(messages=found, upto=self._stream.last_seq if found else 0)

    async def get(self, seqs: Sequence[int]) -> list[Stored | None]:
        return [self._stream.messages.get(seq) for seq in seqs]

    def scan(self, filters: Sequence[str] = (), *, start: int = 1) -> AsyncIterator[Stored]:
        return self._stream.walk(max(start, 1), tuple(filters), until=self._stream.last_seq)

    def follow(self, filters: Sequence[str] = (), *, start: int = 1) -> AsyncIterator[Stored]:
        return self._stream.walk(max(start, 1), tuple(filters), until=None)

    async def info(self, *, gaps: bool = False) -> StreamInfo:
        held, last = self._stream.messages, self._stream.last_seq
        first = min(held, default=last + 1)
        missing = tuple(seq for seq in range(first, last + 1) if seq not in held) if gaps else ()
        return StreamInfo(first=first, last=last, count=len(held), gaps=missing)

    async def consumer(
        self, durable: str, filters: Sequence[str], *, ack_wait: float = 30.0, max_ack_pending: int = 1024
    ) -> Consumer:
        standing = self._durables.setdefault(durable, Standing(tuple(filters), ack_wait, max_ack_pending))
        standing.filters, standing.ack_wait, standing.max_ack_pending = tuple(filters), ack_wait, max_ack_pending
        return MemoryConsumer(self._stream, standing, self._clock)

    async def erase(self, seq: int) -> None:
        if not self._stream.remove(seq):
            raise NotFound(f"there is no message {seq} to erase")


class MemoryJobs:
    """A `doors.Jobs`."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._stream = MemoryStream(self._clock, latest_only=True)
        self._durables: dict[str, Standing] = {}

    async def submit(self, subject: str, data: bytes, *, msg_id: str = "", instead: int = 0) -> Appended:
        return self._stream.append(subject, data, msg_id, (subject, instead) if instead else None)

    async def held(self, subject: str) -> bytes | None:
        return next((found.data for found in self._stream.latest([subject])), None)

    async def consumer(self, durable: str, filters: Sequence[str], *, ack_wait: float = 60.0) -> Consumer:
        standing = self._durables.setdefault(durable, Standing(tuple(filters), ack_wait, 1024))
        standing.filters, standing.ack_wait = tuple(filters), ack_wait
        return MemoryConsumer(self._stream, standing, self._clock, queue=True)

    async def waiting(self) -> int:
        return len(self._stream.messages)
