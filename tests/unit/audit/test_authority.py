"""Who may append what: every event by every role, to its own places and to others' (F73, F83)."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from recipes import recipe

from eunoe.audit import authority
from eunoe.schemas import subjects
from eunoe.schemas.errors import Denied
from eunoe.schemas.events import (
    ConflictRaised,
    ConflictResolved,
    ContextComposed,
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
    MemoryUsed,
    SessionEnded,
    SessionStateSet,
    ToolCall,
    ToolResult,
    Usage,
)
from eunoe.schemas.facts import OWN_CLASS, Assertion, Identity, Method, Scope, Source, SourceClass
from eunoe.schemas.requests import AppendRequest
from eunoe.schemas.subjects import Caller, Role

HERE = "thread.t"
SESSION = subjects.book_chain("session", "s")
SHARED = subjects.book_chain("permanent", "shared")
OWN = subjects.book_chain("permanent", "ann")
OTHERS = subjects.book_chain("permanent", "bob")
ID = "faaaaaaaaaa"
RECIPE = recipe()
WORKERS = ("audit", "extraction", "facts", "composition")
HAPPENED: tuple[type[Event], ...] = get_args(HappenedEvent)
ACTS: tuple[type[Event], ...] = (FactRetired, FactLabelled, FactPinned)


def caller(role: Role) -> Caller:
    return Caller(role, "ann")


def may(who: Caller, chain: str, event: Event) -> bool:
    try:
        authority.check(who, chain, AppendRequest(v=1, producer="p", n=1, events=(event,)))
    except Denied:
        return False
    return True


def fact(who: Caller, scope: Scope, owner: str, kind: SourceClass | None = None, as_: str = "ann") -> Assertion:
    """As the caller's own statement, or as that of another class or principal."""
    source = Source(kind=kind or OWN_CLASS.get(who.role, "model"), principal=as_)
    return Assertion(identity=Identity(scope, owner, "note", "n"), value="v", source=source, at=0)


def made(kind: type[Event], who: Caller) -> tuple[str, Event]:
    """An event of a kind, and the chain where one of its writer would put it."""
    mine = fact(who, "thread", "t")
    needed: dict[type[Event], dict[str, object]] = {
        ToolCall: {"call": "c", "tool": "x"},
        ToolResult: {"call": "c"},
        FactRecorded: {"fact": mine},
        FactApproved: {"id": ID, "fact": mine},
        FactMoved: {"id": ID, "fact": mine},
        FactLabelled: {"id": ID, "add": (1,)},
        FactRetired: {"id": ID},
        FactDeleted: {"id": ID},
        FactPinned: {"id": ID},
        ConflictRaised: {"identity": mine.identity},
        ConflictResolved: {"identity": mine.identity},
        SessionStateSet: {"state": "{}"},
        Extracted: {"turn": 1, "ordinal": 1},
        ContextComposed: {"recipe": RECIPE},
        MemoryUsed: {"context": "c", "turn": 1},
    }
    fields = msgspec.to_builtins(needed.get(kind, {}))
    event = msgspec.convert({"type": kind.__struct_config__.tag, **fields}, kind)
    return (SESSION if kind in (SessionEnded, SessionStateSet) else HERE), event


STATED: set[type[Event]] = {FactRecorded, FactMoved, *ACTS}
ALLOWED: dict[Role, set[type[Event]]] = {
    "viewer": set(),
    "tool": {ToolResult, Usage, *STATED},
    "agent": {*HAPPENED, *STATED, SessionStateSet},
    "caller": {*HAPPENED, *STATED, SessionStateSet, SessionEnded},
    "person": {*HAPPENED, *STATED, SessionStateSet, SessionEnded, FactDeleted, FactApproved},
    "worker": {Extracted, FactRecorded, ContextComposed, MemoryUsed},
}
EVENTS: tuple[type[Event], ...] = (
    *HAPPENED,
    *sorted(STATED, key=lambda kind: kind.__name__),
    FactDeleted,
    FactApproved,
    ConflictRaised,
    ConflictResolved,
    SessionEnded,
    SessionStateSet,
    Extracted,
    ContextComposed,
    MemoryUsed,
)


