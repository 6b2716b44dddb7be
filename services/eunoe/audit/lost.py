"""What an erasure takes of a thread, and what of its distilling goes with that. Pure.

A summary goes that names an entry that goes, or goes on from one that does, and one by a model that was shown a turn
that loses any; of a distillation and a review the words go
(what was set aside, what was decided, why it failed), and that they were done stays. What one of them says of a turn
that loses any entry may be of that one; a model that draws facts is shown what is known of the turns before, and the
prompts of some after, so what it said that is no fact may be of any of these.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from eunoe.audit import spans
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.erasures import ErasureTarget
from eunoe.schemas.events import Distilled, DistilledEvent, EntryBase, Erased, Reviewed, Summarised, SummaryKept
from eunoe.schemas.facts import Assertion
from eunoe.schemas.records import Record

_DRAWN = ("distilled", "inferred")  # how what comes from prose comes about


@dataclass(slots=True)
class Lost:
    """What goes of the thread of ``target``: numbers of entries, and of the turns that they are of; positions of
    summaries, of those that went before too. ``ordinals`` are those of all its committed turns, by their numbers."""

    target: ErasureTarget
    entries: set[int] = field(default_factory=set)
    turns: set[int] = field(default_factory=set)
    summaries: set[int] = field(default_factory=set)
    ordinals: dict[int, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.entries) + len(self.turns) + len(self.summaries) + len(self.ordinals)

    def take(self, event: EntryBase) -> None:
        """One more entry of the thread that goes."""
        self.entries.add(event.entry)
        self.turns.add(event.turn)

    def note(self, record: Record, event: Erased) -> None:
        """What went before."""
        if event.kind == "summarised" and self._holds(record):
            self.summaries.add(record.position)

    def drawn(self, record: Record, event: DistilledEvent, facts: Collection[str], *, old: bool) -> str:
        """As which count what was distilled, summarised or reviewed goes, empty where it stays: it says nothing, or
        nothing of what goes. ``facts`` are the ids of those that go; ``old``: it was there when the erasure began."""
        goes = self._holds(record) and ((old and self.target.whole) or self._covers(event, old=old))
        if isinstance(event, Reviewed):
            goes = goes or _tells(record, event, facts)
        if not goes or not says(event):
            return ""
        if isinstance(event, Summarised):
            self.summaries.add(record.position)
            return "summaries"
        return "other"

    def _holds(self, record: Record) -> bool:
        return bool(self.target.thread) and subjects.chain_thread(record.header.chain) == self.target.thread

    def _covers(self, event: DistilledEvent, *, old: bool) -> bool:
        """Whether an event says something that may be of what goes."""
        match event:
            case Summarised():
                turns = old and (spans.meet(event.turns, self.target.turns) or self._shown(event))
                return turns or spans.any_within(self.entries, event.entries) or event.before in self.summaries
            case SummaryKept():
                return self._committed(event.last)
            case Distilled(by="model") if old:
                return self._committed(event.last + limits.DISTILLED_AFTER)
            case Distilled() | Reviewed():
                return spans.any_within(self.turns, event.turns)

    def _shown(self, event: Summarised) -> bool:
        """Whether a model that wrote a summary was shown a turn that loses any entry: it may have said more than it was
        asked for."""
        return event.by == "model" and self._committed(event.last + limits.DISTILLED_AFTER)

    def _committed(self, last: int) -> bool:
        """Whether a turn that loses any entry is among the committed ones up to that ordinal."""
        return any(self.ordinals.get(turn, last + 1) <= last for turn in self.turns)


def says(event: DistilledEvent) -> bool:
    """Whether an event has any words."""
    match event:
        case Summarised():
            return True
        case SummaryKept():
            return bool(event.reason)
        case Distilled():
            return bool(event.set_aside or event.failed)
        case Reviewed():
            return bool(event.set_aside or event.failed or event.decisions)


def whole_turn(fact: Assertion) -> bool:
    """Whether a fact was drawn from a turn of which it names no entries, or not all of them."""
    named = len(fact.provenance.entries)
    return fact.method in _DRAWN and (not named or named >= limits.ENTRIES_NAMED)


def _tells(record: Record, event: Reviewed, facts: Collection[str]) -> bool:
    """Whether a review stated any of these facts, decided about one, or compared something with it."""
    header = record.header
    stated = (ids.fact_id(header.chain, header.origin, index) for index in range(len(record.events)))
    named = (one for made in event.decisions for one in (made.about, *(near.id for near in made.compared)))
    return any(one in facts for one in (*stated, *named))
