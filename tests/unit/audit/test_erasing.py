"""Erasure over the in-memory twins: what goes, what stays, and what a restart makes of every step."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from desks import AGENT, Desk, whole_turn
from erasing_desks import (
    SECRET,
    asked,
    entries,
    erase,
    extracted,
    fact,
    plan,
    plant,
    raw,
    read,
    recipe,
    told,
    verified,
)

from eunoe.audit.anchors import KnownHeads
from eunoe.audit.verify import Verifier
from eunoe.runtime.doors import Stored
from eunoe.schemas import records
from eunoe.schemas.context import Assessment
from eunoe.schemas.erasures import EraseRequest, ErasureTarget
from eunoe.schemas.errors import Denied, Invalid, NotFound, NumberReused
from eunoe.schemas.events import (
    ContextAssessed,
    ContextComposed,
    FactApproved,
    FactDeleted,
    MemoryUsed,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.facts import Assertion, Identity, Source
from eunoe.schemas.requests import ShowReply, ShowRequest
from eunoe.schemas.subjects import Address, Caller

pytestmark = pytest.mark.anyio


async def test_an_erased_entry_keeps_its_place_and_nothing_else(desk: Desk) -> None:
    """The other entries of its record, its number and turn, and the record's header and hash are what they were."""
    await desk.append(1, *whole_turn(f"my password is {SECRET}", "noted"))
    (before,) = await read(desk)

    reply = await erase(desk, thread="t", entries=[[1, 1]])

    after = (await read(desk))[0]
    assert reply.state == "done"
    assert (reply.counts.entries, reply.counts.records, reply.counts.threads) == (1, 1, 1)
    assert (after.position, after.header, after.hash) == (before.position, before.header, before.hash)
    assert after.events == (before.events[0], Prompt(turn=1, entry=1, erased=True), *before.events[2:])
    assert not [one.seq for one in await raw(desk) if SECRET.encode() in one.data]


async def test_the_chain_is_whole_afterwards(desk: Desk) -> None:
    """The kept digests stand for the erased events, and records go on after them."""
    for n in range(1, 4):
        await desk.append(n, *whole_turn(f"{SECRET} {n}"), turn=f"k{n}")
    await erase(desk, thread="t", entries=[[1, 1], [5, 5]])

    await desk.append(4, *whole_turn("after"), turn="k4")

    verdict = await verified(desk)
    assert verdict.problems == ()
    assert verdict.erased == 2
    assert await entries(desk) == {
        1: "-",
        2: "done",
        3: f"{SECRET} 2",
        4: "done",
        5: "-",
        6: "done",
        7: "after",
        8: "done",
    }


async def test_an_event_that_says_it_was_erased_and_was_not_is_a_problem(desk: Desk) -> None:
    """Whoever blanks an event in the store itself is found out: no record of the chain says that it was erased."""
    reply = await desk.append(1, *whole_turn(SECRET))
    stream = desk.store.log._log._stream  # type: ignore[attr-defined]  # the store itself
    stored = stream.messages[reply.position]
    wire = records.open_wire(stored.data)
    events = (wire.events[0], msgspec.Raw(b'{"type":"prompt","turn":1,"entry":1,"erased":true}'), *wire.events[2:])
    data = msgspec.json.encode(msgspec.structs.replace(wire, salts=(wire.salts[0], "", *wire.salts[2:]), events=events))
    stream.messages[reply.position] = Stored(stored.subject, stored.seq, data, stored.time)

    (problem,) = (await verified(desk)).problems

    assert problem.what == "event 2 was taken out, and no record says that it was erased"


async def test_facts_go_with_the_entry_they_came_from_and_others_lose_that_source(desk: Desk) -> None:
    """The result that is erased takes the facts of the call that it answers; the same value from turn 2 stays."""
    await desk.append(
        1, TurnOpened(), Prompt(content="q"), ToolCall(call="c", tool="sh", content="{}"),
        ToolResult(call="c", content=SECRET), TurnCommitted(),
    )  # fmt: skip
    await desk.append(2, *whole_turn("again"), turn="k2")
    await extracted(desk, 1, fact(SECRET, 2), fact("8080", 2, name="both"))
    await extracted(desk, 2, fact("8080", 4, name="both"))

    reply = await erase(desk, thread="t", entries=[[3, 3]])

    assert reply.counts.facts == 2
    assert list(told(await read(desk))) == [("both", "8080")]


