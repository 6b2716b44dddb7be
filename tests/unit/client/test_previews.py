"""Facts of a preview through every verb: found, explained, changed and dropped by who names it, and live ones never."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from desks import Desk
from fact_wires import FactWire, working

from eunoe.client import Memory
from eunoe.schemas.errors import Denied, Invalid, NotFound
from eunoe.schemas.requests import FactsReply
from eunoe.schemas.subjects import Caller

AGENT = Caller("agent", "builder")


@pytest.fixture
async def wire(tmp_path: Path) -> AsyncIterator[FactWire]:
    desk = Desk(tmp_path)
    desk.settings = desk.settings.model_copy(update={"labels": {"urgent": 1}})
    desk.worker = desk.new_worker()
    async with working(desk) as wire:
        yield wire


async def proposed_in(wire: FactWire, preview: str) -> str:
    """What an agent proposed in a turn of a preview."""
    async with wire.memory(AGENT) as agent, agent.thread("t").turn("Try it.", preview=preview):
        return (await agent.state_fact("decision", "colour", "blue", thread="t", preview=preview)).id


def said(reply: FactsReply) -> list[tuple[str, str, str]]:
    return [(fact.value, fact.state, fact.identity.preview) for fact in reply.facts]


# Reading


async def test_what_a_preview_replaces_and_takes_away_comes_with_its_list(memory: Memory) -> None:
    """With the ids of what does so; where everything is asked for, it is in the list itself."""
    green = await memory.state_fact("decision", "colour", "green")
    round_ = await memory.state_fact("decision", "shape", "round")
    blue = await memory.state_fact("decision", "colour", "blue", preview="p", replaces=green.id)
    none = await memory.state_fact("decision", "shape", "", preview="p", replaces=round_.id, removes=True)

    seen, every = await memory.facts(preview="p"), await memory.facts(preview="p", all=True)

    assert said(seen) == [("blue", "current", "p")]
    assert [(one.id, one.state, one.superseded_by) for one in seen.instead] == [
        (green.id, "superseded", blue.id),
        (round_.id, "removed", none.id),
    ]
    assert (await memory.facts()).instead == every.instead == ()
    assert {one.id for one in every.facts} == {green.id, blue.id, round_.id}
    assert [one.id for one in (await memory.facts(preview="p", subject="note")).instead] == []


async def test_what_is_a_preview_s_own_is_listed_by_itself(memory: Memory) -> None:
    """As it says it, and with what only takes a live fact away; without a preview there is nothing of its own."""
    green = await memory.state_fact("decision", "colour", "green")
    await memory.state_fact("decision", "size", "small", preview="p")
    await memory.state_fact("decision", "size", "large", preview="q")
    await memory.state_fact("decision", "colour", "", preview="p", replaces=green.id, removes=True)

    own = (await memory.facts(preview="p", own=True)).facts

    assert [(one.identity.name, one.value, one.replaces, one.removes) for one in own] == [
        ("colour", "", green.id, True),
        ("size", "small", "", False),
    ]
    with pytest.raises(Invalid, match="name the preview"):
        await memory.facts(own=True)


async def test_a_fact_of_a_preview_is_found_by_who_names_it(wire: FactWire, memory: Memory) -> None:
    """A person is told which preview that is; an agent learns nothing of it."""
    small = await memory.state_fact("decision", "size", "small", preview="p")

    for preview in (None, "q"):
        with pytest.raises(
            NotFound, match=rf"{small.id} is a fact of the preview 'p'; name that preview \(--preview\)"
        ):
            await memory.fact(small.id, preview=preview)
    async with wire.memory(AGENT) as agent:
        with pytest.raises(NotFound, match=f"there is no fact {small.id} here"):
            await agent.fact(small.id)
    assert (await memory.fact(small.id, preview="p")).current == small.id


async def test_why_a_preview_s_fact_is_known(memory: Memory) -> None:
    """By who names the preview, who is told of a live fact what the preview makes of it."""
    green = await memory.state_fact("decision", "colour", "green")
    blue = await memory.state_fact("decision", "colour", "blue", preview="p", replaces=green.id)

    own, live = await memory.why(blue.id, preview="p"), await memory.why(green.id, preview="p")

    assert (own.fact.id, own.fact.state, own.fact.replaces) == (blue.id, "current", green.id)
    assert (live.fact.state, live.fact.superseded_by) == ("superseded", blue.id)
    assert live.because.startswith(f"the preview puts another in its place: 'blue' ({blue.id}, person")
    assert (await memory.why(green.id)).fact.state == "current"
    with pytest.raises(NotFound):
        await memory.why(blue.id)


# Changing


async def test_a_preview_s_fact_is_pinned_labelled_and_taken_back_in_it(memory: Memory) -> None:
    """Nothing of that is seen elsewhere."""
    small = (await memory.state_fact("decision", "size", "small", preview="p")).id
    await memory.pin(small, preview="p")
    await memory.label(small, add=["urgent"], preview="p")

    (fact,) = (await memory.facts(preview="p")).facts
    assert (fact.pinned, fact.labels) == (True, ("urgent",))

    await memory.unpin(small, preview="p")
    await memory.label(small, remove=["urgent"], preview="p")
    (fact,) = (await memory.facts(preview="p")).facts
    assert (fact.pinned, fact.labels) == (False, ())
    await memory.retire_fact(small, preview="p")
    assert (await memory.facts(preview="p", all=True)).facts[0].state == "retired"


async def test_a_live_fact_is_not_changed_by_who_names_a_preview(memory: Memory) -> None:
    """Neither pinned, labelled, moved, approved nor deleted: the preview shows it as it was, and so does everybody."""
    green = (await memory.state_fact("decision", "colour", "green")).id
    says = f"{green} is no fact of the preview 'p' but a live one, which nothing there changes"

    for change in (
        memory.pin(green, preview="p"),
        memory.unpin(green, preview="p"),
        memory.label(green, add=["urgent"], preview="p"),
        memory.move(green, "thread", thread="t", preview="p"),
        memory.approve(green, preview="p"),
        memory.retire_fact(green, preview="p"),
        memory.delete_fact(green, preview="p"),
    ):
        with pytest.raises(Invalid, match=says):
            await change
    assert said(await memory.facts()) == [("green", "current", "")]


async def test_what_is_approved_or_moved_in_a_preview_stays_in_it(wire: FactWire, memory: Memory) -> None:
    """Nothing applies a preview: what is to hold is stated live."""
    proposal = await proposed_in(wire, "p")
    approved = await memory.approve(proposal, preview="p")
    assert said(await memory.facts(scope="permanent", preview="p")) == [("blue", "current", "p")]
    moved = await memory.move(approved.id, "session", session="s", preview="p")

    assert said(await memory.facts(session="s", preview="p")) == [("blue", "current", "p")]
    assert [fact.id for fact in (await memory.facts(session="s", preview="p")).facts] == [moved.id]
    assert (await memory.facts(session="s", all=True)).facts == ()
    assert (await memory.facts(thread="t", all=True)).facts == ()


async def test_what_stands_in_a_live_fact_s_place_goes_on_to_when_it_is_moved(memory: Memory) -> None:
    """As what takes one away does."""
    green = (await memory.state_fact("decision", "colour", "green")).id
    round_ = (await memory.state_fact("decision", "shape", "round")).id
    blue = await memory.state_fact("decision", "colour", "blue", preview="p", replaces=green)
    none = await memory.state_fact("decision", "shape", "", preview="p", replaces=round_, removes=True)
    for fact in (blue, none):
        await memory.move(fact.id, "thread", thread="t", preview="p")

    assert said(await memory.facts(thread="t", preview="p")) == [("blue", "current", "p")]


async def test_a_place_that_the_moved_fact_is_not_in_is_refused(memory: Memory) -> None:
    """Where it goes is another place than where it is."""
    note = (await memory.state_fact("note", "colour", "green", thread="t")).id

    with pytest.raises(Invalid, match=f"{note} is a fact of the thread 't', and not of 'u'"):
        await memory.move(note, "session", thread="u", session="s")
    await memory.move(note, "session", thread="t", session="s")
    assert said(await memory.facts(session="s")) == [("green", "current", "")]


# Deleting


async def test_a_preview_s_fact_is_deleted_and_the_live_one_is_seen_again(memory: Memory) -> None:
    """The receipt names its document; what the preview took away comes back when that is deleted."""
    green = (await memory.state_fact("decision", "colour", "green")).id
    blue = await memory.state_fact("decision", "colour", "blue", preview="p", replaces=green)
    gone = await memory.delete_fact(blue.id, "no", preview="p")

    assert [one.id for one in gone.deleted] == [blue.id]
    assert [one.where for one in gone.traces if one.kind == "document"] == [
        "permanent preview.p.shared.decision.colour"
    ]
    assert said(await memory.facts(preview="p")) == [("green", "current", "")]
    none = await memory.state_fact("decision", "colour", "", preview="p", replaces=green, removes=True)
    assert (await memory.facts(preview="p")).facts == ()
    await memory.delete_fact(none.id, preview="p")
    assert said(await memory.facts(preview="p")) == [("green", "current", "")]


async def test_a_place_is_emptied_in_one_preview(memory: Memory) -> None:
    """What is live there, and what another preview has, stays."""
    await memory.state_fact("note", "colour", "green", thread="t")
    for preview in ("p", "q"):
        await memory.state_fact("note", "size", "small", thread="t", preview=preview)

    deleted = await memory.delete_scope("thread", "t", preview="p")

    assert (deleted.facts, deleted.preview, deleted.failed) == (1, "p", ())
    assert said(await memory.facts(thread="t", preview="p")) == [("green", "current", "")]
    assert len((await memory.facts(thread="t", preview="q")).facts) == 2
    assert (await memory.delete_scope("thread", "t")).facts == 1
    assert said(await memory.facts(thread="t", preview="q")) == [("small", "current", "q")]


async def test_a_whole_preview_is_counted_and_then_dropped(wire: FactWire, memory: Memory) -> None:
    """Whoever owns it: what replaces, what takes away, and what a later live word outlived; nothing live goes."""
    green = (await memory.state_fact("decision", "colour", "green")).id
    round_ = (await memory.state_fact("decision", "shape", "round")).id
    await memory.state_fact("decision", "colour", "blue", preview="p", replaces=green)
    await memory.state_fact("decision", "shape", "", preview="p", replaces=round_, removes=True)
    await memory.state_fact("decision", "size", "small", preview="p")
    await memory.state_fact("decision", "size", "large")
    for session in ("s1", "s2"):
        await memory.state_fact("note", "size", "small", session=session, preview="p")
    await proposed_in(wire, "p")
    live = [fact.id for fact in (await memory.facts()).facts]
    places = [("permanent", "shared", 3), ("session", "s1", 1), ("session", "s2", 1), ("thread", "t", 1)]

    counted = await memory.delete_preview("p", dry_run=True)
    dropped = await memory.delete_preview("p", "it was tried")
    again = await memory.delete_preview("p")

    assert [(one.facts, one.kinds) for one in (counted, dropped)] == [(6, {"decision": 4, "note": 2})] * 2
    assert [(one.scope, one.owner, one.facts) for one in counted.places] == places
    assert [(one.scope, one.owner, one.facts) for one in dropped.places] == places
    assert (counted.dry_run, again.facts, again.places) == (True, 0, ())
    assert [fact.id for fact in (await memory.facts(preview="p")).facts] == live
    assert (await memory.facts(session="s1", preview="p")).facts == (await memory.facts(preview="p")).facts


async def test_only_a_person_drops_a_preview(wire: FactWire, memory: Memory) -> None:
    """An agent may take back what it stated in it."""
    small = await memory.state_fact("decision", "size", "small", preview="p")
    async with wire.memory(Caller("caller", "app")) as app:
        with pytest.raises(Denied, match="a caller may not delete facts; it may retire its own"):
            await app.delete_preview("p")

    assert (await memory.fact(small.id, preview="p")).current == small.id
