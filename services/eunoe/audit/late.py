"""Whether what came after an erasure was done may come from what that took: it was on its way. Pure.

A worker that waited for somebody may have read an entry long before, and append what it made of it when the entry
is gone. What may be so is looked for as in any erasure (`eunoe.audit.search`), which decides.
"""

from __future__ import annotations

from eunoe.audit import lost
from eunoe.audit.erasures import Erasure
from eunoe.audit.spans import meet, within
from eunoe.schemas import subjects
from eunoe.schemas.erasures import ErasureTarget
from eunoe.schemas.events import ContextComposed, DistilledEvent, StatingEvent, Summarised, SummaryKept
from eunoe.schemas.facts import Assertion
from eunoe.schemas.records import Record


def late(record: Record, erasure: Erasure, entries: int) -> bool:
    """Whether a record may say what an erasure took, whose thread had so many ``entries`` then.

    A chain that lost something goes on with what is left of it: what was composed of less knew it as it was.
    """
    mine, target = record.header.chain in erasure.chains, erasure.target
    for event in record.events:
        if isinstance(event, ContextComposed) and mine and event.recipe.position <= erasure.began:
            return True
        if isinstance(event, StatingEvent) and _from(event.fact, record, target, entries):
            return True
        if isinstance(event, DistilledEvent) and _of(record, target) and _drawn(event, target, entries):
            return True
    return False


def _from(fact: Assertion, record: Record, target: ErasureTarget, entries: int) -> bool:
    came = fact.provenance
    if not target.thread or (came.thread or subjects.chain_thread(record.header.chain)) != target.thread:
        return False
    if any(within(entry, _ranges(target, entries)) for entry in came.entries) or within(came.turn, target.turns):
        return True
    return lost.whole_turn(fact) and not target.turns


def _drawn(event: DistilledEvent, target: ErasureTarget, entries: int) -> bool:
    """Whether it has words that may be of these entries: it names turns, and a summary entries too."""
    if isinstance(event, Summarised) and meet(event.entries, _ranges(target, entries)):
        return True
    turns = () if isinstance(event, SummaryKept) else event.turns
    if meet(turns, target.turns):
        return lost.says(event)
    return not isinstance(event, Summarised) and not target.turns and lost.says(event)


def _of(record: Record, target: ErasureTarget) -> bool:
    return bool(target.thread) and subjects.chain_thread(record.header.chain) == target.thread


def _ranges(target: ErasureTarget, entries: int) -> tuple[tuple[int, int], ...]:
    return ((1, entries),) if target.whole else target.entries
