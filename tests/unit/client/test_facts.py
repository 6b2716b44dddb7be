"""What people, programs and agents do to facts through the client, and what each verb says of it afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from desks import Desk
from fact_wires import FactWire, working

from eunoe.client import Memory
from eunoe.schemas import subjects
from eunoe.schemas.errors import Denied, Invalid, NotFound, NumberReused, Stale, WorkerMissing
from eunoe.schemas.events import FactDeleted
from eunoe.schemas.requests import AppendRequest, FactReply, FactView
from eunoe.schemas.subjects import Caller, Role

BOB = Caller("person", "bob")
AGENT = Caller("agent", "builder")
LATER = 4_102_444_800_000  # 2100-01-01


class Refusing(FactWire):
    """Refuses every append that deletes one of some facts."""

    refused: frozenset[str] = frozenset()

    async def request(self, subject: str, data: bytes, *, timeout: float = 10.0) -> bytes:
        if subjects.parse_request(subject).verb == "append":
            events = msgspec.json.decode(data, type=AppendRequest).events
            if any(isinstance(event, FactDeleted) and event.id in self.refused for event in events):
                raise Invalid("not this one")
        return await super().request(subject, data, timeout=timeout)


@pytest.fixture
async def wire(tmp_path: Path) -> AsyncIterator[FactWire]:
    desk = Desk(tmp_path)
    desk.settings = desk.settings.model_copy(update={"labels": {"urgent": 1, "old": 7}, "pinned_tokens": 8})
    desk.worker = desk.new_worker()
    async with working(desk) as wire:
        yield wire


async def listed(memory: Memory) -> list[FactView]:
    return [fact for scope in ("permanent", "session", "thread") for fact in (await memory.facts(scope=scope)).facts]


# Stating


async def test_a_statement_says_what_it_became(memory: Memory) -> None:
    """New, another version, one more who says it, and again the first value, which is a new version."""
    stated = [await memory.state_fact("decision", "colour", value) for value in ("green", "blue", "Blue", "green")]

    assert [(one.version, one.duplicate, one.known) for one in stated] == [
        (1, False, ""),
        (2, False, ""),
        (2, True, stated[1].id),
        (3, False, ""),
    ]


async def test_what_another_said_before_is_known(wire: FactWire, memory: Memory) -> None:
    """Under the id of the other's statement."""
    first = await memory.state_fact("decision", "colour", "green")
    async with wire.memory(BOB) as bob:
        second = await bob.state_fact("decision", "colour", "green")

    assert (second.version, second.duplicate, second.known) == (1, True, first.id)


@pytest.mark.parametrize("role", ["person", "caller", "agent"])
async def test_a_kind_that_nobody_declared_is_refused_with_those_there_are(wire: FactWire, role: Role) -> None:
    """One line, the same for everybody; nothing is stated, and no thread begins by it."""
    async with wire.memory(Caller(role, "dana")) as memory:
        with pytest.raises(Invalid) as refused:
            await memory.state_fact("decison", "colour", "green", thread="t")
        kinds = [kind.name for kind in (await memory.kinds()).kinds]
    async with wire.memory() as person:
        threads = (await person.threads()).threads

    assert "decision" in kinds
    assert str(refused.value) == (
        f"there is no kind 'decison'; the kinds are {', '.join(kinds)}. `eunoe kinds` says how to add one"
    )
    assert threads == ()


async def test_a_statement_under_a_key_is_made_once(wire: FactWire, memory: Memory) -> None:
    """Again, and from another process: the same id, and said to be a duplicate; another value is refused."""
    first = await memory.state_fact("decision", "colour", "green", key="k")
    again = await memory.state_fact("decision", "colour", "green", key="k")
    async with wire.memory() as other:
        elsewhere = await other.state_fact("decision", "colour", "green", key="k")
    with pytest.raises(NumberReused, match="the key 'k' was used for something else"):
        await memory.state_fact("decision", "colour", "blue", key="k")

    assert (first.duplicate, again.duplicate, elsewhere.duplicate) == (False, True, True)
    assert first.id == again.id == elsewhere.id
    assert [(fact.id, fact.supports) for fact in await listed(memory)] == [(first.id, 1)]


