"""The two sets of buckets that take turns, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from eunoe.runtime import slots
from eunoe.runtime.doors import Buckets, Clock, InUse, SystemClock
from eunoe.runtime.slots import Slot
from eunoe.schemas import subjects
from eunoe.schemas.facts import Origin
from eunoe.schemas.subjects import BUCKETS, SLOTS, Bucket
from eunoe.testing.documents import MemoryDocuments
from eunoe.testing.stream import MemoryStream

Streams = dict[Bucket, MemoryStream]


class MemoryGenerations:
    """A `doors.Generations`. It moves the documents of one store."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.changed: list[Callable[[], None]] = []
        self._clock = clock or SystemClock()
        self._slot = 1
        self._generation = 1
        self._streams: dict[int, Streams] = {self._slot: {scope: self._new() for scope in BUCKETS}}
        self.documents: Mapping[Bucket, MemoryDocuments] = {
            scope: MemoryDocuments(stream=self._streams[self._slot][scope], look=self.look) for scope in BUCKETS
        }

    @property
    def current(self) -> int:
        return self._generation

    async def look(self) -> InUse:
        seen = slots.in_use([self._seen(slot) for slot in SLOTS])
        if seen.whole and seen.generation > self._generation:
            self._slot, self._generation = seen.slot, seen.generation
            self._go()
        return seen

    async def other(self, scope: Bucket) -> MemoryDocuments | None:
        stream = self._streams.get(slots.other(self._slot), {}).get(scope)
        return self._made(stream) if stream is not None and not stream.sealed else None

    async def prepare(self) -> Buckets:
        other = slots.other(self._slot)
        if other not in self._streams or self._seen(other).sealed:
            self._streams[other] = {scope: self._new() for scope in BUCKETS}
        return {scope: self._made(stream) for scope, stream in self._streams[other].items()}

    async def clear(self) -> None:
        for stream in self._streams[slots.other(self._slot)].values():
            stream.clear()

    async def replicated(self) -> None:
        """There is one copy."""

    async def seal(self) -> None:
        for stream in self._streams[self._slot].values():
            stream.sealed = True

    async def drop(self) -> None:
        self._streams.pop(slots.other((await self.look()).slot), None)

    def lose(self, scope: Bucket) -> None:
        """What somebody does who removes the bucket in use and makes it again."""
        self._streams[self._slot][scope] = self._new()
        self._go()

    def _go(self) -> None:
        for scope, documents in self.documents.items():
            documents.go(self._streams[self._slot][scope], self._generation)
        for call in list(self.changed):
            call()

    def _made(self, stream: MemoryStream) -> MemoryDocuments:
        return MemoryDocuments(stream=stream, generation=self._generation + 1)

    def _new(self) -> MemoryStream:
        return MemoryStream(self._clock, latest_only=True)

    def _seen(self, slot: int) -> Slot:
        made = self._streams.get(slot, {})
        return Slot(
            slot,
            tuple(_origin(made[scope]) if scope in made else None for scope in BUCKETS),
            any(stream.sealed for stream in made.values()),
        )


def _origin(stream: MemoryStream) -> Origin | None:
    found = stream.latest([subjects.ORIGIN_KEY])
    try:
        return msgspec.json.decode(found[0].data[1:], type=Origin) if found else None
    except msgspec.DecodeError:
        return None
