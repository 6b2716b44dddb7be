"""Who may append what. Pure: role and principal come from the subject, which the server guards.

No payload can claim to be a person: a fact's source must be the class that belongs to the caller's role. A
person may also state what a caller stated, in that caller's name (an import carries it): it ranks below the
person's own. Whether a fact that an act names is the caller's own is decided where the fact is looked up
(`eunoe.audit.acts`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import get_args

from eunoe.audit import derived
from eunoe.facts.distilled import DISTILLATION, SUMMARISING
from eunoe.schemas import subjects
from eunoe.schemas.errors import Denied
from eunoe.schemas.events import (
    BookEvent,
    ConflictRaised,
    ConflictResolved,
    ContextEvent,
    Distilled,
    Event,
    Extracted,
    FactApproved,
    FactDeleted,
    FactLabelled,
    FactMoved,
    FactPinned,
    FactRecorded,
    FactRetired,
    HappenedEvent,
    Reviewed,
    SessionEnded,
    SessionStateSet,
    StatingEvent,
    Summarised,
    SummaryKept,
    ToolResult,
    TurnAborted,
    Usage,
)
from eunoe.schemas.facts import OTHERS_CLASSES, OWN_CLASS, Assertion
from eunoe.schemas.requests import AppendRequest
from eunoe.schemas.subjects import Caller, Role

SWEEPER = Caller("worker", "audit")  # aborts turns left open
FACTS = Caller("worker", "facts")  # says that sources disagree, and ends sessions that expired
COMPOSITION = Caller("worker", "composition")  # says what contexts are made of, and the task that a request is part of

SESSION_BOOKS = "book.session."  # how the chains of sessions begin

_HAPPENED: tuple[type[Event], ...] = get_args(HappenedEvent)
_CONTEXTS: tuple[type[Event], ...] = get_args(ContextEvent)
_OWN = (FactRecorded, FactRetired, FactMoved, FactLabelled, FactPinned)
_MAY: Mapping[Role, tuple[type[Event], ...]] = {
    "viewer": (),
    "worker": (Extracted, FactRecorded, *_CONTEXTS),
    "tool": (ToolResult, Usage, *_OWN),
    "agent": (*_HAPPENED, *_OWN, SessionStateSet),
    "caller": (*_HAPPENED, *_OWN, SessionStateSet, SessionEnded),
    "person": (*_HAPPENED, *_OWN, SessionStateSet, SessionEnded, FactDeleted, FactApproved),
}
_DUTIES: Mapping[Caller, tuple[type[Event], ...]] = {
    SWEEPER: (TurnAborted,),
    FACTS: (ConflictRaised, ConflictResolved, SessionEnded),
    DISTILLATION: (Distilled, Summarised, SummaryKept, Reviewed, FactRetired),
    SUMMARISING: (Summarised, SummaryKept),
}


# What a role may not do, in its user's words: what an event does, and the way out of those that people ask for.
_DEEDS: Mapping[type[Event], str] = dict.fromkeys(_CONTEXTS, "say what a request showed") | {
    ConflictRaised: "say that sources disagree",
    ConflictResolved: "say that sources agree again",
    Distilled: "say what was distilled",
    Extracted: "say what was extracted",
    FactApproved: "approve proposals",
    FactDeleted: "delete facts",
    FactLabelled: "label facts",
    FactMoved: "move facts",
    FactPinned: "pin facts",
    FactRecorded: "state facts",
    FactRetired: "retire facts",
    Reviewed: "say what was reviewed",
    SessionEnded: "end sessions",
    SessionStateSet: "set what a session carries",
    Summarised: "update summaries",
    SummaryKept: "say why a summary stays",
}
_RETIRES = "it may retire its own (`eunoe fact retire ID`), or a person deletes"
_WAYS_OUT: Mapping[tuple[Role, type[Event]], str] = {
    ("agent", FactDeleted): _RETIRES,
    ("caller", FactDeleted): _RETIRES,
    ("tool", FactDeleted): _RETIRES,
    ("agent", SessionEnded): "a person or a caller does, or it expires by itself",
    ("tool", SessionEnded): "a person or a caller does, or it expires by itself",
}


def check(caller: Caller, chain: str, request: AppendRequest) -> None:
    """Raise `Denied`, naming the first event that this caller may not append to this chain."""
    for event in request.events:
        check_role(caller, type(event))
        if isinstance(event, FactMoved):
            _check_move(caller, event.fact)
        if isinstance(event, StatingEvent):
            _check_source(caller, event)
            _check_inferred(caller, event.fact)
            _check_fact(caller, chain, event.fact)
        _check_place(chain, event)
    derived.check(caller, request.events)


def check_keeps(caller: Caller, events: Iterable[Event], keepers: Collection[str]) -> None:
    """Raise `Denied` for permanent facts of an agent's own, which it or a review of its turns states, where none of
    these patterns of names lets it keep any."""
    if caller.role != "agent" and caller != DISTILLATION:
        return
    stated = [event.fact.identity for event in events if isinstance(event, StatingEvent)]
    for owner in sorted({identity.owner for identity in stated if identity.scope == "permanent"}):
        if not any(fnmatchcase(owner, pattern) for pattern in keepers):
            raise Denied(
                f"the agent {owner!r} may not keep permanent facts of its own here: `permanent_agents` in the "
                "configuration names no agent like it; it can propose one in its own thread"
            )


def check_role(caller: Caller, kind: type[Event]) -> None:
    """Raise `Denied` for what this caller may do nowhere, with who may or what it may do instead."""
    if kind in _MAY[caller.role] or kind in _DUTIES.get(caller, ()):
        return
    deed = _DEEDS.get(kind, f"append {_tag(kind)}")
    way_out = _WAYS_OUT.get((caller.role, kind)) or _who_may(kind)
    raise Denied(f"{caller.kind} may not {deed}" + (f"; {way_out}" if way_out else ""))


def _who_may(kind: type[Event]) -> str:
    """``an agent, a caller or a person may``; nothing for what only workers do."""
    roles = [Caller(role, "").kind for role, kinds in _MAY.items() if kind in kinds and role != "worker"]
    listed = " or ".join(part for part in (", ".join(roles[:-1]), *roles[-1:]) if part)
    return f"{listed} may" if listed else ""


def _check_source(caller: Caller, event: StatingEvent) -> None:
    source = event.fact.source
    if source.kind in OTHERS_CLASSES.get(caller.role, ()) and isinstance(event, FactRecorded):
        return
    if source.kind != OWN_CLASS.get(caller.role):
        raise Denied(f"{caller.kind} cannot state a fact as a {source.kind}")
    if source.principal != caller.principal:
        raise Denied(f"the {caller.role} {caller.principal!r} cannot state a fact as {source.principal!r}")


def _check_inferred(caller: Caller, fact: Assertion) -> None:
    """Composition states nothing but the task that it inferred for a request: it is no tool's reporter."""
    where = (fact.identity.scope, fact.identity.subject)
    if caller == COMPOSITION and (*where, fact.source.kind, fact.method) != ("thread", "task", "model", "assessed"):
        raise Denied(f"{caller.kind} states no facts but the task that it took a request to be part of")


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
    if not thread and chain != subjects.home_chain(identity.scope, identity.owner):
        raise Denied(f"the book {chain!r} cannot hold a fact of {identity.scope} {identity.owner!r}")


