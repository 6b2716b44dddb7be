"""Faults of what memory systems did to facts as they changed, and what holds here.

F2 links of an entity that were lost · F48 unrelated facts that retired each other · F53 a succession taken for a
contradiction · F54 a confirmation that counted for nothing · F88 text of other scripts that could not be found.
"""

from __future__ import annotations

from collections import Counter
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest
from fields import SETTLE_SECONDS, options, used, views
from shell import Shell

from eunoe.client import Memory
from eunoe.runtime.doors import Store
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet
from eunoe.schemas import records, subjects
from eunoe.schemas.context import Context
from eunoe.schemas.events import ConflictRaised

WRITERS = 20

SCRIPTS = {
    "部署窗口": "周五不发布,除非值班经理批准",
    "سياسة النشر": "لا نشر يوم الجمعة",
    "mood 🐿️": "🚀👩‍🚀 ship it 🐿️",
    "ความลับ": "เก็บกุญแจไว้ในตู้นิรภัย",
    "cafe\u0301": "cre\u0300me bru\u0302le\u0301e",  # decomposed accents: a value is kept as it was said
}
PLACES = {"线程": "只在这里", "خيط": "هنا فقط"}  # threads, and what is known in each

ASKED = (  # the name and value of a fact, and a request that shares a word with it
    ("部署窗口", "周五不发布", "部署要等多久?"),
    ("سياسة", "لا نشر يوم الجمعة", "هل هناك نشر اليوم"),
    ("ความลับ", "กุญแจอยู่ในตู้นิรภัย", "กุญแจอยู่ไหน"),
    ("배포", "금요일에는 하지 않는다", "배포 언제"),
    ("château", "fermé le lundi", "Le château ?"),
    ("release", "never on fridays", "When is the release?"),
)


def lines(context: Context) -> list[str]:
    """The lines of facts that a context shows, in their order."""
    said = [message["content"] for message in context.messages if "<eunoe-record " in message["content"]]
    return [line for text in said for line in text.split("\n") if line.startswith("- ")]


# An entity that many name at once (F2)


@pytest.mark.parametrize("values", ["the same", "different"])
async def test_an_entity_lists_everybody_who_named_it_at_once(
    settings: Settings, memory: Memory, fleet: Fleet, values: str
) -> None:
    """F2: twenty programs on connections of their own say something of one entity at the same moment: it has twenty
    sources when they say the same, and twenty values, one of which leads, when they do not."""
    said = ["squirrel" if values == "the same" else f"value {number}" for number in range(WRITERS)]
    async with AsyncExitStack() as stack:
        writers = [
            await stack.enter_async_context(
                Memory.connect(settings=settings.model_copy(update={"role": "caller", "principal": f"app{number}"}))
            )
            for number in range(WRITERS)
        ]
        async with anyio.create_task_group() as tasks:
            for writer, value in zip(writers, said, strict=True):
                tasks.start_soon(writer.state_fact, "entity", "backup tool", value)
    (fact,) = await views(memory, fleet, subject="entity")

    sources = {f"caller app{number}" for number in range(WRITERS)}
    if values == "the same":
        assert (fact.value, fact.supports, fact.conflict) == ("squirrel", WRITERS, False)
        assert set(fact.sources) == sources
    else:
        assert fact.conflict
        stated = {f"{fact.value} — from {fact.sources[0]}", *fact.others}
        assert stated == {f"value {number} — from caller app{number}" for number in range(WRITERS)}
        assert {one.value for one in (await memory.fact(fact.id)).versions} == set(said)


async def test_an_entity_lists_every_property_that_was_stated_at_once(memory: Memory, fleet: Fleet) -> None:
    """F2: twenty facts about one entity through one client, each of a thread of its own that learned it from a tool:
    the session lists all twenty, each under its name and with its value."""

    async def learn(number: int) -> None:
        async with memory.thread(f"t{number}", session="s").turn("What listens?") as turn:
            line = f"LISTEN 0 128 127.0.0.1:{9000 + number} 0.0.0.0:*"
            await used(turn, "c", "bash", line, exit_status=0, command="ss -ltn")
            await turn.reply("That.")

    async with anyio.create_task_group() as tasks:
        for number in range(WRITERS):
            tasks.start_soon(learn, number)
    found = await views(memory, fleet, scope="session", session="s", subject="service")

    assert {fact.identity.name: fact.thread for fact in found} == {
        f"port {9000 + number}": f"t{number}" for number in range(WRITERS)
    }
    assert (await memory.session("s")).facts == WRITERS


