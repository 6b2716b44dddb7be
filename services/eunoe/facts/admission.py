"""What a record asserts, in the form in which documents keep it. Pure.

The audit worker decides who may append what; here the same authority decides what it *means*, so that a
record can never say more than its writer was allowed to: an assertion of a permanent kind that no person
or caller made is a proposal of its thread, an approval counts from a person only. What was done to facts is
in `eunoe.facts.acts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import everyones, order
from eunoe.facts.values import blank, bounded, counted, cut, limit, one_line, ordered, zoned
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import FactApproved, FactMoved, FactRecorded, StatingEvent, TurnAborted, TurnCommitted
from eunoe.schemas.facts import (
    OTHERS_CLASSES,
    OWN_CLASS,
    Assertion,
    FactClass,
    Identity,
    Indexed,
    Provenance,
    Scope,
    Source,
    Stated,
)
from eunoe.schemas.records import Header, Record

DECIDERS = ("person", "caller")  # roles that state permanent facts without asking


@dataclass(frozen=True, slots=True)
class Told:
    """An assertion on its way into the document of ``identity``; ``content`` is kept apart."""

    stated: Stated
    content: str = ""

    @property
    def identity(self) -> Identity:
        return self.stated.fact.identity

    @property
    def indexed(self) -> Indexed:
        fact = self.stated.fact
        return Indexed(id=self.stated.id, identity=fact.identity, source=fact.source, order=order(self.stated))


def told(record: Record, kinds: Kinds) -> Iterator[Told]:
    """The assertions of a record, in order; one that says nothing, or is at the wrong place, is left out."""
    for index, event in enumerate(record.events):
        if isinstance(event, StatingEvent) and (fact := admitted(event, record.header, kinds)):
            yield _told(_took_part(fact, event, record), event.fact.content, record, index)


def admitted(event: StatingEvent, header: Header, kinds: Kinds) -> Assertion | None:
    """What an event asserts, as far as its writer may; None when that is nothing."""
    fact = event.fact
    value = cut(one_line(fact.value), limit(fact.identity.subject))
    identity, proposal = _placed(fact, header, kinds)
    if not _may(event, header) or not kinds.takes(fact.identity.subject, fact.method):
        return None
    if identity is None or not ordered(fact.valid_from, fact.valid_to):
        return None
    replaces = _short(fact.replaces) if identity.preview else ""
    removes = bool(replaces) and fact.removes
    if blank(value) and not removes:
        return None
    return msgspec.structs.replace(
        fact,
        identity=identity,
        value=value,
        source=_source(fact.source, header) if isinstance(event, FactRecorded) else _own(header),
        at=max(0, min(fact.at or header.time, header.time)),
        content="",
        provenance=_provenance(fact.provenance, header),
        fact_class=_class(fact.fact_class, identity, proposal),
        proposal=proposal,
        from_offset=fact.from_offset if zoned(fact.from_offset) else 0,
        to_offset=fact.to_offset if zoned(fact.to_offset) else 0,
        cites="" if isinstance(event, FactRecorded) else event.id,
        replaces=replaces,
        removes=removes,
    )


def _took_part(fact: Assertion, event: StatingEvent, record: Record) -> Assertion:
    """The assertion without the session that it claims to come from, where its agent can have had no turn in that.

    A record that ends turns does not say in which session they were, and is taken at its word.
    """
    header, session = record.header, fact.provenance.session
    if not session or header.role != "agent" or not isinstance(event, FactRecorded):
        return fact
    mine = {turn.session for turn in header.open.values() if turn.agent == header.principal}
    ended = any(isinstance(one, TurnCommitted | TurnAborted) for one in record.events)
    if ended or session in mine or session == subjects.chain_session(header.chain):
        return fact
    return msgspec.structs.replace(fact, provenance=msgspec.structs.replace(fact.provenance, session=""))


def _may(event: StatingEvent, header: Header) -> bool:
    """Only a person approves; into what is permanent, only a person or a program for one moves."""
    match event:
        case FactRecorded():
            return True
        case FactApproved():
            return header.role == "person"
        case FactMoved():
            return header.role in DECIDERS or event.fact.identity.scope != "permanent"


def _told(fact: Assertion, content: str, record: Record, index: int) -> Told:
    stated = Stated(
        id=event_id(record, index),
        position=record.position,
        index=index,
        fact=fact,
        recorded=record.header.time,
        has_content=bool(content),
    )
    return Told(stated, content)


def event_id(record: Record, index: int) -> str:
    """The id of a record's event: of the fact that it asserts, or of the act."""
    return ids.fact_id(record.header.chain, record.header.origin, index)


def _source(source: Source, header: Header) -> Source:
    """The role's own class and principal, or what a role that speaks for others says of them."""
    if source.kind not in OTHERS_CLASSES.get(header.role, ()):
        if header.role != "worker":
            return _own(header)
        source = msgspec.structs.replace(source, kind="model")
    return Source(kind=source.kind, principal=_short(source.principal), agent=_short(source.agent))


def _own(header: Header) -> Source:
    """What approves or moves speaks in its own name."""
    return Source(kind=OWN_CLASS.get(header.role) or "model", principal=header.principal)


def _provenance(given: Provenance, header: Header) -> Provenance:
    """Thread and agent are what the record's own subject says, not what its writer says; all of it is bounded, since
    documents keep it."""
    thread = subjects.chain_thread(header.chain)
    agent = header.principal if header.role == "agent" else given.agent
    return Provenance(
        agent=_short(agent),
        session=_short(given.session),
        thread=_short(thread or given.thread),
        turn=given.turn if counted(given.turn) else 0,
        entries=_counted(given.entries),
        positions=_counted(given.positions),
        tool=_short(given.tool),
        model=_short(given.model),
        detail=cut(one_line(given.detail), limits.VALUE_LENGTH),
    )


def _counted(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(number for number in numbers[: limits.ENTRIES_NAMED] if counted(number))


def _short(name: str) -> str:
    return bounded(name, limits.ID_BYTES)


def _placed(fact: Assertion, header: Header, kinds: Kinds) -> tuple[Identity | None, bool]:
    """The identity with its name as its kind writes it, and whether it is a proposal; None where it cannot be."""
    given = fact.identity
    thread = subjects.chain_thread(header.chain)
    permanent = "permanent" in (fact.fact_class, kinds[given.subject].fact_class)
    proposal = header.role not in DECIDERS and (everyones(given) or (given.scope != "permanent" and permanent))
    scope: Scope = "thread" if proposal else given.scope
    owner = thread if proposal else given.owner
    if scope == "thread" and (not thread or owner != thread):
        return None, proposal
    name = kinds.name(given.subject, given.name)
    try:
        ids.check(owner, scope)
        ids.check(given.subject, "subject")
        ids.check(name, "name", limits.NAME_BYTES)
        ids.check(given.preview or "live", "preview")
    except Invalid:
        return None, proposal
    return Identity(scope=scope, owner=owner, subject=given.subject, name=name, preview=given.preview), proposal


def _class(given: FactClass, identity: Identity, proposal: bool) -> FactClass:
    if proposal or identity.scope == "permanent":
        return "permanent"
    return "ephemeral" if identity.scope == "session" or given == "ephemeral" else "dynamic"