async def test_a_fact_takes_its_history_its_approval_and_its_proposal(desk: Desk) -> None:
    """Every version under its identity goes; the entries it came from stay, and are named."""
    await desk.append(1, *whole_turn("hello"))
    first, second = await extracted(desk, 1, fact("old", 2), fact(SECRET, 2))
    approved = Assertion(
        identity=Identity(scope="permanent", owner="shared", subject="service", name="port"),
        value=SECRET, source=Source(kind="person", principal="ada"), at=2, cites=second,
    )  # fmt: skip
    request = FactApproved(id=second, fact=approved)
    await plant(desk, "book.permanent.shared", request)

    planned = await plan(desk, fact=first)
    await erase(desk, fact=first)

    assert planned.counts.facts == 3
    assert planned.stays == ("entry 2 of thread t",)
    assert list(told([*await read(desk), *await read(desk, "book.permanent.shared")])) == []
    assert not [one.seq for one in await raw(desk) if SECRET.encode() in one.data]
    assert await entries(desk) == {1: "hello", 2: "done"}


async def test_what_a_person_deleted_does_not_come_back_when_one_of_its_sources_is_erased(desk: Desk) -> None:
    """The deletion names an assertion that goes: those that it hid go too."""
    await desk.append(1, *whole_turn("a"))
    await desk.append(2, *whole_turn("b"), turn="k2")
    (first,) = await extracted(desk, 1, fact("8080", 1))
    await extracted(desk, 2, fact("8080", 3))
    await plant(desk, "thread.t", FactDeleted(id=first))

    await erase(desk, thread="t", entries=[[1, 1]])

    assert list(told(await read(desk))) == []


async def test_a_later_assertion_of_a_deleted_value_stays(desk: Desk) -> None:
    """It came after the deletion, from another entry: it is a version of its own."""
    await desk.append(1, *whole_turn("a"))
    await desk.append(2, *whole_turn("b"), turn="k2")
    (first,) = await extracted(desk, 1, fact("8080", 1))
    await plant(desk, "thread.t", FactDeleted(id=first))
    await extracted(desk, 2, fact("8080", 3))

    await erase(desk, thread="t", entries=[[1, 1]])

    assert list(told(await read(desk))) == [("port", "8080")]


async def test_a_thread_goes_whole_and_another_one_is_untouched(desk: Desk) -> None:
    """Turns, numbers, agents and sessions stay as a frame; of the other thread every byte is what it was."""
    await desk.append(1, *whole_turn(SECRET, f"{SECRET}!"))
    await desk.append(2, TurnOpened(session="s"), TurnAborted(reason=SECRET), turn="k2")
    await extracted(desk, 1, fact(SECRET, 1), failed=(f"x: {SECRET}",))
    await desk.append(1, *whole_turn(SECRET), thread="u")
    others = [one for one in await raw(desk) if one.subject.endswith("thread.u.log")]

    reply = await erase(desk, thread="t")

    left = [one for one in await raw(desk) if SECRET.encode() in one.data]
    assert left == others
    assert reply.counts.entries == 2
    assert await entries(desk) == {1: "-", 2: "-"}
    assert [type(event) for event in (await read(desk))[1].events] == [TurnOpened, TurnAborted]


async def test_a_record_that_was_erased_from_before_can_lose_more(desk: Desk) -> None:
    """What is left of it is kept again, and the first copy, which still held the rest, goes."""
    await desk.append(1, *whole_turn(f"{SECRET}-one", f"{SECRET}-two"))

    await erase(desk, thread="t", entries=[[1, 1]])
    half = await entries(desk)
    await erase(desk, id="e2", thread="t", entries=[[2, 2]])

    assert half == {1: "-", 2: f"{SECRET}-two"}
    assert await entries(desk) == {1: "-", 2: "-"}
    assert not [one.seq for one in await raw(desk) if SECRET.encode() in one.data]
    assert (await verified(desk)).problems == ()


async def test_nothing_is_erased_twice_and_an_id_is_of_one_erasure(desk: Desk) -> None:
    """Asking again answers what was done; another target under the same id is refused."""
    await desk.append(1, *whole_turn(SECRET))
    done = await erase(desk, thread="t", entries=[[1, 1]])
    size = len(await raw(desk))

    assert await erase(desk, thread="t", entries=[[1, 1]]) == done
    assert (await erase(desk, id="e2", thread="t", entries=[[1, 1]])).state == "nothing"
    assert len(await raw(desk)) == size
    with pytest.raises(NumberReused):
        await erase(desk, thread="t", entries=[[2, 2]])


@pytest.mark.parametrize("role", ["caller", "agent", "tool", "worker", "viewer"])
async def test_only_a_person_may_erase(desk: Desk, role: str) -> None:
    """Not even a plan is told to others."""
    with pytest.raises(Denied, match="only a person may"):
        await erase(desk, Caller(role, "x"), thread="t")  # type: ignore[arg-type]


