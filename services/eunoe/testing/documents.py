"""A bucket of documents in memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager

from eunoe.runtime import revisions
from eunoe.runtime.doors import Change, Clock, Entry, Found, Stored, SystemClock
from eunoe.runtime.leaving import Leaving
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, Conflict, Unreachable
from eunoe.testing.stream import MemoryStream

_LIVE, _MARKER = b"\x01", b"\x00"  # the first byte of what the stream holds tells a document from a marker
SEALED_SECONDS = 5.0  # seconds that a write to a sealed bucket waits for the successor


class Place:
    """One bucket of one generation, and whether it is still the one in use."""

    def __init__(self, stream: MemoryStream, generation: int) -> None:
        self.stream = stream
        self.generation = generation
        self.leaving = Leaving()

    @property
    def last(self) -> int:
        return revisions.of(self.generation, self.stream.last_seq)

    def seq(self, revision: int) -> int:
        return revisions.seq(revision, self.generation)

    def entry(self, found: Stored) -> Entry | None:
        if not found.data.startswith(_LIVE):
            return None
        return Entry(found.subject, found.data[1:], revisions.of(self.generation, found.seq))

    def write(self, key: str, data: bytes, expect: int | None) -> int:
        if expect is not None:
            held = self.stream.latest([key])
            live = bool(held) and held[0].data.startswith(_LIVE)
            found = revisions.of(self.generation, held[0].seq) if held and (live or expect != 0) else 0
            if found != expect:
                raise Conflict(f"{key} has revision {found}, not {expect}", last=found)
        return revisions.of(self.generation, self.stream.append(key, data, "", None).seq)


async def _nowhere() -> None:
    """Of a bucket that has no successor."""


class MemoryDocuments:
    """A `doors.Documents`: the newest revision of each key, a marker for one that was deleted."""

    def __init__(
        self,
        clock: Clock | None = None,
        stream: MemoryStream | None = None,
        generation: int = 1,
        look: Callable[[], Awaitable[object]] = _nowhere,
    ) -> None:
        self._look = look
        self._place = Place(stream or MemoryStream(clock or SystemClock(), latest_only=True), generation)

    def go(self, stream: MemoryStream, generation: int) -> None:
        """Be that bucket from now on."""
        left, self._place = self._place, Place(stream, generation)
        left.leaving.tell()
        left.stream.leave()

    async def get(self, key: str) -> Entry | None:
        found = self._place.stream.latest([key])
        return self._place.entry(found[0]) if found else None

    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        return await self._write(key, _LIVE + value, expect)

    async def delete(self, key: str, *, expect: int | None = None) -> int:
        return await self._write(key, _MARKER, expect)

    async def find(self, filters: Sequence[str], *, fence: int = 0) -> Found:
        await self._reach(fence)
        place = self._place
        if place.seq(fence) > place.stream.last_seq:
            raise Busy(f"the bucket ends at {place.last} and does not reach {fence} yet; try again")
        found = place.stream.latest(filters) if filters else []
        entries = [entry for one in found if (entry := place.entry(one))]
        return Found(
            entries=tuple(sorted(entries, key=lambda entry: entry.key)),
            upto=place.last if found else 0,
        )

    async def few(self, filters: Sequence[str]) -> Found | None:
        many = len(self._place.stream.latest(filters)) > limits.FOUND_AT_ONCE if filters else False
        return None if many else await self.find(filters)

    async def scan(self, filters: Sequence[str] = (), *, after: int = 0) -> AsyncIterator[Entry]:
        await self._reach(after)
        while (place := self._place).seq(after) < place.stream.last_seq:
            upto = place.last
            walk = place.stream.walk(place.seq(after) + 1, tuple(filters), until=place.stream.last_seq)
            async with aclosing(walk) as found:
                async for one in found:
                    if entry := place.entry(one):
                        yield entry
            after = upto

    def watch(
        self, filters: Sequence[str] = (), *, after: int = 0, resume: bool = True
    ) -> AbstractAsyncContextManager[AsyncIterator[Change]]:
        return self._watch(tuple(filters), after, resume)

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[Callable[[], Awaitable[int]]]:
        found = await self.revision()

        async def revision() -> int:
            return found

        yield revision

    async def revision(self) -> int:
        return self._place.last

    @asynccontextmanager
    async def _watch(self, filters: tuple[str, ...], after: int, resume: bool) -> AsyncIterator[AsyncIterator[Change]]:
        async with aclosing(self._changes(filters, after, self._place.last, resume)) as changes:
            yield changes

    async def _changes(
        self, filters: tuple[str, ...], after: int, before: int, resume: bool
    ) -> AsyncGenerator[Change, None]:
        while True:
            place = self._place
            try:
                async with aclosing(place.stream.walk(place.seq(after) + 1, filters, until=None)) as found:
                    async for one in found:
                        entry, revision = place.entry(one), revisions.of(place.generation, one.seq)
                        yield Change(one.subject, entry.value if entry else None, revision, live=revision > before)
            except Unreachable:
                if not resume:
                    raise

    async def _write(self, key: str, data: bytes, expect: int | None) -> int:
        while (place := self._place).stream.sealed:
            await self._look()
            if not await place.leaving.wait(SEALED_SECONDS):
                raise Unreachable("the bucket is sealed, and its successor is not there yet; try again")
        return place.write(key, data, expect)

    async def _reach(self, revision: int) -> None:
        """Find out what is in use where somebody has seen a newer generation than this one."""
        if revisions.generation(revision) > self._place.generation:
            await self._look()