async def test_a_key_s_answer_that_was_lost_comes_again(wire: FactWire, memory: Memory) -> None:
    """It is sent again under the same number by the client itself."""
    wire.faults = ["deaf"]
    stated = await memory.state_fact("decision", "colour", "green", key="k")

    assert stated.receipt.duplicate
    assert [fact.id for fact in await listed(memory)] == [stated.id]


async def test_under_a_key_a_missing_worker_is_said_at_once(wire: FactWire, memory: Memory) -> None:
    """No outbox keeps such an edit: who asked for it asks again."""
    wire.down = True
    with pytest.raises(WorkerMissing):
        await memory.state_fact("decision", "colour", "green", key="k")
    wire.down = False

    assert not (await memory.state_fact("decision", "colour", "green", key="k")).duplicate


async def test_an_edit_of_something_else_than_was_seen_is_refused(memory: Memory) -> None:
    """With what is there, for the next try."""
    first = await memory.state_fact("decision", "colour", "green", expected="")
    with pytest.raises(Stale) as refused:
        await memory.state_fact("decision", "colour", "red", expected="")
    second = await memory.state_fact("decision", "colour", "blue", expected=str(refused.value.detail["current"]))

    assert refused.value.detail == {"current": first.id, "value": "green"}
    assert second.version == 2


async def test_edits_of_one_sight_by_one_client_are_not_taken_together(memory: Memory) -> None:
    """Sent at once they may share an append: still one wins, and each of the others hears that it did not."""
    seen = (await memory.state_fact("decision", "colour", "start")).id
    outcomes: list[str] = []

    async def edit(value: str) -> None:
        try:
            outcomes.append(f"version {(await memory.state_fact('decision', 'colour', value, expected=seen)).version}")
        except Stale:
            outcomes.append("stale")

    async with anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(edit, f"v{number}")

    assert sorted(outcomes) == ["stale"] * 9 + ["version 2"]


class Ended(FactWire):
    """Answers as a worker does that finds the index of a fact, and no more of it: its session ended just then."""

    async def request(self, subject: str, data: bytes, *, timeout: float = 10.0) -> bytes:
        reply = await super().request(subject, data, timeout=timeout)
        if subjects.parse_request(subject).verb != "fact":
            return reply
        found = msgspec.json.decode(reply, type=FactReply)
        return msgspec.json.encode(msgspec.structs.replace(found, versions=(), named=""))


async def test_a_statement_is_made_though_its_session_ended_at_once(tmp_path: Path) -> None:
    """It is in the log; nobody says which version it is."""
    async with working(Desk(tmp_path), Ended) as wire, wire.memory() as memory:
        stated = await memory.state_fact("service", "port", "open", session="s")

    assert (stated.receipt.record, stated.version, stated.duplicate) == (1, 0, False)


async def test_without_a_facts_worker_a_statement_is_in_the_log_all_the_same(tmp_path: Path) -> None:
    """Nobody says which version it is."""
    wire = FactWire(Desk(tmp_path))
    wire.facts.handlers = dict  # type: ignore[method-assign]  # nobody answers for facts
    async with wire.memory() as memory:
        stated = await memory.state_fact("decision", "colour", "green")

    assert (stated.receipt.record, stated.version, stated.duplicate) == (1, 0, False)
    assert stated.id


async def test_a_preview_is_seen_by_who_asks_for_it(memory: Memory) -> None:
    """In the place of the live fact, which everybody else sees."""
    live = await memory.state_fact("decision", "colour", "green")
    await memory.state_fact("decision", "colour", "blue", preview="p", replaces=live.id)

    assert [fact.value for fact in (await memory.facts()).facts] == ["green"]
    assert [fact.value for fact in (await memory.facts(preview="p")).facts] == ["blue"]


async def test_a_live_fact_is_not_taken_back_in_a_preview(memory: Memory) -> None:
    """What is of the preview is; what is live stays, for everybody."""
    live = await memory.state_fact("decision", "colour", "green")
    tried = await memory.state_fact("decision", "size", "small", preview="p")
    with pytest.raises(Invalid, match=f"{live.id} is no fact of the preview 'p' but a live one"):
        await memory.retire_fact(live.id, preview="p")
    await memory.retire_fact(tried.id, preview="p")

    assert [fact.value for fact in (await memory.facts(preview="p")).facts] == ["green"]


