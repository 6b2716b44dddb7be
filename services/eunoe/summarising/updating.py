"""One update of a thread's summary: from what is in force and the turns that wait to the event that says what came of
it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eunoe.composition import blocks
from eunoe.distillation import door
from eunoe.extraction.secrets import redact
from eunoe.facts import values
from eunoe.schemas import limits
from eunoe.schemas.distil_requests import SummaryDocument
from eunoe.schemas.distilled_events import Distiller, Effort, Spans, Summarised, SummaryKept
from eunoe.summarising import batching, capping

EMPTY = "what came back as the summary says nothing"


@dataclass(frozen=True, slots=True)
class Update:
    """What is to be done: the summary in force (its text and what it covers), the ``turns`` that come into it in the
    order of their commits, and the bytes that it may have then."""

    document: SummaryDocument | None
    turns: Sequence[door.Turn]
    size: int

    @property
    def batch(self) -> door.Batch:
        """What a summariser is given: of the turns, those that say something."""
        text = self.document.text if self.document else ""
        return door.Batch(text=text, turns=[turn for turn in self.turns if batching.says(turn)], size=self.size)

    @property
    def last(self) -> int:
        return self.turns[-1].ordinal

    def event(self, text: str, by: Distiller, effort: Effort) -> Summarised | SummaryKept:
        """What is recorded of the text that came back; one that says nothing takes the place of none."""
        text = capping.capped(redact(text).strip(), self.size)
        if values.blank(text):
            return self.kept(EMPTY, by, effort)
        current = self.document.current if self.document else None
        entries = {entry for turn in self.turns for entry in _entries(turn)}
        return Summarised(
            text=text,
            last=self.last,
            turns=_merged(current.turns if current else (), (turn.number for turn in self.turns)),
            entries=_merged(current.entries if current else (), entries),
            by=by,
            before=current.position if current else 0,
            effort=effort,
        )

    def kept(self, reason: str, by: Distiller, effort: Effort) -> SummaryKept:
        """What is recorded where no text came back: the summary stays, and its turns wait for the next batch."""
        why = values.cut(redact(values.one_line(reason)), limits.REASON_LENGTH)
        return SummaryKept(last=self.last, by=by, reason=why or "no reason given", effort=effort)


def update(document: SummaryDocument | None, turns: Sequence[door.Turn], window: int) -> Update | None:
    """The update with the turns that wait, as many as one takes, for contexts of so many tokens; None where none of
    them says anything."""
    taken = batching.taken(turns)
    return Update(document, taken, batching.size(window)) if taken else None


def covered(document: SummaryDocument | None) -> int:
    """The ordinal of the last turn that is in the summary, 0 while there is none."""
    current = document.current if document else None
    return current.last if current else 0


def _entries(turn: door.Turn) -> set[int]:
    first, last = turn.entries
    return set(range(first, last + 1)) - set(turn.others) if first else set()


def _merged(before: Spans, numbers: Iterable[int]) -> Spans:
    """Ranges with further numbers, as ascending ranges that neither touch nor overlap, of which there are not many."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted([*before, *blocks.spans(sorted(set(numbers)))]):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return _bounded(merged)


def _bounded(ranges: Sequence[tuple[int, int]]) -> Spans:
    """As many ranges as are kept: over that the narrowest gaps between them are closed, of equal ones the oldest."""
    over = max(len(ranges) - limits.SUMMARY_RANGES, 0)
    gaps = sorted(range(1, len(ranges)), key=lambda at: ranges[at][0] - ranges[at - 1][1])
    closed = set(gaps[:over])
    firsts = [first for at, (first, _) in enumerate(ranges) if at not in closed]
    lasts = [last for at, (_, last) in enumerate(ranges) if at + 1 not in closed]
    return tuple(zip(firsts, lasts, strict=True))
