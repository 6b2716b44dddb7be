"""Faults of who was shown what, and what holds here.

F65 a read that forgot a filter · F76 a filter of a scope that let another's through · F80 a rule of precedence that
showed what is not one's own · F83 verbs that skipped the check.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from casts import PLACES, REFUSED, everywhere, named, refused, shown

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.schemas import limits
from eunoe.schemas.context import Context
from eunoe.schemas.requests import FactsReply, Verb
from eunoe.schemas.subjects import Role, book_chain, thread_chain
from eunoe.testing import ManualClock

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
async def fleet(settings: Settings, clock: ManualClock) -> AsyncIterator[Fleet]:
    """Every worker, at the time of the clock."""
    async with running(settings, clock=clock) as fleet:
        yield fleet


def said(context: Context) -> set[str]:
    """The owners whose facts a context shows."""
    text = "\n".join(message["content"] for message in context.messages)
    return {owner for owner in [*PLACES, "old"] if f"note n: of {owner} — from person ada" in text}


# The truth table (F76, F80)

Row = tuple[dict[str, Any], str]
TRUSTED: list[Row] = [
    ({}, "shared alice bob"),
    ({"agent": "alice"}, "shared alice"),
    ({"agent": "carol"}, "shared"),
    ({"thread": "t"}, "shared alice bob t"),
    ({"session": "s"}, "shared alice bob s"),
    ({"thread": "u", "session": "s"}, "shared alice bob u s"),
    ({"scope": "permanent"}, "shared alice bob"),
    ({"scope": "permanent", "thread": "t", "session": "s"}, "shared alice bob"),
    ({"scope": "permanent", "agent": "bob"}, "shared bob"),
    ({"scope": "thread"}, "t u"),
    ({"scope": "thread", "thread": "t", "session": "s"}, "t"),
    ({"scope": "session"}, "s r"),
    ({"scope": "session", "thread": "t", "session": "r"}, "r"),
    ({"thread": "nobody's", "session": "nobody's"}, "shared alice bob"),
    ({"scope": "thread", "thread": "nobody's"}, ""),
    ({"scope": "session", "session": "nobody's"}, ""),
]
ALICE: list[Row] = [
    ({}, "shared alice"),
    ({"agent": "bob"}, "shared"),
    ({"thread": "t"}, "shared alice t"),
    ({"session": "s"}, "shared alice s"),
    ({"thread": "t", "session": "s"}, "shared alice t s"),
    ({"scope": "permanent", "thread": "t", "session": "s"}, "shared alice"),
    ({"scope": "permanent", "agent": "bob"}, "shared"),
    ({"scope": "thread", "thread": "t", "session": "s"}, "t"),
    ({"scope": "session", "thread": "t", "session": "s"}, "s"),
    ({"scope": "thread"}, REFUSED),
    ({"scope": "thread", "session": "s"}, REFUSED),
    ({"scope": "session"}, REFUSED),
    ({"scope": "session", "thread": "t"}, REFUSED),
]


def others(rows: list[Row]) -> list[Row]:
    """What whoever has no facts of its own is shown of the same."""
    return [(asked, expected.replace(" alice", "")) for asked, expected in rows]


TABLE: dict[tuple[Role, str], list[Row]] = {
    ("person", "ada"): TRUSTED,
    ("caller", "app"): TRUSTED,
    ("viewer", "wall"): TRUSTED,
    ("agent", "alice"): ALICE,
    ("agent", "bob"): [
        (asked, "shared bob" if "agent" in asked else expected.replace("alice", "bob")) for asked, expected in ALICE
    ],
    ("agent", "carol"): others(ALICE),
    ("agent", "shared"): others(ALICE),
    ("agent", "u"): others(ALICE),
    ("tool", "alice"): others(ALICE),
}


async def test_who_is_shown_whose_facts(settings: Settings, memory: Memory, fleet: Fleet) -> None:
    """F76, F80: every kind of viewer, from every place, with every scope: what is asked for and its own, of facts that
    nothing but their place tells apart; in lists of one page, in pages of one, and with what is not in force too."""
    await everywhere(memory)

    for (role, principal), rows in TABLE.items():
        async with named(settings, role, principal) as viewer:
            found = [(asked, await shown(viewer, **asked)) for asked, _ in rows]
            assert found == rows, (role, principal)
            every = [(asked, await shown(viewer, all=True, subject="note", **asked)) for asked, _ in rows]
            assert every == rows, (role, principal)
            paged = [(asked, await shown(viewer, limit=1, **asked)) for asked, _ in rows]
            assert paged == rows, (role, principal)


async def test_a_context_shows_the_facts_of_its_place_and_its_agent(
    settings: Settings, memory: Memory, fleet: Fleet
) -> None:
    """F76, F80: by the same table: an agent's context has its own permanent facts, whatever agent the request names."""
    await everywhere(memory)
    seen: dict[tuple[str, str], set[str]] = {}
    for role, principal in (("agent", "alice"), ("agent", "bob"), ("tool", "alice")):
        async with named(settings, role, principal) as viewer:  # type: ignore[arg-type]
            for claimed in ("", "bob"):
                thread = viewer.thread("t", agent=claimed, session="s")
                seen[f"{role} {principal}", claimed] = said(await thread.context(prompt="of bob?"))

    assert seen == {
        ("agent alice", ""): {"shared", "alice", "t", "s"},
        ("agent alice", "bob"): {"shared", "alice", "t", "s"},
        ("agent bob", ""): {"shared", "bob", "t", "s"},
        ("agent bob", "bob"): {"shared", "bob", "t", "s"},
        ("tool alice", ""): {"shared", "t", "s"},
        ("tool alice", "bob"): {"shared", "t", "s"},
    }


