"""Whether what came after an erasure was done may come from what that took: it was on its way. Pure.

A worker that waited for somebody may have read an entry long before, and append what it made of it when the entry
is gone. What may be so is looked for as in any erasure (`eunoe.audit.search`), which decides.
"""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.audit.erasures import Erasure
from eunoe.schemas import subjects
from eunoe.schemas.erasures import ErasureTarget
from eunoe.schemas.events import ContextComposed, StatingEvent
from eunoe.schemas.facts import Provenance
from eunoe.schemas.records import Record


def late(record: Record, erasure: Erasure, entries: int) -> bool:
    """Whether a record may say what an erasure took, whose thread had so many ``entries`` then.

    A chain that lost something goes on with what is left of it: what was composed of less knew it as it was.
    """
    mine = record.header.chain in erasure.chains
    for event in record.events:
        if isinstance(event, ContextComposed) and mine and event.recipe.position <= erasure.began:
            return True
        if isinstance(event, StatingEvent) and _from(event.fact.provenance, record, erasure.target, entries):
            return True
    return False


def _from(came: Provenance, record: Record, target: ErasureTarget, entries: int) -> bool:
    if not target.thread or (came.thread or subjects.chain_thread(record.header.chain)) != target.thread:
        return False
    ranges = ((1, entries),) if target.whole else target.entries
    return any(_within(entry, ranges) for entry in came.entries) or _within(came.turn, target.turns)


def _within(number: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= number <= last for first, last in ranges)