# A change among unrelated facts (F48)


async def test_of_a_hundred_unrelated_facts_a_change_supersedes_its_own_alone(
    memory: Memory, store: Store, fleet: Fleet
) -> None:
    """F48: their values are alike, and partly equal; one changes, and exactly that one is superseded, by what changed
    it; all others are in force as they were, and nobody disagrees."""
    async with anyio.create_task_group() as tasks:
        for number in range(100):
            tasks.start_soon(memory.state_fact, "entity", f"host {number}", f"runs release {number % 10}")
    before = {fact.identity.name: fact.id for fact in (await memory.facts()).facts}
    changed = await memory.state_fact("entity", "host 42", "runs release 3")

    assert await fleet.settle(SETTLE_SECONDS)
    every = (await memory.facts(all=True, limit=1_000)).facts
    assert len(before) == 100
    assert Counter(fact.state for fact in every) == {"current": 100, "superseded": 1}
    (gone,) = [fact for fact in every if fact.state == "superseded"]
    assert (gone.id, gone.value, gone.superseded_by) == (before["host 42"], "runs release 2", changed.id)
    now = {fact.identity.name: fact.id for fact in every if fact.state == "current"}
    assert now == before | {"host 42": changed.id}
    assert await raised(store) == []


async def raised(store: Store) -> list[ConflictRaised]:
    """The conflicts that were logged of the facts that everyone shares."""
    chain = subjects.book_chain("permanent", "shared")
    logged = [
        records.read(one.seq, one.data) async for one in store.log.scan([subjects.chain_filter(store.space, chain)])
    ]
    return [event for record in logged for event in record.events if isinstance(event, ConflictRaised)]


# What follows each other (F53)


@pytest.mark.parametrize("second", ["the same person", "another person", "a program"])
async def test_values_that_follow_each_other_are_history_and_no_conflict(
    settings: Settings, memory: Memory, store: Store, fleet: Fleet, second: str
) -> None:
    """F53: 28k through 2024, 32k from 2025 on, whoever says the second: each holds at its time, the first is past and
    not superseded, and no conflict is listed or logged. What overlaps, of two sources, is one."""
    role, principal = {"the same person": ("person", "ada"), "another person": ("person", "bob")}.get(
        second, ("caller", "payroll")
    )
    new_year = datetime(2025, 1, 1, tzinfo=UTC)
    first = await memory.state_fact(
        "entity", "salary", "28k", valid_from=datetime(2024, 1, 1, tzinfo=UTC), valid_to=new_year
    )
    other = settings.model_copy(update={"role": role, "principal": principal})
    async with Memory.connect(settings=other) as successor:
        raise_ = await successor.state_fact("entity", "salary", "32k", valid_from=new_year)

    assert await fleet.settle(SETTLE_SECONDS)
    moments = {"2023": [], "2024": ["28k"], "2025": ["32k"], "2026": ["32k"]}
    for year, expected in moments.items():
        held = await memory.facts(valid=datetime(int(year), 6, 1, tzinfo=UTC))
        assert [fact.value for fact in held.facts] == expected, year
    (fact,) = (await memory.facts()).facts
    history = await memory.fact(fact.id)
    assert (fact.id, fact.value, fact.conflict, fact.others) == (raise_.id, "32k", False, ())
    assert [(one.id, one.value, one.state, one.rule == "past") for one in history.versions] == [
        (first.id, "28k", "superseded", True),
        (raise_.id, "32k", "current", False),
    ]
    assert (history.conflict, (await memory.conflicts()).facts, await raised(store)) == (False, (), [])

    async with Memory.connect(settings=other) as successor:
        await successor.state_fact("entity", "bonus", "3k", valid_from=new_year)
    await memory.state_fact("entity", "bonus", "4k", valid_from=new_year)
    disagreeing = [(one.identity.name, one.value) for one in (await memory.conflicts()).facts]
    assert disagreeing == ([] if second == "the same person" else [("bonus", "4k")])