# Every way of reading (F65)

Read = Callable[[Memory, str], Awaitable[object]]
BY_ID: dict[str, Read] = {
    "fact": lambda memory, fact: memory.fact(fact, thread="t", session="s"),
    "its beginning": lambda memory, fact: memory.fact(fact[:8], thread="t", session="s"),
    "why": lambda memory, fact: memory.why(fact, thread="t", session="s"),
    "pin": lambda memory, fact: memory.pin(fact, thread="t", session="s"),
    "label": lambda memory, fact: memory.label(fact, add=["#1"], thread="t", session="s"),
    "retire": lambda memory, fact: memory.retire_fact(fact, thread="t", session="s"),
    "move": lambda memory, fact: memory.move(fact, "thread", thread="t", session="s"),
    "traces": lambda memory, fact: memory.gate.ask(
        "traces", {"ids": [fact], "session": "s"}, FactsReply, thread_chain("t")
    ),
}


async def test_every_read_hides_what_is_foreign_and_what_expired(
    settings: Settings, memory: Memory, clock: ManualClock, fleet: Fleet
) -> None:
    """F65: an agent in its thread and session, and of what expired a person too: not in lists of any kind, not by id
    or by its beginning, not in a context, and not in a session's count."""
    old = await memory.state_fact("note", "n", "of old", session="old")
    clock.advance(seconds=limits.SESSION_SECONDS + 60)
    ids = await everywhere(memory)
    hidden = {"bob", "u", "r", "old"}
    ids["old"] = old.id
    lists: list[dict[str, Any]] = [
        {},
        {"all": True},
        {"since": 1},
        {"subject": "note"},
        {"recorded": 4_000_000_000_000},
    ]

    async with named(settings, "agent", "alice") as alice:
        for asked in lists:
            assert await shown(alice, thread="t", session="s", **asked) == "shared alice t s", asked
        for what, read in BY_ID.items():
            for owner in hidden:
                assert await refused(read(alice, ids[owner])) == "not_found", (what, owner)
        assert said(await alice.thread("t", session="s").context(prompt="n?")) == {"shared", "alice", "t", "s"}
        assert said(await alice.thread("t", session="old").context(prompt="n?")) == {"shared", "alice", "t"}

    for asked in (*lists, {"scope": "session"}):
        assert "old" not in (await shown(memory, session="old", **asked)).split(), asked
    for what, read in BY_ID.items():
        assert await refused(read(memory, old.id)) == "not_found", what
    expired = await memory.session("old")
    assert (expired.status in ("expired", "ended"), expired.facts) == (True, 0)
    assert (await memory.session("s")).facts == 1


