"""What workers drew from a thread while a turn was under way: a line for each piece of their work. Pure.

It is told at the newest turn that had been opened by then. Versions of the summary are counted by whoever folds the
log, so they are told as far as they are known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from eunoe.composition.changes import spanned
from eunoe.schemas.distilled_events import Distilled, Spans, Summarised, SummaryKept
from eunoe.schemas.records import Record
from eunoe.schemas.requests import SummaryDocument

Place = tuple[int, int]
"""Where an event is: position in the log, index in the record."""


class Versions:
    """The versions of a summary that are known, by where they are."""

    def __init__(self, document: SummaryDocument | None) -> None:
        known = document.versions if document else ()
        self._numbers: Mapping[Place, int] = {(one.position, one.index): one.version for one in known}

    def said(self, place: Place) -> str:
        """Which version is there; that it was not taken, where those around it are known and it is none."""
        if place in self._numbers:
            return f"version {self._numbers[place]}"
        places: Collection[Place] = self._numbers
        return "not taken" if places and min(places) < place < max(places) else ""


def drawn(record: Record, versions: Versions) -> list[str]:
    """The lines of a record: what was distilled and summarised in it, and what came to nothing."""
    found = []
    for index, event in enumerate(record.events):
        match event:
            case Distilled() if event.failed:
                found.append(f"could not distil {_turns(event.turns)}: {event.failed}")
            case Distilled():
                found.append(f"distilled {_turns(event.turns)}: {_facts(event)} ({event.effort.model or event.by})")
            case Summarised():
                said = versions.said((record.position, index))
                found.append(f"summarised {_turns(event.turns)}" + (f": {said}" if said else ""))
            case SummaryKept():
                found.append(f"kept the summary as it was: {event.reason}")
            case _:
                pass
    return found


def _facts(event: Distilled) -> str:
    """What was stated, and what was given beside that and is none."""
    count = f"{event.facts} fact" if event.facts == 1 else f"{event.facts} facts"
    beside = [f"{event.dropped} over the limit"] if event.dropped else []
    beside += [f"{len(event.set_aside)} set aside"] if event.set_aside else []
    return ", ".join([count, *beside])


def _turns(spans: Spans) -> str:
    return spanned(spans, "turn", "turns") if spans else "no turns"
