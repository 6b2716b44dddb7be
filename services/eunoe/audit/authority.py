"""Who may append what. Pure: role and principal come from the subject, which the server guards.

No payload can claim to be a person: a fact's source must be the class that belongs to the caller's role. A
person may also state what a caller stated, in that caller's name (an import carries it): it ranks below the
person's own.
"""

from __future__ import annotations

from eunoe.schemas import subjects
from eunoe.schemas.errors import Denied
from eunoe.schemas.events import (
    ContextComposed,
    Event,
    Extracted,
    FactApproved,
    FactDeleted,
    FactRecorded,
    FactRetired,
    MemoryUsed,
    ToolResult,
    TurnAborted,
    Usage,
)
from eunoe.schemas.facts import OTHERS_CLASSES, OWN_CLASS, Assertion
from eunoe.schemas.requests import AppendRequest
from eunoe.schemas.subjects import Caller

SWEEPER = Caller("worker", "audit")  # aborts turns left open

_WORKER_EVENTS = (Extracted, FactRecorded, ContextComposed, MemoryUsed)
_FACT_EVENTS = (FactRecorded, FactRetired, FactDeleted, FactApproved)


def check(caller: Caller, chain: str, request: AppendRequest) -> None:
    """Raise `Denied`, naming the first event that this caller may not append to this chain."""
    for event in request.events:
        if not _may(caller, event):
            raise Denied(f"{caller.kind} may not append {_name(event)}")
        if isinstance(event, FactRecorded | FactApproved):
            _check_source(caller, event)
            _check_fact(caller, chain, event.fact)
        if not subjects.chain_thread(chain) and not isinstance(event, _FACT_EVENTS):
            raise Denied(f"a book holds facts only, not {_name(event)}")


def _may(caller: Caller, event: Event) -> bool:
    match caller.role:
        case "viewer":
            return False
        case "worker":
            return isinstance(event, _WORKER_EVENTS) or (caller == SWEEPER and isinstance(event, TurnAborted))
        case "tool":
            return isinstance(event, ToolResult | Usage | FactRecorded)
        case "agent":
            return not isinstance(event, (Extracted, ContextComposed, MemoryUsed, FactDeleted, FactApproved))
        case "caller":
            return not isinstance(event, (Extracted, ContextComposed, MemoryUsed, FactDeleted, FactApproved))
        case "person":
            return not isinstance(event, (Extracted, ContextComposed, MemoryUsed))


def _check_source(caller: Caller, event: FactRecorded | FactApproved) -> None:
    source = event.fact.source
    if source.kind in OTHERS_CLASSES.get(caller.role, ()) and isinstance(event, FactRecorded):
        return
    if source.kind != OWN_CLASS.get(caller.role):
        raise Denied(f"{caller.kind} cannot state a fact as a {source.kind}")
    if source.principal != caller.principal:
        raise Denied(f"the {caller.role} {caller.principal!r} cannot state a fact as {source.principal!r}")


def _check_fact(caller: Caller, chain: str, fact: Assertion) -> None:
    identity = fact.identity
    if identity.scope == "permanent" and not _may_write_permanent(caller, identity.owner):
        raise Denied(
            f"{caller.kind} cannot write the permanent facts of {identity.owner!r}; "
            "it can propose one in its own thread"
        )
    thread = subjects.chain_thread(chain)
    if thread and identity.scope == "thread" and identity.owner != thread:
        raise Denied(f"the thread {thread!r} cannot hold a fact of the thread {identity.owner!r}")
    if not thread and chain != subjects.book_chain(identity.scope, identity.owner):
        raise Denied(f"the book {chain!r} cannot hold a fact of {identity.scope} {identity.owner!r}")


def _may_write_permanent(caller: Caller, owner: str) -> bool:
    if owner == "shared":
        return caller.role in ("person", "caller")
    return caller.role in ("person", "caller", "worker") or (caller.role == "agent" and caller.principal == owner)


def _name(event: Event) -> str:
    return str(type(event).__struct_config__.tag)
