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
        if isinstance(event, DistilledEvent) and _of(record, target) and _drawn(event, erasure, entries):
            return True
    return False


def _from(fact: Assertion, record: Record, target: ErasureTarget, entries: int) -> bool:
    came = fact.provenance
    if not target.thread or (came.thread or subjects.chain_thread(record.header.chain)) != target.thread:
        return False
    if any(within(entry, _ranges(target, entries)) for entry in came.entries) or within(came.turn, target.turns):
        return True
    return lost.whole_turn(fact) and (target.whole or bool(target.entries))


def _drawn(event: DistilledEvent, erasure: Erasure, entries: int) -> bool:
    """Whether it has words that may be of what was erased, or of a summary that went with it."""
    target = erasure.target
    match event:
        case Summarised():
            names = meet(event.entries, _ranges(target, entries)) or meet(event.turns, target.turns)
            return names or any(event.before in one.positions for one in erasure.rounds)
        case SummaryKept():
            return lost.says(event)
        case _:
            return lost.says(event) and (not target.turns or meet(event.turns, target.turns) or bool(target.entries))


def _of(record: Record, target: ErasureTarget) -> bool:
    return bool(target.thread) and subjects.chain_thread(record.header.chain) == target.thread


def _ranges(target: ErasureTarget, entries: int) -> tuple[tuple[int, int], ...]:
    return ((1, entries),) if target.whole else target.entries