@pytest.mark.parametrize("role", subjects.ROLES)
def test_each_role_appends_its_own_events_and_no_others(role: Role) -> None:
    """The whole matrix of events by role, each where its writer would put it."""
    who = caller(role)

    assert {kind for kind in EVENTS if may(who, *made(kind, who))} == ALLOWED[role]


@pytest.mark.parametrize(
    ("role", "kind", "says"),
    [
        (
            "agent",
            FactDeleted,
            "an agent may not delete facts; it may retire its own (`eunoe fact retire ID`), or a person deletes",
        ),
        (
            "caller",
            FactDeleted,
            "a caller may not delete facts; it may retire its own (`eunoe fact retire ID`), or a person deletes",
        ),
        ("viewer", FactDeleted, "a viewer may not delete facts; a person may"),
        ("agent", FactApproved, "an agent may not approve proposals; a person may"),
        ("agent", SessionEnded, "an agent may not end sessions; a person or a caller does, or it expires by itself"),
        ("tool", SessionStateSet, "a tool may not set what a session carries; an agent, a caller or a person may"),
        ("viewer", FactPinned, "a viewer may not pin facts; a tool, an agent, a caller or a person may"),
        ("person", Extracted, "a person may not say what was extracted"),
    ],
)
def test_what_a_role_may_not_do_is_said_in_its_words(role: Role, kind: type[Event], says: str) -> None:
    """What it may not do, and who may, or what it may do instead."""
    who = caller(role)
    chain, event = made(kind, who)

    with pytest.raises(Denied) as refused:
        authority.check(who, chain, AppendRequest(v=1, producer="p", n=1, events=(event,)))

    assert str(refused.value) == says


@pytest.mark.parametrize("name", WORKERS)
def test_each_worker_has_its_duties(name: str) -> None:
    """Audit aborts idle turns, the facts worker tells of conflicts and ends sessions; no other worker does. Composition
    may state next to nothing."""
    who = Caller("worker", name)
    own: dict[str, set[type[Event]]] = {
        "audit": {kind for kind in HAPPENED if kind.__name__ == "TurnAborted"},
        "facts": {ConflictRaised, ConflictResolved, SessionEnded},
    }

    lacks = {FactRecorded} if name == "composition" else set[type[Event]]()

    assert {kind for kind in EVENTS if may(who, *made(kind, who))} == (ALLOWED["worker"] | own.get(name, set())) - lacks


@pytest.mark.parametrize(
    ("scope", "subject", "kind", "method", "expected"),
    [
        ("thread", "task", "model", "assessed", True),
        ("thread", "task", "model", "distilled", False),
        ("thread", "task", "tool", "assessed", False),
        ("thread", "task", "person", "assessed", False),
        ("thread", "note", "model", "assessed", False),
        ("session", "task", "model", "assessed", False),
    ],
)
def test_composition_states_nothing_but_the_task_of_a_request(
    scope: Scope, subject: str, kind: SourceClass, method: Method, expected: bool
) -> None:
    """By a model, as assessed, in its thread; so it can put no word into a tool's or a person's mouth."""
    source, identity = Source(kind=kind, principal="ann"), Identity(scope, "t", subject, "current")
    event = FactRecorded(fact=Assertion(identity=identity, value="v", source=source, at=0, method=method))

    assert may(Caller("worker", "composition"), HERE, event) == expected


