"""Records of a chain found by number, past those that are lost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain, combinations
from typing import Any

import pytest
from desks import Desk

from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Log, Stored
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Damaged
from eunoe.schemas.events import Instructions

CHAIN = subjects.thread_chain("t")


class Lossy:
    """A log without what stood at the positions that are ``gone``; ``gets`` counts what it is asked for."""

    def __init__(self, log: Log, gone: Collection[int] = ()) -> None:
        self._log = log
        self.gone = gone
        self.gets = 0

    async def get(self, seqs: Sequence[int]) -> list[Stored | None]:
        self.gets += 1
        found = await self._log.get(seqs)
        return [None if seq in self.gone else one for seq, one in zip(seqs, found, strict=True)]


async def written(desk: Desk, count: int) -> tuple[Lossy, ChainReader, Head]:
    """A chain of so many records, the first at position 1, and a reader of it that has its head."""
    for number in range(1, count + 1):
        await desk.append(number, Instructions(content=f"rule {number}"), turn="")
    log: Any = Lossy(desk.store.log)
    head = await ChainReader(desk.store.log, desk.store.space).head(CHAIN)
    assert head is not None
    return log, ChainReader(log, desk.store.space), head


@pytest.mark.parametrize("every", [3, 1024])
async def test_the_first_is_found_unless_it_may_be_among_the_lost(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    """Of eight records whichever are lost, but for the head: the first that is reached is told where it is there and
    the one before it, which is not, is there too."""
    monkeypatch.setattr(limits, "MARK_EVERY", every)
    log, reader, head = await written(desk, 8)

    for gone in chain.from_iterable(combinations(range(1, 8), count) for count in range(8)):
        log.gone = gone
        for first in range(1, 9):
            found: int | None
            try:
                found = await reader.first(head, lambda header, first=first: header.record >= first)  # type: ignore[misc]
            except Damaged:
                found = None
            assert found == (None if {first, first - 1} & set(gone) else first), (gone, first)


async def test_many_lost_records_are_passed_over_with_few_round_trips(desk: Desk) -> None:
    """Of 200 records 60 are lost in a row: the whole search asks the log less often than once for each of them."""
    log, reader, head = await written(desk, 200)
    log.gone = range(70, 130)

    for first in (60, 131, 150):
        log.gets = 0
        assert await reader.first(head, lambda header, first=first: header.record >= first) == first  # type: ignore[misc]
        assert log.gets < 60