async def test_what_names_nothing_is_refused(desk: Desk) -> None:
    """No target or two, a range from 0, no reason, a thread that is not there."""
    await desk.append(1, *whole_turn(SECRET))
    for target in (
        {},
        {"thread": "t", "fact": "f1"},
        {"thread": "t", "entries": [[0, 1]]},
        {"fact": "f", "turns": [[1, 1]]},
    ):
        with pytest.raises(Invalid):
            await plan(desk, **target)
    with pytest.raises(Invalid, match="needs a reason"):
        await asked(desk, EraseRequest(target=ErasureTarget(thread="t"), id="e"))
    with pytest.raises(NotFound):
        await plan(desk, thread="nope")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ({"entries": [[3, 3]]}, "there is no entry 3 in the thread 't'; it has 2 entries"),
        ({"entries": [[1, 1], [99_999, 100_000]]}, "there is no entry 99999 in the thread 't'; it has 2 entries"),
        ({"turns": [[2, 5]]}, "there is no turn 2 in the thread 't'; it has 1 turn"),
    ],
)
async def test_what_a_thread_does_not_have_is_not_there(desk: Desk, target: dict[str, Any], says: str) -> None:
    """Neither planned nor erased, nor anything that was named beside it; a range may go on behind the end."""
    await desk.append(1, *whole_turn(SECRET))
    for ask in (plan, erase):
        with pytest.raises(NotFound) as caught:
            await ask(desk, thread="t", **target)
        assert str(caught.value) == says

    assert (await plan(desk, thread="t", entries=[[2, 99]], turns=[[1, 9]])).counts.entries == 2


async def test_a_plan_changes_nothing(desk: Desk) -> None:
    """It says what would go."""
    await desk.append(1, *whole_turn(SECRET))
    before = await raw(desk)

    found = await plan(desk, thread="t", turns=[[1, 1]])

    assert (found.state, found.counts.entries, found.words) == ("planned", 2, "turn 1 of thread t")
    assert await raw(desk) == before


async def test_anchors_from_before_hold(desk: Desk) -> None:
    """They name hashes, which stay."""
    await desk.append(1, *whole_turn(SECRET))
    anchor = await desk.worker.anchor()
    await erase(desk, thread="t")

    verifier = Verifier()
    verifier.expect([anchor])
    async for stored in desk.store.log.scan():
        verifier.feed(stored)
    assert verifier.verdict().problems == ()
    assert KnownHeads().add(anchor)


async def test_an_erased_entry_is_shown_as_such(desk: Desk) -> None:
    """By its number, with its kind, turn and time."""
    await desk.append(1, *whole_turn(SECRET))
    await erase(desk, thread="t", entries=[[1, 1]])
    request = msgspec.json.encode(ShowRequest(entry=1))

    data = await desk.worker.handlers()["show"](Address("show", AGENT, "thread.t"), request)

    (shown,) = msgspec.json.decode(data, type=ShowReply).entries
    assert (shown.content, shown.erased, shown.kind, shown.turn) == ("[entry 1 was erased]", True, "prompt", 1)


async def test_recipes_with_its_words_go_and_others_stay(desk: Desk) -> None:
    """A recipe holds the request where no entry did, and what was said of facts."""
    await desk.append(1, *whole_turn(SECRET))
    for n, asked_for in enumerate((SECRET, "else"), 1):
        made = recipe(asked_for)
        events = (ContextComposed(recipe=made), MemoryUsed(context=made.id, turn=1, entries=((1, 2),)))
        await desk.append(n, *events, turn="", producer="composition", caller=Caller("worker", "composition"))

    reply = await erase(desk, thread="t", entries=[[1, 1]])

    recipes = [e.recipe.request for r in await read(desk) for e in r.events if isinstance(e, ContextComposed)]
    assert reply.counts.contexts == 1
    assert recipes == ["else"]
    assert Response(turn=1, entry=2, content="done") in (await read(desk))[0].events


async def test_what_was_made_of_an_erased_request_goes_and_of_others_stays(desk: Desk) -> None:
    """A model wrote down what it took the request for, in words of its own, which no search for its words finds."""
    await desk.append(1, *whole_turn(SECRET))
    await desk.append(2, *whole_turn("and now?"), turn="k2")
    for turn in (1, 2):
        assessed = Assessment(method="model", tools=("bash",), intent=f"to do the {turn}. thing")
        event = ContextAssessed(turn=turn, assessment=assessed)
        await desk.append(turn, event, turn="", producer="composition", caller=Caller("worker", "composition"))

    await erase(desk, thread="t", entries=[[1, 1]])

    kept = [e.assessment.intent for r in await read(desk) for e in r.events if isinstance(e, ContextAssessed)]
    assert kept == ["to do the 2. thing"]