@pytest.mark.parametrize("role", [role for role in subjects.ROLES if role != "worker"])
@pytest.mark.parametrize("kind", ["person", "caller", "tool", "model"])
@pytest.mark.parametrize("principal", ["ann", "bob"])
def test_no_payload_claims_to_be_another(role: Role, kind: SourceClass, principal: str) -> None:
    """Stated, approved or moved: only as oneself. A person alone carries what a caller stated, and only states it."""
    who = caller(role)
    claimed = fact(who, "thread", "t", kind, principal)
    honest = kind == OWN_CLASS.get(role) and principal == "ann"
    carried = role == "person" and kind == "caller"

    assert may(who, HERE, FactRecorded(fact=claimed)) == (honest or carried)
    assert may(who, HERE, FactMoved(id=ID, fact=claimed)) == honest
    assert may(who, HERE, FactApproved(id=ID, fact=claimed)) == (honest and role == "person")


PLACES: list[tuple[str, Scope, str]] = [
    (HERE, "thread", "t"),
    (HERE, "thread", "other"),
    (HERE, "session", "s"),
    (HERE, "permanent", "shared"),
    (HERE, "permanent", "ann"),
    (HERE, "permanent", "bob"),
    (SESSION, "session", "s"),
    (SESSION, "session", "other"),
    (SESSION, "permanent", "shared"),
    (SESSION, "thread", "t"),
    (SHARED, "permanent", "shared"),
    (SHARED, "permanent", "ann"),
    (SHARED, "session", "s"),
    (OWN, "permanent", "ann"),
    (OTHERS, "permanent", "bob"),
]
OPEN = {
    (HERE, "thread", "t"),
    (HERE, "session", "s"),
    (SESSION, "session", "s"),
}  # an agent's turns are looked at later
EVERYONES = {(HERE, "permanent", "shared"), (SHARED, "permanent", "shared")}
MINE = {(HERE, "permanent", "ann"), (OWN, "permanent", "ann")}
BOBS = {(HERE, "permanent", "bob"), (OTHERS, "permanent", "bob")}
STATES: dict[Role, set[tuple[str, str, str]]] = {
    "viewer": set(),
    "tool": OPEN,
    "agent": OPEN | MINE,
    "caller": OPEN | EVERYONES | MINE | BOBS,
    "person": OPEN | EVERYONES | MINE | BOBS,
    "worker": OPEN | MINE | BOBS,
}


@pytest.mark.parametrize("role", subjects.ROLES)
def test_facts_are_stated_in_their_own_place_by_who_may_write_there(role: Role) -> None:
    """Every scope and owner in every chain: a foreign one is denied."""
    who = caller(role)
    found = {
        place for place in PLACES if may(who, place[0], FactRecorded(fact=fact(who, place[1], place[2], kind=None)))
    }

    assert found == STATES[role]


@pytest.mark.parametrize("role", subjects.ROLES)
def test_only_people_and_their_programs_make_a_fact_permanent(role: Role) -> None:
    """An agent moves between thread and session, and nothing into its own permanent facts either."""
    who = caller(role)
    found = {place for place in PLACES if may(who, place[0], FactMoved(id=ID, fact=fact(who, place[1], place[2])))}
    everywhere = OPEN | EVERYONES | MINE | BOBS

    assert found == {"agent": OPEN, "tool": OPEN, "caller": everywhere, "person": everywhere}.get(role, set())


@pytest.mark.parametrize("event", [SessionEnded(), SessionStateSet(state="{}")])
@pytest.mark.parametrize("chain", [HERE, SHARED, OWN, subjects.ERASURES])
def test_what_is_said_of_a_session_stands_in_its_book(event: Event, chain: str) -> None:
    """In no thread and in no other book."""
    assert not may(caller("person"), chain, event)


def test_a_conflict_is_logged_at_home() -> None:
    """In the chain of its identity, and in no other."""
    raised = ConflictRaised(identity=Identity("permanent", "shared", "note", "n"))

    assert may(authority.FACTS, SHARED, raised)
    assert not any(may(authority.FACTS, chain, raised) for chain in (HERE, SESSION, OWN))
