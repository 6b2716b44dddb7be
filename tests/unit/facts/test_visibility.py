"""Who sees which fact: the predicate itself, row by row, and every way of reading held against it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from desks import NOON
from fact_desks import PERSON, FactDesk, recorded
from fact_workers import facts_worker

from eunoe.composition.place import Place
from eunoe.composition.remembered import Memory
from eunoe.facts.visibility import Viewer, parts, seen, visible
from eunoe.facts.worker import FactsWorker
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.errors import Invalid, NotFound
from eunoe.schemas.events import FactDeleted, FactRecorded, FactRetired, SessionEnded
from eunoe.schemas.facts import Identity, Scope, SessionRecord
from eunoe.schemas.requests import (
    FactReply,
    FactRequest,
    FactsReply,
    FactsRequest,
    SessionReply,
    SessionRequest,
    TracesReply,
    TracesRequest,
    WhyReply,
    WhyRequest,
)
from eunoe.schemas.subjects import Address, Caller

AGENT, OTHER, TOOL = Caller("agent", "builder"), Caller("agent", "other"), Caller("tool", "bash")
TRUSTED = [Caller(role, "x") for role in ("person", "caller", "viewer", "worker")]
OWNERS: dict[str, tuple[Scope, str]] = {
    "shared": ("permanent", "shared"),
    "own": ("permanent", "builder"),
    "foreign": ("permanent", "other"),
    "thread": ("thread", "t"),
    "thread2": ("thread", "t2"),
    "session": ("session", "s"),
    "session2": ("session", "s2"),
}

# Who looks from where, and what of `OWNERS` there is to see.
ROWS: list[tuple[Viewer, str]] = [
    *((Viewer(caller), "shared own foreign thread thread2 session session2") for caller in TRUSTED),
    (Viewer(AGENT), "shared own"),
    (Viewer(AGENT, "t"), "shared own thread"),
    (Viewer(AGENT, "", "s"), "shared own session"),
    (Viewer(AGENT, "t", "s"), "shared own thread session"),
    (Viewer(AGENT, "t2", "s2"), "shared own thread2 session2"),
    (Viewer(OTHER, "t", "s2"), "shared foreign thread session2"),
    (Viewer(TOOL), "shared"),
    (Viewer(TOOL, "t", "s"), "shared thread session"),
    (Viewer(Caller("tool", "builder")), "shared"),
    (Viewer(Caller("agent", "shared")), "shared"),
    (Viewer(Caller("agent", "t"), "s", "t"), "shared"),
]


def about(name: str, preview: str = "") -> Identity:
    scope, owner = OWNERS[name]
    return Identity(scope, owner, "note", "n", preview)


@pytest.mark.parametrize(("viewer", "expected"), ROWS, ids=lambda row: row if isinstance(row, str) else "")
@pytest.mark.parametrize("preview", ["", "p"])
def test_the_predicate_row_by_row(viewer: Viewer, expected: str, preview: str) -> None:
    """F80: every kind of viewer at every kind of owner; a preview's facts are seen by who looks at that preview."""
    looking = Viewer(viewer.caller, viewer.thread, viewer.session, "p")
    elsewhere = Viewer(viewer.caller, viewer.thread, viewer.session, "q")

    assert [name for name in OWNERS if visible(about(name, preview), looking)] == expected.split()
    for other in (viewer, elsewhere):
        found = [name for name in OWNERS if visible(about(name, preview), other)]
        assert found == ([] if preview else expected.split())


@pytest.mark.parametrize(("expires_at", "expected"), [(0, True), (NOON - 1, False), (NOON, False), (NOON + 1, True)])
def test_nobody_sees_what_an_expired_session_holds(expires_at: int, expected: bool) -> None:
    """It expires at the very millisecond; nobody's role makes an exception, and other scopes have no expiry."""
    session = SessionRecord(v=1, session="s", expires_at=expires_at)

    for caller in (*TRUSTED, AGENT, TOOL):
        viewer = Viewer(caller, "t", "s")
        assert seen(about("session"), viewer, session, NOON) == expected
        assert seen(about("session"), viewer, None, NOON)
        assert seen(about("thread"), viewer, session, NOON)


ODD = ["1", "10", "a.b", "a.bc", "*", ">", "a*", "_", "%", "a b", "a/b", "\N{ROCKET}"]


@pytest.mark.parametrize("name", ODD)
def test_names_are_whole_and_have_no_wildcards(name: str) -> None:
    """F71, F72, F76: a viewer in one place sees no other whose name begins alike or looks like a pattern."""
    for scope in ("thread", "session"):
        found = [one for one in ODD if visible(Identity(scope, one, "note", "n"), Viewer(AGENT, name, name))]
        assert found == [name]
    assert [one for one in ODD if visible(Identity("permanent", one, "note", "n"), Viewer(Caller("agent", name)))] == [
        name
    ]


@pytest.mark.parametrize("caller", [AGENT, TOOL])
@pytest.mark.parametrize("scope", ["thread", "session"])
def test_an_agent_that_names_no_place_is_shown_no_place(caller: Caller, scope: Scope) -> None:
    """F82: no thread or session is none, never any; where only that was asked for, it is refused."""
    with pytest.raises(Invalid):
        parts(FactsRequest(scope=scope), Viewer(caller))
    assert {part.owner for part in parts(FactsRequest(), Viewer(caller))} <= {"shared", "builder"}
    assert {part.scope for part in parts(FactsRequest(), Viewer(caller))} == {"permanent"}


# Every way of reading


