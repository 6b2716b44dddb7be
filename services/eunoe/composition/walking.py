"""Walking along a chain past what was erased: the records that are still there, and no complaint about the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator

from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Log
from eunoe.schemas import records
from eunoe.schemas.records import Record

BATCH = 64  # records read in one round trip


class Walker:
    """Reads the records of chains in order, or against it, in bounded memory."""

    def __init__(self, log: Log, chains: ChainReader) -> None:
        self._log = log
        self._chains = chains

    async def forward(self, head: Head, first: int) -> AsyncIterator[Record]:
        """The records from number ``first`` to the head."""
        for start in range(first, head.header.record + 1, BATCH):
            for record in await self._present(head, start, start + BATCH - 1):
                yield record

    async def backward(self, head: Head, last: int) -> AsyncIterator[Record]:
        """The records from number ``last`` to the chain's first."""
        for end in range(last, 0, -BATCH):
            for record in reversed(await self._present(head, max(1, end - BATCH + 1), end)):
                yield record

    async def between(self, head: Head, first: int, last: int) -> list[Record]:
        """The records from number ``first`` to ``last``, in order."""
        return await self._present(head, first, last) if first <= last else []

    async def _present(self, head: Head, first: int, last: int) -> list[Record]:
        places = await self._chains.positions(head, first, last)
        return [records.read(one.seq, one.data) for one in await self._log.get(places) if one is not None]
