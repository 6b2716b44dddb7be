"""Reading back what workers drew from a thread: each of their producers' records names the one before it."""

from __future__ import annotations

import heapq
from collections.abc import AsyncIterator, Mapping

from eunoe.facts.distilled import DISTILLATION, SUMMARISING
from eunoe.runtime.chains import ChainReader, Head, head_of
from eunoe.schemas import records
from eunoe.schemas.records import Record

_PRODUCERS = tuple(records.producer_key(caller, "") for caller in (DISTILLATION, SUMMARISING))


class Drawings:
    """Reads the records of distilling, summarising and reviews of one space, one round trip a record."""

    def __init__(self, chains: ChainReader) -> None:
        self._chains = chains

    async def back(
        self, head: Head, producers: Mapping[str, tuple[int, int, int]], before: int = 0
    ) -> AsyncIterator[Record]:
        """Those of the head's thread before the record of that number (0: all), the newest first.

        ``producers`` are those of the thread's state, for such as no header names any more. Raises `Damaged` where a
        record is missing.
        """
        starts = await self._starts(head, producers, before)
        waiting = [(-record.header.record, record) for record in await self._chains.records(starts)]
        heapq.heapify(waiting)
        while waiting:
            _, record = heapq.heappop(waiting)
            if not before or record.header.record < before:
                yield record
            if record.header.before:
                older = await self._chains.record(record.header.before)
                heapq.heappush(waiting, (-older.header.record, older))

    async def _starts(self, head: Head, producers: Mapping[str, tuple[int, int, int]], before: int) -> list[int]:
        """Where the newest record of each producer is, of those that count: as the record of that number knows it."""
        if 0 < before <= head.header.record:
            places = await self._chains.positions(head, before, before)
            head = head_of((await self._chains.stored(places))[0])
        known = {key: position for key, (_, _, position) in producers.items()}
        known |= {key: done.position or head.position for key, done in head.header.producers.items()}
        return [position for key, position in known.items() if key.startswith(_PRODUCERS)]
