"""From what a review decided to the events of its record: `Reviewed`, the records that it keeps, and those that it
retires. Pure: the same decisions give the same events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from eunoe.composition.blocks import spans
from eunoe.distillation.door import Turn
from eunoe.distillation.drawn import kept_aside
from eunoe.distillation.reviewing.deciding import Decided
from eunoe.distillation.reviewing.records import Known, Part, Place, text
from eunoe.extraction.secrets import redact
from eunoe.facts.values import cut, one_line
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Effort, Reviewed
from eunoe.schemas.events import Event, FactRecorded, FactRetired
from eunoe.schemas.facts import Assertion, Identity, Provenance

DETAIL = "a review of what was said"
REPLACED = "another record took its place"


def events(part: Part, decided: Decided, effort: Effort, since: Mapping[Identity, int]) -> tuple[Event, ...]:
    """What a review of an agent's turns comes to. ``since`` says from when on (ms UTC) a record may hold again that was
    retired, by its identity."""
    reviewed = msgspec.structs.replace(
        nothing(part),
        decisions=tuple(decided.decisions),
        set_aside=kept_aside(decided.set_aside),
        effort=effort,
    )
    return (reviewed, *_kept(part, decided, effort.model, since), *_ended(part, decided, effort.model))


def nothing(part: Part, failed: str = "") -> Reviewed:
    """A review that nothing came of, and why where something should have."""
    return Reviewed(
        first=part.of.first,
        last=part.of.last,
        turns=tuple(spans(sorted(turn.number for turn in part.turns))),
        agent=part.place.agent,
        failed=cut(redact(one_line(failed)), limits.REASON_LENGTH),
    )


def said_at(turn: Turn) -> int:
    """When the last of a turn was said (ms UTC)."""
    return max((one.at for one in turn.said), default=turn.at)


def _kept(part: Part, decided: Decided, model: str, since: Mapping[Identity, int]) -> Iterator[Event]:
    for one in decided.keeping:
        candidate = one.candidate
        assert candidate.turn is not None, "what is kept names its turn"
        about = part.place.identity(candidate.kind, text(candidate.summary, candidate.body))
        fact = _fact(part, about, candidate.turn, model)
        yield FactRecorded(
            fact=msgspec.structs.replace(
                fact,
                value=candidate.summary,
                content=candidate.body,
                at=max(fact.at, since.get(about, 0)),
                replaces=one.instead.id if one.instead and _live(one.instead, part.place) else "",
            )
        )


def _ended(part: Part, decided: Decided, model: str) -> Iterator[Event]:
    """The ends of records. What is live ends in a preview by what stands in its place there, or takes it away."""
    for one in decided.keeping:
        if one.instead and not _live(one.instead, part.place):
            yield FactRetired(id=one.instead.id, reason=one.candidate.reason or REPLACED)
    for record, reason in decided.retiring.values():
        if _live(record, part.place):
            yield FactRecorded(fact=_removing(part, record, model))
        else:
            yield FactRetired(id=record.id, reason=reason)


def _removing(part: Part, record: Known, model: str) -> Assertion:
    about = msgspec.structs.replace(record.identity, preview=part.place.preview)
    return msgspec.structs.replace(_fact(part, about, part.turns[-1], model), replaces=record.id, removes=True)


def _fact(part: Part, about: Identity, turn: Turn, model: str) -> Assertion:
    """What is asserted of an identity, by what was said in a turn; its order is that of the last of it."""
    said = turn.said[-limits.ENTRIES_NAMED :]
    return Assertion(
        identity=about,
        value="",
        source=part.place.source,
        at=said_at(turn),
        fact_class="ephemeral",
        method="inferred",
        provenance=Provenance(
            agent=part.place.agent,
            session=turn.session,
            thread=part.of.thread,
            turn=turn.number,
            entries=tuple(one.entry for one in said),
            positions=tuple(sorted({one.position for one in said})),
            model=model,
            detail=DETAIL,
        ),
    )


def _live(record: Known, place: Place) -> bool:
    """Whether a record is live while the review is of a preview."""
    return bool(place.preview) and not record.identity.preview