@dataclass
class Space:
    """Facts of every owner, live and in a preview, some of them deleted, retired, expired or ended; by their value."""

    desk: FactDesk
    worker: FactsWorker
    memory: Memory
    facts: dict[str, tuple[str, Identity]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)

    async def ask(self, verb: str, request: Any, reply: type[Any], viewer: Viewer) -> Any:
        chain = subjects.thread_chain(viewer.thread) if viewer.thread else ""
        data = await self.worker.handlers()[verb](Address(verb, viewer.caller, chain), msgspec.json.encode(request))
        return msgspec.json.decode(data, type=reply)

    async def finds(self, verb: str, request: Any, reply: type[Any], viewer: Viewer) -> bool:
        try:
            await self.ask(verb, request, reply, viewer)
        except NotFound:
            return False
        return True


async def _state(desk: FactDesk, value: str, identity: Identity) -> str:
    event = recorded(
        value, subject="note", name=value, scope=identity.scope, owner=identity.owner, kind="person", who="ada"
    )
    told = msgspec.structs.replace(
        event.fact, identity=msgspec.structs.replace(event.fact.identity, preview=identity.preview)
    )
    chain = subjects.home_chain(identity.scope, identity.owner)
    reply = await desk.write(chain, FactRecorded(fact=told), caller=PERSON)
    return ids.fact_id(chain, reply.origin, 0)


@asynccontextmanager
async def space_of(folder: Path) -> AsyncIterator[Space]:
    desk = FactDesk(folder)
    worker = facts_worker(desk)
    found = Space(desk, worker, Memory(desk.store, desk.kinds, desk.clock))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        tasks.start_soon(found.memory.run)
        await _fill(found)
        yield found
        tasks.cancel_scope.cancel()


async def _fill(space: Space) -> None:
    desk = space.desk
    sessions = {"expired": ("session", "old"), "ended": ("session", "over")}
    early: dict[str, Identity] = {
        name: Identity(scope, owner, "note", name)  # type: ignore[arg-type]  # literals
        for name, (scope, owner) in sessions.items()
    }
    late = {name: about(name) for name in OWNERS} | {f"{name}-p": about(name, "p") for name in OWNERS}
    late |= {f"{name}-x": about(name) for name in OWNERS}
    for value, identity in early.items():
        space.facts[value] = (await _state(desk, value, identity), identity)
    await desk.write(subjects.book_chain("session", "over"), SessionEnded(), caller=PERSON)
    desk.clock.advance(seconds=limits.SESSION_SECONDS)
    for value, identity in late.items():
        space.facts[value] = (await _state(desk, value, identity), identity)
    await desk.catch_up()
    for number, name in enumerate(OWNERS):
        fact, identity = space.facts[f"{name}-x"]
        event = FactDeleted(id=fact) if number % 2 else FactRetired(id=fact)
        await desk.write(subjects.home_chain(identity.scope, identity.owner), event, caller=PERSON)
        space.gone.add(f"{name}-x")
    space.gone |= {"expired", "ended"}
    await desk.catch_up()


async def test_every_way_of_reading_sees_the_same(tmp_path: Path) -> None:
    """F65: list, history, why, traces, session and context show a viewer exactly what the predicate says it sees."""
    async with space_of(tmp_path) as space:
        viewers = [
            *(viewer for viewer, _ in ROWS),
            Viewer(AGENT, "t", "old"),
            Viewer(AGENT, "t", "over"),
            Viewer(PERSON),
        ]
        for base in viewers:
            for preview in ("", "p"):
                await _check(space, Viewer(base.caller, base.thread, base.session, preview))


async def _check(space: Space, viewer: Viewer) -> None:
    mine = {value for value, (_, identity) in space.facts.items() if visible(identity, viewer)} - {"expired", "ended"}
    request = FactsRequest(thread=viewer.thread, session=viewer.session, preview=viewer.preview, limit=1000)
    named = {value for value in mine if _named(space.facts[value][1], viewer)}

    listed = await space.ask("facts", request, FactsReply, viewer)
    assert {fact.value for fact in listed.facts} == named - space.gone

    for value, (fact, identity) in space.facts.items():
        known = value in mine
        asked = FactRequest(id=fact, session=viewer.session, preview=viewer.preview)
        assert await space.finds("fact", asked, FactReply, viewer) == known, (value, viewer)
        live = known and not identity.preview
        assert await space.finds("why", WhyRequest(id=fact, session=viewer.session), WhyReply, viewer) == live, value
        traced = TracesRequest(ids=(fact,), session=viewer.session)
        assert await space.finds("traces", traced, TracesReply, viewer) == live, value

    if viewer.session:
        reply = await space.ask("session", SessionRequest(session=viewer.session), SessionReply, viewer)
        assert reply.facts == sum(_lives_in_session(space.facts[value][1], viewer) for value in mine - space.gone)
    if viewer.caller.role == "agent" and viewer.thread:
        await _check_context(space, viewer, mine)


async def _check_context(space: Space, viewer: Viewer, mine: set[str]) -> None:
    place = Place(viewer.thread, viewer.session, viewer.caller.principal, viewer.preview)
    async with space.memory.looking() as latest:
        found = await space.memory.read(place, await latest())
    shown = {fact.identity.name for fact in (*found.earlier, *found.now)}

    assert shown == mine - space.gone, viewer


def _lives_in_session(identity: Identity, viewer: Viewer) -> bool:
    return (identity.scope, identity.owner, identity.preview) == ("session", viewer.session, "")


def _named(identity: Identity, viewer: Viewer) -> bool:
    """Whether a list that names the viewer's thread and session asks for this owner."""
    if identity.scope == "permanent":
        return True
    return identity.owner == (viewer.thread if identity.scope == "thread" else viewer.session)