# Moving


async def test_a_move_takes_body_labels_and_pin_along(memory: Memory) -> None:
    """In one append; what was closed says where it went."""
    fact = await memory.state_fact("note", "n", "kept", content="the whole story", session="s")
    await memory.label(fact.id, add=["urgent"])
    await memory.pin(fact.id)

    moved = await memory.move(fact.id, "permanent", reason="for all")

    (shown,) = await listed(memory)
    assert (shown.id, shown.identity.scope, shown.value) == (moved.id, "permanent", "kept")
    assert (shown.labels, shown.pinned, shown.cites) == (("urgent",), True, fact.id)
    assert (await memory.fact(moved.id, content=True)).content == "the whole story"
    assert [version.state for version in (await memory.fact(fact.id)).versions] == ["moved"]


async def test_an_approved_proposal_is_everybody_s(wire: FactWire, memory: Memory) -> None:
    """What an agent proposed in its thread; approved twice it is refused."""
    async with wire.memory(AGENT) as agent:
        proposed = await agent.state_fact("decision", "colour", "green", thread="t")
    assert [fact.id for fact in (await memory.proposed()).facts] == [proposed.id]

    approved = await memory.approve(proposed.id, expected="")

    assert [(fact.id, fact.value, fact.state) for fact in (await memory.facts()).facts] == [
        (approved.id, "green", "current")
    ]
    assert (await memory.proposed()).facts == ()
    with pytest.raises(
        Invalid, match=f"{proposed.id} is no proposal any more: it is approved already; see {approved.id}"
    ):
        await memory.approve(proposed.id)


# Labels and pins


async def test_labels_are_declared(memory: Memory) -> None:
    """By name, whatever its case; one without a name by its number; another is refused with those there are."""
    fact = await memory.state_fact("note", "n", "v")
    await memory.label(fact.id, add=[" Urgent ", "#9"])
    await memory.label(fact.id, add=["old"], remove=["urgent"])

    assert [shown.labels for shown in (await memory.facts(labels=["old"])).facts] == [("old", "#9")]
    with pytest.raises(Invalid, match=r"there is no label 'new' \(there are urgent, old\); declare it"):
        await memory.label(fact.id, add=["new"])
    assert (await memory.kinds()).labels == {"urgent": 1, "old": 7}


async def test_what_is_pinned_is_listed_until_it_is_not(memory: Memory) -> None:
    """Eight tokens are what this space has for pins."""
    facts = [await memory.state_fact("note", f"n{number}", "x" * 16) for number in range(3)]
    for fact in facts[:2]:
        await memory.pin(fact.id)
    with pytest.raises(Exception, match="4 over the limit of 8"):
        await memory.pin(facts[2].id)
    await memory.unpin(facts[0].id)

    assert [fact.id for fact in (await memory.facts(pinned=True)).facts] == [facts[1].id]


async def test_what_is_pinned_already_is_not_pinned_again(memory: Memory) -> None:
    """Nor is a pin taken off that is not there: the answer says that it was so, and no act comes of it."""
    fact = await memory.state_fact("note", "n", "v")
    first, second = [await memory.pin(fact.id) for _ in range(2)]
    off, still = [await memory.unpin(fact.id) for _ in range(2)]

    assert [one.duplicate for one in (first, second, off, still)] == [False, True, False, True]
    assert [act.kind for act in (await memory.fact(fact.id)).acts] == ["pinned", "unpinned"]


async def test_a_pin_that_is_there_is_still_refused_to_who_saw_another_fact(memory: Memory) -> None:
    """The condition is the log's to decide."""
    fact = await memory.state_fact("note", "n", "v")
    await memory.pin(fact.id)

    with pytest.raises(Stale):
        await memory.pin(fact.id, expected="")
    assert (await memory.pin(fact.id, expected=fact.id)).duplicate


# Retiring and deleting


async def test_an_agent_takes_back_its_own(wire: FactWire, memory: Memory) -> None:
    """It names the thread; a person's is not its own."""
    stated = await memory.state_fact("note", "n", "a person's", thread="t")
    async with wire.memory(AGENT) as agent:
        mine = await agent.state_fact("note", "m", "its own", thread="t")
        await agent.retire_fact(mine.id, thread="t")
        with pytest.raises(Denied, match="only its author takes it back"):
            await agent.retire_fact(stated.id, thread="t")
        with pytest.raises(NotFound):
            await agent.retire_fact(stated.id)

    assert [fact.id for fact in await listed(memory)] == [stated.id]