# What was confirmed (F54)


async def test_what_was_confirmed_three_times_outranks_what_is_older(memory: Memory, fleet: Fleet) -> None:
    """F54: a fact that was said first, and again three times after forty others, leads every one of them in a context,
    and where there is room for few it is there and the others are not all; its count says four."""
    confirmed = await memory.state_fact("entity", "database", "postgres " + "x" * 100)
    await forty_more(memory)
    thread = memory.thread("t")
    before = lines(await thread.context(window=2048, prompt="Go on."))
    again = [await memory.state_fact("entity", "database", "Postgres " + "x" * 100) for _ in range(3)]
    wide, narrow = [lines(await thread.context(window=window, prompt="Go on.")) for window in (65_536, 2048)]

    (fact,) = [one for one in await views(memory, fleet) if one.identity.name == "database"]
    assert (fact.id, fact.version, fact.supports) == (confirmed.id, 1, 4)
    assert {one.known for one in again} == {confirmed.id}
    assert not any("database" in line for line in before)
    names = [line.partition(":")[0] for line in wide]
    assert names[0] == "- entity database"
    assert sorted(names[1:]) == sorted(f"- entity other {number}" for number in range(40))
    assert narrow[0].startswith("- entity database: ")
    assert 1 < len(narrow) < 40


# Other scripts (F88)


async def test_facts_of_any_script_are_found_by_their_own_words_and_come_back_as_they_were(
    settings: Settings, memory: Memory, fleet: Fleet, tmp_path: Path
) -> None:
    """F88: in lists, by subject, by id, in the command line's bytes and in a context, never as escapes; a body too."""
    shell = Shell(tmp_path).named("person", "ada")
    ids = {name: (await memory.state_fact("entity", name, value, content=value)).id for name, value in SCRIPTS.items()}
    for place, value in PLACES.items():
        await memory.state_fact("note", place, value, thread=place)
    composed = await memory.thread("t").context(prompt="?")
    printed = await anyio.to_thread.run_sync(shell, "facts", "--json", *options(settings))

    listed = {fact.id: fact.value for fact in await views(memory, fleet, subject="entity")}
    assert listed == {ids[name]: value for name, value in SCRIPTS.items()}
    for name, value in SCRIPTS.items():
        assert (await memory.fact(ids[name], content=True)).content == value
        assert value.encode() in printed.raw
        assert any(f": {value} — from person ada" in line for line in lines(composed))
        body = await anyio.to_thread.run_sync(shell, "fact", "history", ids[name], "--content", *options(settings))
        assert body.raw == value.encode()
    assert "\\u" not in printed.out
    assert {fact["value"] for fact in printed.json["facts"]} == {*SCRIPTS.values(), *PLACES.values()}
    for place, value in PLACES.items():
        (fact,) = await views(memory, fleet, place, scope="thread")
        assert (fact.identity.owner, fact.identity.name, fact.value) == (place, place, value)


async def test_a_request_in_any_script_brings_in_the_fact_that_shares_its_words(memory: Memory, fleet: Fleet) -> None:
    """F88: a fact too old for the room that facts have stands beside the request that names it, once, and beside no
    other; which words two texts share is composition's to say."""
    stated = {name: (await memory.state_fact("entity", name, value)).id for name, value, _ in ASKED}
    await forty_more(memory)
    thread = memory.thread("t")

    for name, value, asked in ASKED:
        context = await thread.context(window=2048, prompt=asked)
        shown = {line.id for line in (*context.recipe.earlier, *context.recipe.now)}
        assert shown & set(stated.values()) == {stated[name]}, asked
        assert sum(f"- entity {name}: {value} — from person ada" in line for line in lines(context)) == 1


async def forty_more(memory: Memory) -> None:
    """More facts of a person than a small window has room for."""
    async with anyio.create_task_group() as tasks:
        for number in range(40):
            tasks.start_soon(memory.state_fact, "entity", f"other {number}", "y" * 150)
