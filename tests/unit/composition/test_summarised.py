"""The running summary in contexts of real workers: as it is stored, replayed, erased, waited for, and told of."""

from __future__ import annotations

from typing import Any

import anyio
import msgspec
import pytest
from composition_desks import ALICE, DISTILLATION, EXTRACTION, System, running, texts

from eunoe.schemas import ids, records, subjects
from eunoe.schemas.context import Context, ShownSummary
from eunoe.schemas.distilled_events import Effort, SetAside
from eunoe.schemas.erasures import EraseRequest, ErasureTarget
from eunoe.schemas.events import (
    Extracted,
    FactMoved,
    FactRecorded,
    MemoryUsed,
    Prompt,
    Response,
    SummaryKept,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.facts import Assertion, Identity, Provenance, Source
from eunoe.schemas.subjects import Address

WINDOW = 2048
TEXT = "Turn 1: person: question 0.\nTurn 4: person: question 3."


@pytest.fixture
async def system() -> System:
    """Twelve turns of which the first leave a window of 2,048 tokens, and one that is open; four are summarised."""
    found = System()
    await found.talked(12)
    await found.summarised(TEXT, 4)
    await found.project()
    return found


async def asked(system: System, **more: Any) -> Context:
    return await system.compose(key=f"k{system.opened}", window=WINDOW, **more)


async def answered(system: System) -> None:
    """The open turn is over, and another one is opened."""
    await system.append(Response(content="word"), TurnCommitted(), key=f"k{system.opened}")
    await system.open(Prompt(content="and now?"))


def lines(context: Context) -> list[str]:
    """The lines of the earlier block, without its labels; none where there is no block."""
    first, *rest = texts(context)[0].split("\n")
    return rest[:-1] if first.startswith('<eunoe-record kind="earlier"') else []


def about_turns(context: Context) -> list[str]:
    """The lines about turns that left, but for how many they are, with the beginnings of those that name one."""
    return [line.split(" (")[0] for line in lines(context) if line.startswith(("Summary", "  ", "turn ", "("))]


async def test_the_summary_says_what_happened_in_turns_that_are_named_all_the_same(system: System) -> None:
    """At the end of the earlier block, before the turns that left, whether it covers them or not."""
    context = await asked(system)

    left = context.recipe.left
    assert left > 4
    assert about_turns(context) == [
        "Summary of turns 1–4, by rules:",  # noqa: RUF001
        "  Turn 1: person: question 0.",
        "  Turn 4: person: question 3.",
        *(f"turn {number}" for number in range(1, left + 1)),
    ]
    assert context.summary == "turns 1–4, by rules"  # noqa: RUF001
    assert context.recipe.outline_hidden == 0


async def test_where_no_turn_left_there_is_no_summary(system: System) -> None:
    """Every turn is there word for word."""
    context = await system.compose(key="k13", window=65_536)

    assert (context.recipe.left, context.recipe.summary, about_turns(context)) == (0, None, [])


async def test_the_log_says_which_summary_reached_the_model(system: System) -> None:
    """By the position of its event, and never by its words."""
    reply = await system.summarised("Turn 5: model: word.", 5, before=(await asked(system)).recipe.summary.position)  # type: ignore[union-attr]
    await system.project()

    context = await asked(system, store=True)

    stored = [one async for one in system.store.log.scan()][-1]
    used = [event for event in records.read(stored.seq, stored.data).events if isinstance(event, MemoryUsed)]
    assert context.recipe.summary == ShownSummary(version=2, position=reply.position, index=0, last=5)
    assert [event.summary for event in used] == [reply.position]
    assert b"Turn 5: model" not in stored.data


async def test_a_past_turn_shows_the_summary_that_its_model_saw(system: System) -> None:
    """Also once another one is in force, and however often it was composed."""
    first = await asked(system, store=True)
    assert first.recipe.summary is not None
    await system.summarised("Something else.", 6, before=first.recipe.summary.position)
    await system.project()
    second = await asked(system, store=True)

    again = await system.compose(system.replica(), turn=13)
    before = await system.compose(system.replica(), turn=13, nth=1)

    assert (again.differs, again.messages, again.summary) == ("", second.messages, "turns 1–6, by rules")  # noqa: RUF001
    assert (before.differs, before.messages, before.summary) == ("", first.messages, "turns 1–4, by rules")  # noqa: RUF001


async def test_a_past_turn_whose_summary_was_erased_says_so(system: System) -> None:
    """It goes with a turn that it covers; the rest of what the model saw is there."""
    context = await asked(system, store=True)
    target = ErasureTarget(thread="t", turns=((2, 2),))
    request = EraseRequest(target=target, id="e1", reason="asked to", wait=5.0)
    await system.audit.handlers()["erase"](Address("erase", ALICE, ""), msgspec.json.encode(request))

    again = await system.compose(system.replica(), turn=13)

    assert (again.differs, again.summary) == ("erased: entry 3; erased: the summary", "")
    assert about_turns(again) == about_turns(context)[3:]


async def test_a_reconstructed_turn_shows_no_summary(system: System) -> None:
    """Nor does one in another window: what was summarised when would decide it."""
    await asked(system, store=True)

    other = await system.compose(turn=13, window=1024)

    assert other.reconstructed
    assert (other.recipe.summary, other.recipe.left > 4) == (None, True)
    assert other.recipe.outline[0].turn == 1


async def test_a_reconstructed_turn_shows_no_fact_that_was_distilled_and_moved_since(system: System) -> None:
    """Where a person moved it to, it says from which turn it came, and was asserted when that was done."""
    value, source = "5432", Source(kind="model", principal="distiller")
    given: dict[str, Any] = {"value": value, "at": 1, "provenance": Provenance(thread="t", turn=2)}
    own = Assertion(identity=Identity("thread", "t", "entity", "port"), source=source, method="distilled", **given)
    reply = await system.append(FactRecorded(fact=own), caller=DISTILLATION)
    fact = ids.fact_id(system.chain, reply.origin, 0)
    about, alice = Identity("permanent", "shared", "entity", "port"), Source(kind="person", principal="alice")
    moved = Assertion(identity=about, source=alice, method="stated", cites=fact, **{**given, "at": 0})
    await system.project()
    await system.append(FactMoved(id=fact, fact=moved), caller=ALICE)
    await system.project()

    now = await asked(system)
    before = await system.compose(turn=12, window=1024)

    assert [line for line in lines(now) if value in line]
    assert (before.reconstructed, before.recipe.earlier) == (True, ())


async def test_the_earlier_block_stays_as_it_is_until_turns_leave_or_the_summary_goes_on(system: System) -> None:
    """Short turns come and stay: the block is the same bytes, and so is everything before the newest turn."""
    first = await asked(system, store=True)
    assert first.recipe.summary is not None
    for _ in range(3):
        await answered(system)
        later = await asked(system, store=True)
        assert (later.recipe.first_turn, lines(later)) == (first.recipe.first_turn, lines(first))
        assert later.recipe.stable > len(texts(first)[0])
    await system.summarised(f"{TEXT}\nTurn 5: person: question 4.", 5, before=first.recipe.summary.position)
    await system.project()

    after = await asked(system)

    assert after.recipe.first_turn == first.recipe.first_turn
    assert about_turns(after)[3:5] == ["  Turn 5: person: question 4.", "turn 1"]
    assert after.recipe.outline == first.recipe.outline


async def test_a_worker_that_follows_sees_the_next_summary_at_once(system: System) -> None:
    """Before its watch had a moment to bring it, and once it is gone again."""
    async with running(system.worker):
        first = await asked(system)
        assert first.recipe.summary is not None
        await system.summarised("Next.", 5, before=first.recipe.summary.position)
        await system.project()
        second = await asked(system)
        await system.store.thread.delete(subjects.summary_key("t"))
        third = await asked(system)

    assert second.summary == "turns 1–5, by rules"  # noqa: RUF001
    assert (third.recipe.summary, third.recipe.outline[0].turn) == (None, 1)


async def test_once_a_summary_is_gone_the_turns_that_left_are_named_as_before(system: System) -> None:
    """By every worker alike."""
    first = await asked(system, store=True)
    await answered(system)
    await system.store.thread.delete(subjects.summary_key("t"))

    warm = await asked(system)
    cold = await asked(system, worker=system.replica())

    assert (warm.recipe.summary, warm.recipe.outline) == (None, first.recipe.outline)
    assert cold.messages == warm.messages


async def test_a_turn_of_a_preview_sees_the_summary(system: System) -> None:
    await system.append(TurnCommitted(), key="k13")
    await system.append(TurnOpened(preview="p"), Prompt(content="try"), key="preview")

    context = await system.compose(key="preview", window=WINDOW)

    assert context.summary == "turns 1–4, by rules"  # noqa: RUF001


async def test_a_summary_that_is_too_long_for_this_window_is_shortened_in_it(system: System) -> None:
    """Its share is 512 bytes here: the beginning and the end stay, and it is composed again from its size."""
    first = await asked(system)
    assert first.recipe.summary is not None
    text = "First of all. " + "And so on. " * 80 + "At last."
    await system.summarised(text, 4, before=0)
    await system.summarised(text, 7, before=first.recipe.summary.position)
    await system.project()

    context = await asked(system, store=True)
    again = await system.compose(system.replica(), turn=13)

    (line,) = [one for one in lines(context) if one.startswith("  ")]
    assert (line.startswith("  First of all. And so on. "), line.endswith(" At last.")) == (True, True)
    assert context.recipe.summary is not None
    assert 200 < context.recipe.summary.size < 512
    assert (again.differs, again.messages) == ("", context.messages)


# What is still to be drawn


async def test_turns_are_pending_until_what_was_said_is_drawn_too() -> None:
    """Where facts are distilled, that their tools' facts are extracted is not enough."""
    system = System(distiller="rules")
    await system.talked(12)
    for number in range(1, 13):
        await system.append(Extracted(turn=number, ordinal=number), caller=EXTRACTION)
    await system.project()
    early = await asked(system)
    await system.distilled(1, 3)
    await system.project()
    later = await asked(system)
    found: list[Context] = []

    async def ask() -> None:
        found.append(await asked(system, pending_wait=30.0))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        await system.distilled(4, 12)
        await system.project()

    left = early.recipe.left
    assert early.recipe.pending == tuple(range(1, left + 1))
    assert later.recipe.pending == tuple(range(4, left + 1))
    assert f"The facts of turns 4–{left} are not drawn yet." in lines(later)  # noqa: RUF001
    assert found[0].recipe.pending == ()


async def test_a_cold_worker_reads_no_further_back_where_all_that_left_is_distilled_and_summarised() -> None:
    """Turns that are shown word for word wait for their turn to leave: so many records are read as where nothing is
    distilled at all."""
    read = []
    for distiller in ("off", "rules"):
        system = System(distiller=distiller)
        await system.talked(300)
        for number in range(1, 301):
            await system.append(Extracted(turn=number, ordinal=number), caller=EXTRACTION)
        left, more = (await asked(system, store=True)).recipe.left, 0
        if distiller == "rules":
            ranges = [(first, min(first + 11, left)) for first in range(1, left + 1, 12)]
            for first, last in ranges:
                await system.distilled(first, last)
            await system.summarised(TEXT, left)
            more = len(ranges) + 1
        await system.project()
        composed = await asked(system, store=True)
        cold = system.replica()
        await asked(system, worker=cold)
        assert (composed.recipe.left, composed.recipe.pending) == (left, ())
        read.append(cold.statistics()["records_read"] - more)

    assert read[1] <= read[0]


# The list of turns


async def test_what_was_drawn_is_told_at_the_turn_during_which_it_was_recorded() -> None:
    """Though that turn is over by then; also what failed, and which version of the summary came of it."""
    system = System()
    for number in range(4):
        await system.turn(Prompt(content=f"q{number}"))
    first = await system.summarised("One.", 3)
    await system.distilled(1, 3, facts=1, set_aside=(SetAside(text="?", reason="no value"),))
    await system.turn(Prompt(content="q4"))
    await system.summarised("Late.", 4)
    await system.summarised("Two.", 4, before=first.position)
    await system.distilled(4, 4, failed="the model could not be reached", effort=Effort(model="gpt"))
    await system.turn(Prompt(content="q5"))
    await system.append(SummaryKept(last=5, by="model", reason="the model said nothing"), caller=DISTILLATION)
    await system.distilled(5, 5, by="model", facts=2, dropped=1, effort=Effort(model="gpt-5"))
    await system.project()

    told = {line.turn: line.changes for line in (await system.turns()).turns if line.changes}
    page = {line.turn: line.changes for line in (await system.turns(after=3, limit=1)).turns}

    assert told == {
        4: ("summarised turns 1-3: version 1", "distilled turns 1-3: 1 fact, 1 set aside (rules)"),
        5: (
            "summarised turns 1-4: not taken",
            "summarised turns 1-4: version 2",
            "could not distil turn 4: the model could not be reached",
        ),
        6: (
            "kept the summary as it was: the model said nothing",
            "distilled turn 5: 2 facts, 1 over the limit (gpt-5)",
        ),
    }
    assert page == {4: told[4]}