async def test_a_delete_takes_every_source_that_says_so(wire: FactWire, memory: Memory) -> None:
    """Two of three people agree: both go in one append, and what the third says is in force now."""
    first = await memory.state_fact("decision", "colour", "green")
    async with wire.memory(BOB) as bob, wire.memory(Caller("person", "cy")) as cy:
        third = await cy.state_fact("decision", "colour", "blue")
        second = await bob.state_fact("decision", "colour", "green")

    gone = await memory.delete_fact(second.id, "wrong")

    assert [one.id for one in gone.deleted] == [second.id, first.id]
    assert [one.id for one in gone.remaining] == [third.id]
    assert {trace.fact for trace in gone.traces} >= {first.id, second.id}
    assert [fact.value for fact in await listed(memory)] == ["blue"]
    assert len([data for _, data in wire.appends if b"fact.deleted" in data]) == 1


async def test_what_is_not_in_force_is_not_deleted_for_what_is(memory: Memory) -> None:
    """The id of an older value does not take the newer one; what is deleted already is left alone."""
    first = await memory.state_fact("decision", "colour", "green")
    second = await memory.state_fact("decision", "colour", "blue")
    with pytest.raises(Invalid, match=f"{first.id} is not in force: it is superseded by {second.id}"):
        await memory.delete_fact(first.id)
    await memory.delete_fact(second.id)
    again = await memory.delete_fact(second.id)

    assert (again.receipt, again.deleted, again.fact.state) == (None, (), "deleted")
    assert await listed(memory) == []


async def test_one_more_who_says_it_is_deleted_with_what_is_said(memory: Memory) -> None:
    """The id of a support names the version that it supports."""
    first = await memory.state_fact("decision", "colour", "green")
    second = await memory.state_fact("decision", "colour", "green")

    gone = await memory.delete_fact(second.id)

    assert [one.id for one in gone.deleted] == [first.id]
    assert await listed(memory) == []


async def test_what_holds_now_is_deleted_though_its_author_said_what_holds_later(memory: Memory) -> None:
    """All that its author said of the name goes, whichever of the two is named; the answer lists it."""
    for named, other in ((0, 1), (1, 0)):
        now = await memory.state_fact("decision", "colour", "green")
        later = await memory.state_fact("decision", "colour", "blue", valid_from=LATER)
        facts = (now.id, later.id)
        gone = await memory.delete_fact(facts[named], "wrong")

        assert [one.id for one in gone.deleted] == [facts[named]]
        assert [one.id for one in gone.along] == [facts[other]]
        assert await listed(memory) == []
        assert (await memory.facts(valid=LATER)).facts == ()


async def test_a_whole_scope_is_deleted_for_every_time(memory: Memory) -> None:
    """What holds now beside what holds later, and what holds later alone."""
    await memory.state_fact("note", "both", "now", thread="t")
    await memory.state_fact("note", "both", "then", thread="t", valid_from=LATER)
    await memory.state_fact("note", "later", "then", thread="t", valid_from=LATER)

    deleted = await memory.delete_scope("thread", "t")

    assert (deleted.facts, deleted.failed) == (2, ())
    assert (await memory.facts(thread="t")).facts == (await memory.facts(thread="t", valid=LATER)).facts == ()


async def test_a_scope_is_counted_and_then_deleted(wire: FactWire, memory: Memory) -> None:
    """Every fact of the owner, those that another's outranks too; other owners keep theirs."""
    for number in range(3):
        await memory.state_fact("note", f"n{number}", "v", thread="t")
    await memory.state_fact("decision", "d", "v", thread="t")
    kept = await memory.state_fact("note", "n0", "v", thread="tt")
    async with wire.memory(BOB) as bob:
        await bob.state_fact("note", "n0", "other", thread="t")

    counted = await memory.delete_scope("thread", "t", dry_run=True)
    before = await listed(memory)
    deleted = await memory.delete_scope("thread", "t", "no more")

    assert (counted.facts, counted.kinds, counted.receipts) == (4, {"decision": 1, "note": 3}, ())
    assert len(before) == 5
    assert (deleted.facts, deleted.failed, len(deleted.receipts)) == (4, (), 1)
    assert [fact.id for fact in await listed(memory)] == [kept.id]


