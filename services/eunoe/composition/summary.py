"""The running summary as a context shows it: a line that says what it covers and what made it, then its own. Pure.

It is data that a model or rules wrote about what was said. Each of its lines is indented and plain, so that none can
pose as a fact, as a turn that left, or as anything outside the block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import msgspec

from eunoe.composition import blocks, contents, marks
from eunoe.schemas.context import ShownSummary
from eunoe.schemas.distil_requests import SummaryDocument
from eunoe.schemas.distilled_events import Distiller, Spans
from eunoe.schemas.events import Summarised
from eunoe.schemas.records import Record
from eunoe.summarising.capping import capped

INDENT = "  "
TEXT_BYTES_MIN = 64  # bytes; as little of a summary as that says nothing
NAME_BYTES = 64  # bytes of the name of the model that wrote it
SPANS_NAMED = 4  # spans of turns that are named; of more, only the first turn and the last


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary as a recipe names it (``shown``), its whole text, the turns that it covers, and what made it: ``rules``
    or the name of a model."""

    shown: ShownSummary
    text: str
    turns: Spans
    by: str

    @property
    def source(self) -> str:
        """``turns 1–14, by rules``."""  # noqa: RUF002 (an en dash joins the ends)
        return f"{_named(self.turns)}, by {self.by}"

    @property
    def lines(self) -> Sequence[str]:
        """Its lines, in the size to which it is shortened."""
        return _lines(self.source, self.text, self.shown.size)

    @property
    def bytes(self) -> int:
        """The size of its lines with their line feeds."""
        return sum(len(line.encode()) + 1 for line in self.lines)


def of(document: SummaryDocument | None) -> Summary | None:
    """The summary in force, None where there is none or it says nothing."""
    current = document.current if document else None
    if document is None or current is None or not document.text.strip() or not current.turns:
        return None
    shown = ShownSummary(version=current.version, position=current.position, index=current.index, last=current.last)
    return Summary(shown, document.text, current.turns, _maker(current.by, current.model))


def told(shown: ShownSummary, records: Iterable[Record]) -> Summary | None:
    """The summary that a recipe names, from the records that are there; None where it was erased."""
    record = next((one for one in records if one.position == shown.position), None)
    event = record.events[shown.index] if record and shown.index < len(record.events) else None
    if not isinstance(event, Summarised):
        return None
    return Summary(shown, event.text, event.turns, _maker(event.by, event.effort.model))


def within(summary: Summary, size: int) -> Summary | None:
    """The summary in ``size`` bytes of lines, shortened where it has to be; None where too little would be left."""
    if summary.bytes <= size:
        return summary
    room = size - len(_head(summary.source).encode()) - 1
    while room >= TEXT_BYTES_MIN:
        found = replace(summary, shown=msgspec.structs.replace(summary.shown, size=room))
        if (excess := found.bytes - size) <= 0:
            return found
        room -= min(excess, room // 2)  # what is written as a JSON string may take many times as much
    return None


def forget() -> None:
    """Keep no words in mind: some of them may have been erased."""
    _lines.cache_clear()


@lru_cache(maxsize=256)
def _lines(source: str, text: str, size: int) -> Sequence[str]:
    """The same are asked for several times for one context, and for the next ones."""
    plain = marks.clean(text)
    said = [line.strip() for line in (capped(plain, size) if size else plain).splitlines()]
    return (_head(source), *(f"{INDENT}{marks.one_line(line)}" for line in said if line))


def _head(source: str) -> str:
    return f"Summary of {source}:"


def _maker(by: Distiller, model: str) -> str:
    if by == "rules" or not model:
        return "rules" if by == "rules" else "a model"
    return contents.shortened(marks.one_line(marks.clean(model)), NAME_BYTES)


def _named(spans: Spans) -> str:
    """``turn 3``, ``turns 1–4, 6``; of many spans, how many turns from which to which."""  # noqa: RUF002
    count = sum(last - first + 1 for first, last in spans)
    if len(spans) > SPANS_NAMED:
        return f"{count} turns from {spans[0][0]} to {spans[-1][1]}"
    return f"{'turn' if count == 1 else 'turns'} {', '.join(blocks.ranged(first, last) for first, last in spans)}"
