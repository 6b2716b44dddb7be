"""Records of a thread as the distillations, summaries and reviews that they tell of. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal

import msgspec

from eunoe.facts import efforts
from eunoe.facts.admission import told
from eunoe.facts.kinds import Kinds
from eunoe.facts.visibility import Viewer, visible
from eunoe.schemas.distilled_events import Decision, SetAside
from eunoe.schemas.events import Distilled, DistilledEvent, Reviewed, Summarised, SummaryKept
from eunoe.schemas.records import Record
from eunoe.schemas.requests import Distillation, SummaryDocument
from eunoe.schemas.subjects import Caller

DISTILLATION = Caller("worker", "distillation")  # draws facts from prose, and reviews an agent's records
SUMMARISING = Caller("worker", "summarising")  # says how a thread's summary goes on, and nothing else

PERSONS, CONCLUDER = "distiller", "model"
"""Who states what a person said, in the words of a distiller, and what a model concluded in a turn without an agent."""

Outcome = Literal["", "updated", "kept", "not taken"]


def tells(record: Record) -> bool:
    return any(isinstance(event, DistilledEvent) for event in record.events)


def distillation(record: Record, outcome: Outcome, kinds: Kinds, viewer: Viewer) -> Distillation | None:
    """What a record tells of; None where that is nothing. Facts that this viewer may not see are not named, nor what
    was decided, or set aside, about another agent's records.

    ``outcome`` is what became of the summary that it holds; where it holds none it says so itself.
    """
    event = _reviews(record) or next((one for one in record.events if isinstance(one, DistilledEvent)), None)
    if event is None:
        return None
    kept = next((one for one in record.events if isinstance(one, SummaryKept)), None)
    many = isinstance(event, Distilled | Reviewed)
    return Distillation(
        kind="distilled" if isinstance(event, Distilled) else "reviewed" if many else "summarised",
        record=record.header.record,
        position=record.position,
        time=record.header.time,
        turns=() if isinstance(event, SummaryKept) else event.turns,
        by="model" if isinstance(event, Reviewed) else event.by,
        facts=tuple(one.stated.id for one in told(record, kinds) if visible(one.identity, viewer)),
        dropped=event.dropped if isinstance(event, Distilled) else 0,
        set_aside=tuple(_set_aside(record, viewer)),
        decisions=tuple(_decisions(record, viewer)),
        summary="kept" if kept else outcome,
        reason=kept.reason if kept else "",
        failed=event.failed if isinstance(event, Distilled | Reviewed) else "",
        effort=efforts.total(efforts.of(record.events)),
    )


def _decisions(record: Record, viewer: Viewer) -> Iterator[Decision]:
    """What was decided in reviews, of which an agent sees its own."""
    for event in record.events:
        if isinstance(event, Reviewed) and _own(event, viewer):
            yield from (msgspec.structs.replace(made, compared=()) for made in event.decisions)


def _set_aside(record: Record, viewer: Viewer) -> Iterator[SetAside]:
    """What was set aside, in reviews of those that an agent sees: a model may say there what its records say."""
    for event in record.events:
        if isinstance(event, Distilled) or (isinstance(event, Reviewed) and _own(event, viewer)):
            yield from event.set_aside


def _own(review: Reviewed, viewer: Viewer) -> bool:
    return viewer.trusted or viewer.caller == Caller("agent", review.agent)


def _reviews(record: Record) -> Reviewed | None:
    """The reviews of a record as one: each is of another agent's turns, of the same range; None where it has none."""
    found = [event for event in record.events if isinstance(event, Reviewed)]
    if len(found) < 2:
        return next(iter(found), None)
    failed = [f"{event.agent}: {event.failed}" for event in found if event.failed]
    return msgspec.structs.replace(
        found[0],
        turns=tuple(sorted(ranges for event in found for ranges in event.turns)),
        failed="; ".join(failed),
    )


def before(record: Record) -> int | None:
    """The position of the summary from which that of this record goes on; None where it holds none."""
    return next((event.before for event in record.events if isinstance(event, Summarised)), None)


def reach(records: Collection[Record], document: SummaryDocument) -> int:
    """The position back to which a thread's summaries must be known, to tell which of those in these records were
    taken; one above all where nothing is to be read for that."""
    oldest = document.versions[0].position if document.versions else 0
    undecided = [found for one in records if one.position < oldest and (found := before(one)) is not None]
    return min(undecided, default=1 << 62)


def outcomes(records: Collection[Record], document: SummaryDocument) -> Mapping[int, Outcome]:
    """What became of the summaries in these records, by their positions: they reach back as `reach` says.

    The newest that were taken stand in the document. Of older ones that go on from the same, the first was.
    """
    known = {one.position for one in document.versions}
    oldest = min(known, default=0)
    first: dict[int, int] = {}
    for record in sorted(records, key=lambda one: one.position):
        if (found := before(record)) is not None:
            first.setdefault(found, record.position)
    taken = known | {position for position in first.values() if position < oldest}
    return {
        one.position: "updated" if one.position in taken else "not taken" for one in records if before(one) is not None
    }
