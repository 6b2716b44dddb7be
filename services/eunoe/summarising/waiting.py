"""The turns that wait to come into a thread's summary, read from the log."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.distillation import door
from eunoe.distillation.reading import Reader
from eunoe.runtime.chains import Head
from eunoe.schemas import limits
from eunoe.summarising import batching


async def turns(reader: Reader, head: Head, covered: int, last: int) -> Sequence[door.Turn]:
    """Those after the ordinal ``covered``, up to ``last`` or until one update has enough of them: none where none says
    anything. Those that say nothing are passed over, however many they are."""
    found: list[door.Turn] = []
    for first, end in batching.spans(covered, last):
        found += await reader.turns(head, first, end)
        if sum(map(batching.says, found)) >= limits.SUMMARY_BATCH_MAX:
            break
    return batching.taken(found)
