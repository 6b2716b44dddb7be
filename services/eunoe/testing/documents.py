"""A bucket of documents in memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager

from eunoe.runtime.doors import Change, Clock, Entry, Found, SystemClock
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, Conflict
from eunoe.testing.stream import MemoryStream

_LIVE, _MARKER = b"\x01", b"\x00"  # the first byte of what the stream holds tells a document from a marker


class MemoryDocuments:
    """A `doors.Documents`: the newest revision of each key, a marker for one that was deleted."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._stream = MemoryStream(clock or SystemClock(), latest_only=True)

    async def get(self, key: str) -> Entry | None:
        found = self._stream.latest([key])
        return _entry(found[0].subject, found[0].data, found[0].seq) if found else None

    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        return self._write(key, _LIVE + value, expect)

    async def delete(self, key: str, *, expect: int | None = None) -> int:
        return self._write(key, _MARKER, expect)

    async def find(self, filters: Sequence[str], *, fence: int = 0) -> Found:
        if fence > self._stream.last_seq:
            raise Busy(f"the bucket ends at {self._stream.last_seq} and does not reach {fence} yet; try again")
        found = self._stream.latest(filters) if filters else []
        entries = [entry for one in found if (entry := _entry(one.subject, one.data, one.seq))]
        return Found(
            entries=tuple(sorted(entries, key=lambda entry: entry.key)),
            upto=self._stream.last_seq if found else 0,
        )

    async def few(self, filters: Sequence[str]) -> Found | None:
        many = len(self._stream.latest(filters)) > limits.FOUND_AT_ONCE if filters else False
        return None if many else await self.find(filters)

    async def scan(self, filters: Sequence[str] = (), *, after: int = 0) -> AsyncIterator[Entry]:
        while after < (last := self._stream.last_seq):
            async with aclosing(self._stream.walk(after + 1, tuple(filters), until=last)) as found:
                async for one in found:
                    if entry := _entry(one.subject, one.data, one.seq):
                        yield entry
            after = last

    def watch(
        self, filters: Sequence[str] = (), *, after: int = 0, resume: bool = True
    ) -> AbstractAsyncContextManager[AsyncIterator[Change]]:
        return self._watch(tuple(filters), after + 1)

    async def revision(self) -> int:
        return self._stream.last_seq

    @asynccontextmanager
    async def _watch(self, filters: tuple[str, ...], start: int) -> AsyncIterator[AsyncIterator[Change]]:
        async with aclosing(self._changes(filters, start, self._stream.last_seq)) as changes:
            yield changes

    async def _changes(self, filters: tuple[str, ...], start: int, before: int) -> AsyncGenerator[Change, None]:
        async with aclosing(self._stream.walk(start, filters, until=None)) as found:
            async for one in found:
                entry = _entry(one.subject, one.data, one.seq)
                yield Change(one.subject, entry.value if entry else None, one.seq, live=one.seq > before)

    def _write(self, key: str, data: bytes, expect: int | None) -> int:
        if expect is not None:
            held = self._stream.latest([key])
            live = bool(held) and held[0].data.startswith(_LIVE)
            found = held[0].seq if held and (live or expect != 0) else 0
            if found != expect:
                raise Conflict(f"{key} has revision {found}, not {expect}", last=found)
        return self._stream.append(key, data, "", None).seq


def _entry(key: str, data: bytes, revision: int) -> Entry | None:
    return Entry(key, data[1:], revision) if data.startswith(_LIVE) else None
