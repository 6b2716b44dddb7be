"""What of a record's fact events becomes part of a document, and in which form. Pure.

The audit worker decides who may append what; here the same authority decides what it *means*, so that a
record can never say more than its writer was allowed to: an assertion of a permanent kind that no person
or caller made is a proposal of its thread, an act counts only from who may do it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import everyones, lineage, order
from eunoe.facts.values import blank, cut, limit, one_line
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import FactApproved, FactDeleted, FactRecorded, FactRetired
from eunoe.schemas.facts import (
    OTHERS_CLASSES,
    OWN_CLASS,
    Act,
    ActKind,
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

_TRUSTED = ("person", "caller")


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


@dataclass(frozen=True, slots=True)
class Done:
    """An act whose target is named by its id alone; `act` makes it one of the target's document."""

    event: FactRetired | FactDeleted | FactApproved
    id: str
    header: Header
    position: int
    index: int


def told(record: Record, kinds: Kinds) -> Iterator[Told]:
    """The assertions of a record, in order; one that says nothing, or is at the wrong place, is left out."""
    for index, event in enumerate(record.events):
        if isinstance(event, FactApproved) and record.header.role != "person":
            continue
        if isinstance(event, FactRecorded | FactApproved):
            fact = _admitted(event.fact, record.header, kinds)
            if fact is not None:
                yield _told(fact, event.fact.content, record, index)


def done(record: Record) -> Iterator[Done]:
    """The acts of a record, in order."""
    for index, event in enumerate(record.events):
        if isinstance(event, FactRetired | FactDeleted | FactApproved):
            yield Done(event, _id(record, index), record.header, record.position, index)


def act(what: Done, target: Indexed) -> Act | None:
    """The act as its target's document keeps it; None when who did it may not."""
    if not _may(what, target.source):
        return None
    return Act(
        id=what.id,
        kind=_kind(what.event),
        target=target.id,
        lineage=lineage(target.source),
        order=target.order,
        by=f"{what.header.role} {what.header.principal}",
        at=max(what.header.time, target.order[0]),
        position=what.position,
        index=what.index,
        reason="" if isinstance(what.event, FactApproved) else one_line(what.event.reason),
    )


def _kind(event: FactRetired | FactDeleted | FactApproved) -> ActKind:
    match event:
        case FactRetired():
            return "retired"
        case FactDeleted():
            return "deleted"
        case FactApproved():
            return "approved"


def _may(what: Done, source: Source) -> bool:
    if what.header.role == "person":
        return not isinstance(what.event, FactRetired) or _own(what.header, source)
    return isinstance(what.event, FactRetired) and _own(what.header, source)


def _own(header: Header, source: Source) -> bool:
    if header.role == "agent" and source.kind == "tool":
        return source.agent == header.principal
    return OWN_CLASS.get(header.role) == source.kind and source.principal == header.principal


def _told(fact: Assertion, content: str, record: Record, index: int) -> Told:
    stated = Stated(id=_id(record, index), position=record.position, index=index, fact=fact, has_content=bool(content))
    return Told(stated, content)


def _id(record: Record, index: int) -> str:
    return ids.fact_id(record.header.chain, record.header.origin, index)


def _admitted(fact: Assertion, header: Header, kinds: Kinds) -> Assertion | None:
    value = cut(one_line(fact.value), limit(fact.identity.subject))
    identity, proposal = _placed(fact, header, kinds)
    if blank(value) or identity is None:
        return None
    return msgspec.structs.replace(
        fact,
        identity=identity,
        value=value,
        source=_source(fact.source, header),
        at=min(fact.at or header.time, header.time),
        content="",
        provenance=_provenance(fact.provenance, header),
        fact_class=_class(fact.fact_class, identity, proposal),
        proposal=proposal,
    )


def _source(source: Source, header: Header) -> Source:
    """The role's own class and principal, or what a role that speaks for others says of them."""
    if source.kind in OTHERS_CLASSES.get(header.role, ()):
        return source
    if header.role == "worker":
        return msgspec.structs.replace(source, kind="model")
    return Source(kind=OWN_CLASS.get(header.role) or "model", principal=header.principal)


def _provenance(given: Provenance, header: Header) -> Provenance:
    """Thread and agent are what the record's own subject says, not what its writer says."""
    thread = subjects.chain_thread(header.chain)
    agent = header.principal if header.role == "agent" else given.agent
    return msgspec.structs.replace(given, thread=thread or given.thread, agent=agent)


def _placed(fact: Assertion, header: Header, kinds: Kinds) -> tuple[Identity | None, bool]:
    """The identity with its name as its kind writes it, and whether it is a proposal; None where it cannot be."""
    given = fact.identity
    thread = subjects.chain_thread(header.chain)
    permanent = "permanent" in (fact.fact_class, kinds[given.subject].fact_class)
    proposal = header.role not in _TRUSTED and (everyones(given) or (given.scope == "thread" and permanent))
    scope: Scope = "thread" if proposal else given.scope
    owner = thread if proposal else given.owner
    if scope == "thread" and (not thread or owner != thread):
        return None, proposal
    name = kinds.name(given.subject, given.name)
    try:
        ids.check(owner, scope)
        ids.check(given.subject, "subject")
        ids.check(name, "name", limits.NAME_BYTES)
    except Invalid:
        return None, proposal
    return Identity(scope=scope, owner=owner, subject=given.subject, name=name), proposal


def _class(given: FactClass, identity: Identity, proposal: bool) -> FactClass:
    if proposal or identity.scope == "permanent":
        return "permanent"
    return "ephemeral" if identity.scope == "session" or given == "ephemeral" else "dynamic"