def _check_move(caller: Caller, fact: Assertion) -> None:
    if fact.identity.scope == "permanent" and caller.role not in ("person", "caller"):
        raise Denied(f"{caller.kind} moves its own facts between thread and session; a person makes one permanent")


def _check_place(chain: str, event: Event) -> None:
    """Whether the chain is one for such an event: a book holds facts, and what is said of a session its own."""
    if not subjects.chain_thread(chain) and not isinstance(event, BookEvent):
        raise Denied(f"a book holds facts only, not {_name(event)}")
    if isinstance(event, SessionEnded | SessionStateSet) and not chain.startswith(SESSION_BOOKS):
        raise Denied(f"{_name(event)} belongs in the book of its session, not in {subjects.chain_name(chain)}")
    if isinstance(event, ConflictRaised | ConflictResolved):
        about = event.identity
        if chain != subjects.home_chain(about.scope, about.owner):
            raise Denied(f"{subjects.chain_name(chain)} holds no conflicts of {about.scope} {about.owner!r}")


def _may_write_permanent(caller: Caller, owner: str) -> bool:
    if owner == "shared":
        return caller.role in ("person", "caller")
    return caller.role in ("person", "caller", "worker") or (caller.role == "agent" and caller.principal == owner)


def _name(event: Event) -> str:
    return _tag(type(event))


def _tag(kind: type[Event]) -> str:
    return str(kind.__struct_config__.tag)