async def test_what_cannot_be_deleted_is_listed_and_the_rest_goes(tmp_path: Path) -> None:
    """F62: one of nine is refused; eight go, it is named with the reason, and again it goes too."""
    desk = Desk(tmp_path)
    async with working(desk, Refusing) as wire, wire.memory() as memory:
        assert isinstance(wire, Refusing)
        facts = [await memory.state_fact("note", f"n{number}", "v", thread="t") for number in range(9)]
        wire.refused = frozenset({facts[4].id})
        first = await memory.delete_scope("thread", "t")
        left = await listed(memory)
        wire.refused = frozenset()
        second = await memory.delete_scope("thread", "t")

        assert [(one.fact.id, one.reason) for one in first.failed] == [(facts[4].id, "not this one")]
        assert [fact.id for fact in left] == [facts[4].id]
        assert (second.facts, second.failed) == (1, ())
        assert await listed(memory) == []


@pytest.mark.parametrize(("scope", "owner"), [("", "t"), ("all", "t"), ("thread", ""), ("thread", " ")])
async def test_a_blank_scope_is_not_everything(memory: Memory, scope: str, owner: str) -> None:
    """F82: nothing is deleted."""
    fact = await memory.state_fact("note", "n", "v", thread="t")

    with pytest.raises(Invalid):
        await memory.delete_scope(scope, owner)  # type: ignore[arg-type]
    assert [one.id for one in await listed(memory)] == [fact.id]


@pytest.mark.parametrize("where", ["thread", "session", "agent", "subject", "preview"])
async def test_a_blank_filter_is_refused(memory: Memory, where: str) -> None:
    """F82: it would filter nothing."""
    blank: dict[str, Any] = {where: ""}

    with pytest.raises(Invalid, match=f"the {where} id is empty"):
        await memory.facts(**blank)


# Conflicts and sessions


async def test_conflicts_of_every_scope_are_listed_page_by_page(wire: FactWire, memory: Memory) -> None:
    """With who says what else; a page goes on where the last one ended."""
    async with wire.memory(BOB) as bob:
        for number in range(3):
            for client in (memory, bob):
                await client.state_fact("note", f"n{number}", f"of {client.gate.caller.principal}", thread="t")
        for client in (memory, bob):
            await client.state_fact("decision", "colour", f"of {client.gate.caller.principal}")
    found: list[str] = []
    cursor, more = "", True
    while more:
        page = await memory.conflicts(limit=2, cursor=cursor)
        found += [fact.identity.name for fact in page.facts]
        cursor, more = page.cursor, bool(page.cursor)

    assert sorted(found) == ["colour", "n0", "n1", "n2"]
    assert len(found) == 4


@pytest.mark.parametrize("value", [object(), "\ud800", {"\ud800": 2}])
async def test_a_state_that_is_no_json_is_refused(memory: Memory, value: object) -> None:
    """In one line; nothing is set."""
    with pytest.raises(Invalid, match="the state of a session is JSON, and"):
        await memory.set_session_state("s", value)
    assert (await memory.session("s")).record is None


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (float("nan"), "JSON, which has no nan"),
        ({"left": [1.0, float("inf")]}, "JSON, which has no inf"),
        ((float("-inf"),), "JSON, which has no -inf"),
        ({1: "a"}, "whose keys are text, and 1 is none"),
        ({"a": [{None: 1}]}, "whose keys are text, and None is none"),
        ({("a", "b"): 1}, r"whose keys are text, and \('a', 'b'\) is none"),
    ],
)
async def test_a_state_that_json_would_change_is_refused(memory: Memory, value: object, says: str) -> None:
    """No number that is none, and no key that is no text, however deep: it would come back as another value."""
    with pytest.raises(Invalid, match=says):
        await memory.set_session_state("s", value)
    assert (await memory.session("s")).record is None


