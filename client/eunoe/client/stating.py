"""Facts as people and programs state them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.client.tickets import Receipt
from eunoe.facts.values import blank, limit
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.errors import Denied, Invalid
from eunoe.schemas.facts import OWN_CLASS, Assertion, FactClass, Identity, Provenance, Scope, Source
from eunoe.schemas.requests import FactView
from eunoe.schemas.subjects import Caller

_CLASSES: dict[Scope, FactClass] = {"permanent": "permanent", "session": "dynamic", "thread": "dynamic"}


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact that was stated: its id, empty while the outbox keeps it, and the receipt of its append."""

    id: str
    receipt: Receipt


def identity(subject: str, name: str, *, thread: str = "", session: str = "", owner: str = "") -> Identity:
    """Of a thread or a session when one is named; else permanent, of ``owner`` (an agent) or shared."""
    if sum(map(bool, (thread, session, owner))) > 1:
        raise Invalid("a fact belongs to one thread, one session or one owner; name only one of them")
    scope: Scope = "thread" if thread else "session" if session else "permanent"
    holder = thread or session or owner or "shared"
    return Identity(
        scope, ids.check(holder, "owner"), ids.check(subject, "subject"), ids.check(name, "name", limits.NAME_BYTES)
    )


def chain_of(about: Identity) -> str:
    """The chain that holds a fact's events: its thread's, or the book of its scope and owner."""
    if about.scope == "thread":
        return subjects.thread_chain(about.owner)
    return subjects.book_chain(about.scope, about.owner)


def assertion(caller: Caller, about: Identity, value: str, *, at: int, content: str = "") -> Assertion:
    """What ``caller`` states; raises `Invalid` for a value that is not one line within its limit."""
    check_value(value, limit(about.subject))
    if len(content.encode(errors="replace")) > limits.FACT_CONTENT_BYTES:
        raise Invalid(f"the content of a fact is at most {limits.FACT_CONTENT_BYTES // limits.KIB} KiB")
    return Assertion(
        identity=about,
        value=value,
        source=source(caller),
        at=at,
        content=content,
        fact_class=_CLASSES[about.scope],
        method="stated",
        provenance=Provenance(agent=caller.principal if caller.role == "agent" else ""),
    )


def approved(caller: Caller, proposal: FactView, at: int) -> Assertion:
    """A proposal as the person who approves it asserts it: permanent, and shared."""
    about = proposal.identity
    if about.scope != "permanent":
        about = Identity("permanent", "shared", about.subject, about.name)
    return assertion(caller, about, proposal.value, at=at)


def source(caller: Caller) -> Source:
    kind = OWN_CLASS.get(caller.role)
    if kind is None:
        raise Denied(f"{caller.kind} states no facts; connect as a person, caller, agent or tool")
    return Source(kind=kind, principal=caller.principal)


def check_value(value: str, most: int) -> None:
    if blank(value):
        raise Invalid("the value of a fact is empty")
    if len(value.splitlines()) != 1:
        raise Invalid("the value of a fact is one line; put more into its content")
    if len(value) > most:
        raise Invalid(f"the value is {len(value)} characters long; the limit is {most}, and the rest goes into content")
