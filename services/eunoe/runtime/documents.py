"""A bucket of documents: a stream shaped as NATS KV shapes it, so that `nats kv` reads it too.

Nothing here expires or purges: on a stream that keeps one message a subject, an older value can come back
after a crash when the newest is purged, so a deleted document leaves a permanent marker (``KV-Operation: DEL``).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import TypeVar

import anyio
import anyio.lowlevel

from eunoe.runtime import revisions
from eunoe.runtime.doors import Change, Entry, Found
from eunoe.runtime.jetstream import STREAM_NOT_FOUND, STREAM_SEALED, JetStream, Refused
from eunoe.runtime.place import Place
from eunoe.runtime.pulling import Range
from eunoe.schemas.errors import Conflict, Denied, EunoeError, Unreachable

_EXPECT = "Nats-Expected-Last-Subject-Sequence"
_DELETE = ("KV-Operation", "DEL")
ROUNDS = 16  # of a scan, each over what was written during the one before, so that it ends under any load
SEALED_SECONDS = 5.0  # seconds that a write to a sealed bucket waits for the successor
LOOK_SECONDS = 0.25  # seconds between two looks for it, when nothing tells of it

_T = TypeVar("_T")


async def _nowhere() -> None:
    """Of a bucket that has no successor."""


class JetStreamDocuments:
    """A `doors.Documents` over the bucket of that name, until it goes over to another generation.

    ``look`` finds out which generation is in use, and makes this one `go` there where it is another.
    """

    def __init__(
        self,
        jetstream: JetStream,
        bucket: str,
        generation: int = 1,
        look: Callable[[], Awaitable[object]] = _nowhere,
    ) -> None:
        self._jetstream = jetstream
        self._look = look
        self._place = Place(jetstream, bucket, generation)

    @property
    def stream(self) -> str:
        """The stream of the bucket in use."""
        return f"KV_{self._place.bucket}"

    def go(self, bucket: str, generation: int) -> None:
        """Be the bucket of that name and generation from now on; what is under way begins again there."""
        left, self._place = self._place, Place(self._jetstream, bucket, generation)
        left.leaving.tell()

    async def get(self, key: str) -> Entry | None:
        async def at(place: Place) -> Entry | None:
            found = await place.lookup.one(place.prefix + key)
            return place.entry(*found) if found else None

        return await self._in_use(at)

    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        return await self._in_use(lambda place: self._write(place, key, value, expect, []))

    async def delete(self, key: str, *, expect: int | None = None) -> int:
        return await self._in_use(lambda place: self._write(place, key, b"", expect, [_DELETE]))

    async def find(self, filters: Sequence[str], *, fence: int = 0) -> Found:
        async def at(place: Place) -> Found:
            return place.found(*await place.lookup.latest(place.subjects(filters), place.seq(fence), more=True))

        await self._reach(fence)
        return await self._in_use(at)

    async def few(self, filters: Sequence[str]) -> Found | None:
        async def at(place: Place) -> Found | None:
            answer = await place.lookup.few(place.subjects(filters))
            return None if answer is None else place.found(*answer)

        return await self._in_use(at)

    async def scan(self, filters: Sequence[str] = (), *, after: int = 0) -> AsyncIterator[Entry]:
        await self._reach(after)
        for _ in range(ROUNDS):
            place = self._place
            try:
                last = (await place.reader.end()).last
                if place.seq(after) >= last and place is self._place:
                    return
                wanted = Range(tuple(place.subjects(filters)), place.seq(after) + 1, until=last)
                async with aclosing(place.reader.read(wanted)) as found:
                    async for read in found:
                        if entry := place.entry(read.message, read.headers):
                            yield entry
            except EunoeError as error:
                if not await self._left(place, error):
                    raise
            else:
                after = place.revision(last)  # what was written meanwhile is at a new revision, and gone from its old

    def watch(
        self, filters: Sequence[str] = (), *, after: int = 0, resume: bool = True
    ) -> AbstractAsyncContextManager[AsyncIterator[Change]]:
        return self._watch(filters, after, resume)

    async def revision(self) -> int:
        async def at(place: Place) -> int:
            end = await place.reader.end()
            if end.sealed:  # what is newer is in its successor, where there is one
                await self._look()
                await anyio.lowlevel.checkpoint()  # where it was left with that, this ends here
            return place.revision(end.last)

        return await self._in_use(at)

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[Callable[[], Awaitable[int]]]:
        place = self._place

        async def revision() -> int:
            seq = await last()
            return place.revision(seq) if seq is not None and place is self._place else await self.revision()

        async with place.reader.asking() as last:
            yield revision

    @asynccontextmanager
    async def _watch(self, filters: Sequence[str], after: int, resume: bool) -> AsyncIterator[AsyncIterator[Change]]:
        before = await self.revision()
        async with aclosing(self._changes(filters, after, before, resume)) as changes:
            yield changes

    async def _changes(
        self, filters: Sequence[str], after: int, before: int, resume: bool
    ) -> AsyncGenerator[Change, None]:
        while True:
            place = self._place
            subjects = tuple(place.subjects(filters))
            wanted = Range(subjects, place.seq(after) + 1, resume=resume, leaving=place.leaving)
            try:
                async with aclosing(place.reader.read(wanted)) as found:
                    async for read in found:
                        entry, revision = place.entry(read.message, read.headers), place.revision(read.message.seq)
                        value = entry.value if entry else None
                        yield Change(place.key(read.message), value, revision, live=revision > before)
            except EunoeError as error:
                if not await self._left(place, error):
                    raise
                if not resume:
                    raise Unreachable(f"{place.bucket} was replaced by another generation; read it anew") from None

    async def _write(
        self, place: Place, key: str, value: bytes, expect: int | None, headers: list[tuple[str, str]]
    ) -> int:
        """Write where the key is as expected: for 0 that is also where a deleted document left its marker."""
        seq = place.expected(key, expect)
        try:
            return await self._publish(place, key, value, headers, seq)
        except Conflict:
            marker = await place.marker(key) if seq == 0 else 0
            if not marker:
                raise
        return await self._publish(place, key, value, headers, marker)

    async def _publish(
        self, place: Place, key: str, value: bytes, headers: list[tuple[str, str]], seq: int | None
    ) -> int:
        expecting = [] if seq is None else [(_EXPECT, str(seq))]
        try:
            written = await self._jetstream.publish(place.prefix + key, value, [*headers, *expecting])
        except Conflict as conflict:
            last = {name: place.revision(found) for name, found in conflict.detail.items()}
            raise Conflict(f"{key} of {place.bucket} has another revision than {seq}", **last) from None
        except Denied as denied:
            raise Denied(f"bucket {place.bucket} cannot be written: {denied}") from None
        return place.revision(written.seq)

    async def _in_use(self, do: Callable[[Place], Awaitable[_T]]) -> _T:
        """Do it in the bucket in use, again where that is left meanwhile."""
        while True:
            place = self._place
            try:
                with place.leaving.cancelling():
                    return await do(place)
            except EunoeError as error:
                if not await self._left(place, error):
                    raise

    async def _left(self, place: Place, error: EunoeError) -> bool:
        """Whether something failed because its place is not in use any more. A sealed one waits for its successor."""
        number = error.number if isinstance(error, Refused) else 0
        if place.leaving.over:
            return not isinstance(error, Conflict)
        if number not in (STREAM_NOT_FOUND, STREAM_SEALED) and not isinstance(error, Unreachable):
            return False
        await self._look()
        if number == STREAM_SEALED:
            await self._succeeded(place)
        return place.leaving.over

    async def _succeeded(self, place: Place) -> None:
        """Wait until the successor of a sealed bucket is in use."""
        end = anyio.current_time() + SEALED_SECONDS
        while not await place.leaving.wait(LOOK_SECONDS):
            if anyio.current_time() > end:
                raise Unreachable(f"bucket {place.bucket} is sealed, and its successor is not there yet; try again")
            await self._look()

    async def _reach(self, revision: int) -> None:
        """Find out what is in use where somebody has seen a newer generation than this one."""
        if revisions.generation(revision) > self._place.generation:
            await self._look()