WRONG: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("state_fact", ("d", "n", 5), {}, "value of state_fact: expected `str`, got `int`"),
    ("state_fact", ("d", "n", None), {}, "value of state_fact: expected `str`, got `None`"),
    ("state_fact", (None, "n", "v"), {}, "subject of state_fact: expected `str`, got `None`"),
    ("state_fact", ("d", "n", "v"), {"content": b""}, "content of state_fact: expected `str`, got `bytes`"),
    ("state_fact", ("d", "n", "v"), {"thread": 3}, "thread of state_fact: expected `str | None`, got `int`"),
    ("state_fact", ("d", "n", "v"), {"removes": "no"}, "removes of state_fact: expected `bool`, got `str`"),
    (
        "state_fact",
        ("d", "n", "v"),
        {"valid_from": "2026-01-31"},
        "valid_from of state_fact: expected `int | datetime | None`, got `str`",
    ),
    (
        "state_fact",
        ("d", "n", "v"),
        {"valid_to": datetime(2026, 1, 31)},  # noqa: DTZ001 - without a zone
        "valid_to does not say in which time zone 2026-01-31T00:00:00 is; give it one, as tzinfo=UTC",
    ),
    ("approve", (5,), {}, "id of approve: expected `str`, got `int`"),
    ("move", ("f", None), {}, "scope of move: expected `str`, got `None`"),
    ("retire_fact", ("f",), {"reason": 1}, "reason of retire_fact: expected `str`, got `int`"),
    ("pin", (None,), {}, "id of pin: expected `str`, got `None`"),
    ("unpin", ("f",), {"key": None}, "key of unpin: expected `str`, got `None`"),
    ("label", ("f",), {"add": None}, "add of label: expected `list`, got `None`"),
    ("label", ("f",), {"add": "urgent"}, "add of label: expected `list`, got `str`"),
    ("label", ("f",), {"remove": ["urgent", 5]}, "remove of label: expected `str`, got `int` - at `$[1]`"),
    ("end_session", (b"s",), {}, "id of end_session: expected `str`, got `bytes`"),
    ("delete_fact", ("f",), {"expected": 0}, "expected of delete_fact: expected `str | None`, got `int`"),
    ("delete_scope", (None, "o"), {}, "scope of delete_scope: expected `str`, got `None`"),
    ("delete_preview", (1,), {}, "preview of delete_preview: expected `str`, got `int`"),
    ("facts", (), {"labels": None}, "labels of facts: expected `list`, got `None`"),
    ("facts", (), {"limit": "9"}, "limit of facts: expected `int`, got `str`"),
    ("fact", ("f",), {"recorded": 1.5}, "recorded of fact: expected `int | datetime | None`, got `float`"),
    ("why", ({},), {}, "id of why: expected `str`, got `object`"),
    ("session", (None,), {}, "id of session: expected `str`, got `None`"),
    ("erase", (), {"thread": "t", "entries": [(1, 2), "3"]}, "entries of erase: expected `int | list`, got `str`"),
    ("fact", ("\ud800",), {}, "what is asked holds half of a surrogate pair; it must be valid Unicode"),
]


@pytest.mark.parametrize(("verb", "arguments", "named", "says"), WRONG)
async def test_an_argument_of_another_type_is_refused_by_its_name(
    wire: FactWire, verb: str, arguments: tuple[Any, ...], named: dict[str, Any], says: str
) -> None:
    """In one line, before anything is done."""
    async with wire.memory(BOB) as bob:
        with pytest.raises(Invalid) as caught:
            await getattr(bob, verb)(*arguments, **named)

    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


async def test_a_session_carries_what_was_seen_to_change(memory: Memory) -> None:
    """Its state is set from the one that was there; its end takes it, and its facts."""
    first = await memory.set_session_state("s", {"step": 1}, expected="")
    with pytest.raises(Stale):
        await memory.set_session_state("s", {"step": 9}, expected="")
    second = await memory.set_session_state("s", {"step": 2}, expected=first.id)
    await memory.state_fact("note", "n", "v", session="s")
    before = await memory.session("s")
    await memory.end_session("s", "done")
    after = await memory.session("s")

    assert before.record is not None
    assert (before.status, before.facts, before.record.state, before.record.state_id) == (
        "open",
        1,
        '{"step":2}',
        second.id,
    )
    assert (after.status, after.facts) == ("ended", 0)