@pytest.mark.parametrize("owner", PLACES)
async def test_every_read_hides_what_was_deleted(memory: Memory, fleet: Fleet, owner: str) -> None:
    """F65: of each scope, from its own person: in no list of what is in force, no context and no count; by its id it
    says that it was deleted, and that nothing is in force."""
    ids = await everywhere(memory)
    await memory.delete_fact(ids[owner])

    left = [one for one in PLACES if one != owner]
    for asked in ({}, {"subject": "note"}, {"recorded": 4_000_000_000_000}):
        found = [await shown(memory, scope=scope, **asked) for scope in ("permanent", "thread", "session")]
        assert " ".join(found).split() == left, asked
    context = await memory.thread("t", session="s", agent="alice").context(prompt="n?")
    assert said(context) == {"shared", "alice", "t", "s"} - {owner}
    assert (await memory.session("s")).facts == (owner != "s")
    history, why = await memory.fact(ids[owner]), await memory.why(ids[owner])
    assert ([one.state for one in history.versions], history.current, why.fact.state) == (["deleted"], "", "deleted")
    assert await refused(memory.pin(ids[owner])) != ""


# Every verb at what is foreign (F83)


async def test_every_verb_of_an_agent_stops_at_what_is_not_its_own(
    settings: Settings, memory: Memory, fleet: Fleet
) -> None:
    """F83: from its thread, at another agent's permanent facts and turns, another thread and session: denied, or not
    there. Threads are open to read by who addresses them, and a turn of another stores no context of it."""
    ids = await everywhere(memory)
    async with named(settings, "agent", "bob") as bob, named(settings, "agent", "alice") as alice:
        turn = bob.thread("u", session="r").turn("Whose turn is it?")
        async with turn as opened:
            await opened.context()
            await opened.reply("Mine.")
        async with bob.thread("u", session="r").turn("And now?") as opened:
            foreign: list[tuple[Verb, dict[str, Any], str]] = [
                ("records", {}, book_chain("permanent", "bob")),
                ("head", {}, book_chain("permanent", "bob")),
                ("show", {}, book_chain("permanent", "bob")),
                ("turns", {}, book_chain("permanent", "bob")),
                ("compose", {"prompt": "n?"}, book_chain("permanent", "bob")),
                ("compose", {"turn": 1}, thread_chain("u")),
                ("compose", {"key": opened.key, "store": True}, thread_chain("u")),
                ("compose", {"prompt": "n?", "store": True}, thread_chain("u")),
                ("compose", {"key": opened.key}, thread_chain("t")),
                ("facts", {"thread": "u"}, thread_chain("t")),
                ("facts", {"scope": "thread"}, ""),
                ("facts", {"scope": "session"}, thread_chain("t")),
                ("threads", {}, ""),
                ("rebuild", {"v": 1}, ""),
                ("anchor", {}, ""),
                ("erase", {"target": {"thread": "u"}, "id": "k", "reason": "r"}, ""),
                ("erase", {"target": {"scope": "permanent", "owner": "bob"}, "id": "k", "dry_run": True}, ""),
            ]
            for owner in ("bob", "u", "r"):
                foreign.append(("fact", {"id": ids[owner]}, thread_chain("t")))
                foreign.append(("why", {"id": ids[owner]}, thread_chain("t")))
                foreign.append(("traces", {"ids": [ids[owner]]}, thread_chain("t")))
            for verb, asked, chain in foreign:
                code = await refused(alice.gate.ask(verb, asked, dict[str, Any], chain))
                assert code in ("denied", "not_found", "invalid", "turn_not_open"), (verb, asked, chain)
            looked = await alice.thread("u").compose(key=opened.key)
            assert said(looked) == {"shared", "alice", "u", "r"}
            assert said(await opened.context()) == {"shared", "bob", "u", "r"}
            await opened.reply("Nobody's.")
        replayed = await memory.thread("u").context(turn=2)

    assert said(replayed) == {"shared", "bob", "u", "r"}
