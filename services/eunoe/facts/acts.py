"""What a record does to facts, in the form in which documents keep it: an act counts only from who may do it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from eunoe.facts.admission import admitted, event_id
from eunoe.facts.distilled import DISTILLATION
from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import WHOLE, author, lineage
from eunoe.facts.values import one_line
from eunoe.schemas import limits, subjects
from eunoe.schemas.events import (
    ConflictRaised,
    ConflictResolved,
    FactApproved,
    FactDeleted,
    FactLabelled,
    FactMoved,
    FactPinned,
    FactRetired,
    Reviewed,
    StatingEvent,
)
from eunoe.schemas.facts import OWN_CLASS, Act, ActKind, Assertion, Identity, Indexed, Source
from eunoe.schemas.records import Header, Record
from eunoe.schemas.subjects import Caller

ActEvent = FactRetired | FactDeleted | FactApproved | FactMoved | FactLabelled | FactPinned
"""Events that do something to a fact which they name by its id."""


@dataclass(frozen=True, slots=True)
class Review:
    """What a record tells of reviews: the agents whose records they may retire, and the subjects that records have."""

    agents: frozenset[str]
    subjects: frozenset[str]


@dataclass(frozen=True, slots=True)
class Done:
    """An act whose target is named by its id alone; `act` makes it one of the target's document.

    ``fact`` is what it asserts in its target's place: of an approval or a move. ``review`` is the one that it is part
    of.
    """

    event: ActEvent
    id: str
    header: Header
    position: int
    index: int
    fact: Assertion | None = None
    review: Review | None = None


def done(record: Record, kinds: Kinds) -> Iterator[Done]:
    """The acts of a record on one fact each, in order; one that would put nothing in a fact's place is left out."""
    review = _review(record, kinds)
    for index, event in enumerate(record.events):
        if not isinstance(event, ActEvent):
            continue
        fact = admitted(event, record.header, kinds) if isinstance(event, StatingEvent) else None
        if fact or not isinstance(event, StatingEvent):
            yield Done(event, event_id(record, index), record.header, record.position, index, fact, review)


def whole(record: Record) -> Iterator[tuple[Identity, Act]]:
    """What a record tells of identities as a whole, in order: that their sources began or ceased to disagree."""
    header = record.header
    for index, event in enumerate(record.events):
        if isinstance(event, ConflictRaised | ConflictResolved) and header.role == "worker":
            kept = Act(
                id=event_id(record, index),
                kind="raised" if isinstance(event, ConflictRaised) else "resolved",
                target="",
                lineage=WHOLE,
                order=(0, 0, 0),
                by=f"{header.role} {header.principal}",
                at=header.time,
                position=record.position,
                index=index,
                recorded=header.time,
                ids=event.facts,
            )
            yield event.identity, kept


def act(what: Done, target: Indexed) -> Act | None:
    """The act as its target's document keeps it; None when who did it may not do it or not there, or when it would
    end what it asserts."""
    if not may(what, target) or not heard(what.header.chain, target.identity) or in_place(what, target):
        return None
    event, header = what.event, what.header
    labels = event if isinstance(event, FactLabelled) else FactLabelled(id=event.id)
    return Act(
        id=what.id,
        kind=_kind(event),
        target=target.id,
        lineage=lineage(target.source),
        order=target.order,
        by=f"{header.role} {header.principal}",
        at=max(header.time, target.order[0]),
        position=what.position,
        index=what.index,
        recorded=header.time,
        reason=one_line(event.reason) if isinstance(event, FactRetired | FactDeleted | FactMoved) else "",
        author=author(target.source),
        add=_numbers(labels.add),
        remove=_numbers(labels.remove),
    )


def _kind(event: ActEvent) -> ActKind:
    match event:
        case FactRetired():
            return "retired"
        case FactDeleted():
            return "deleted"
        case FactApproved():
            return "approved"
        case FactMoved():
            return "moved"
        case FactLabelled():
            return "labelled"
        case FactPinned(pinned=True):
            return "pinned"
        case FactPinned():
            return "unpinned"


def _numbers(labels: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({number for number in labels if 1 <= number <= limits.LABEL_NUMBER}))


def may(what: Done, target: Indexed) -> bool:
    """A person does everything but take back what another said; anyone else acts on what is its own, and a review on
    its agent's records."""
    match what.event:
        case FactRetired():
            return own(what.header.caller, target.source) or _reviewable(what.review, target)
        case FactDeleted() | FactApproved():
            return what.header.role == "person"
        case FactLabelled() | FactPinned() | FactMoved():
            return what.header.role == "person" or own(what.header.caller, target.source)


def in_place(what: Done, target: Indexed) -> bool:
    """Whether what is asserted is of the very lineage that the act would end."""
    fact = what.fact
    return fact is not None and (fact.identity, lineage(fact.source)) == (target.identity, lineage(target.source))


def heard(chain: str, about: Identity) -> bool:
    """Whether an act stands where the history of its target is read: of a thread's fact, there or in a book."""
    return about.scope != "thread" or subjects.chain_thread(chain) in ("", about.owner)


def _review(record: Record, kinds: Kinds) -> Review | None:
    agents = frozenset(event.agent for event in record.events if isinstance(event, Reviewed) and event.agent)
    if not agents or record.header.caller != DISTILLATION:
        return None
    return Review(agents, frozenset(name for name, kind in kinds.items() if kind.record))


def _reviewable(review: Review | None, target: Indexed) -> bool:
    """Whether a fact is a memory record, of a session or its own, that an agent of these reviews keeps."""
    about, source = target.identity, target.source
    if review is None or about.subject not in review.subjects or source.principal not in review.agents:
        return False
    place = about.scope == "session" or (about.scope, about.owner) == ("permanent", source.principal)
    return place and source.kind == "model"


def own(caller: Caller, source: Source) -> bool:
    """Whether a caller is who asserts so: what a tool returned is the agent's that appended it."""
    if caller.role == "agent" and source.kind == "tool":
        return source.agent == caller.principal
    if OWN_CLASS.get(caller.role) != source.kind or source.principal != caller.principal:
        return False
    return source.kind != "tool" or not source.agent
