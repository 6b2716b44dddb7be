"""Faults that names and sizes made elsewhere, and what holds here.

F72 names that acted as patterns · F100 one item too large that took the others along.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import anyio
import msgspec
import pytest
from fields import LISTENING, known, told, used, views

from eunoe.client import Memory, stating
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet
from eunoe.schemas import limits
from eunoe.schemas.errors import EunoeError, TooLarge
from eunoe.schemas.events import Event, FactRecorded, Prompt, Response, TurnOpened
from eunoe.schemas.requests import AppendRequest

NAMES = (
    "a",
    "a.b",
    "a.bc",
    "a:b",
    "a*",
    "*",
    ">",
    "a.>",
    "a.*",
    "%",
    "a%",
    "a_b",
    "a_",
    "a-b",
    "a b",
    "a/b",
    "a\\b",
    "a=2Eb",
    "=2E",
    "$JS",
    "_INBOX",
    "A",
    "é",
    "e\u0301",
    "数",
    "🙂",
    "1",
    "10",
    "'; drop",
    "shared",
    "=all",
    "x" * 128,
)


# Names that could be patterns (F72)


async def test_threads_with_odd_names_are_apart(memory: Memory, fleet: Fleet) -> None:
    """Each has its own turn, fact, context and entries, and is listed by its own name."""
    async with anyio.create_task_group() as tasks:
        for number, name in enumerate(NAMES):
            tasks.start_soon(told, memory, name, f"{number}.py")
    for number, name in enumerate(NAMES):
        facts = await views(memory, fleet, name)
        entries = (await memory.thread(name).entries()).entries
        context = await memory.thread(name).context(prompt="And?")
        assert [(fact.identity.owner, fact.identity.name) for fact in facts] == [(name, f"{number}.py")]
        assert (len(entries), entries[0].content) == (4, f"What is in {number}.py?")
        assert context.messages[0]["content"] == f"What is in {number}.py?"

    listed = (await memory.threads()).threads
    assert sorted(state.thread for state in listed) == sorted(NAMES)


async def test_sessions_and_agents_with_odd_names_are_apart(memory: Memory, fleet: Fleet) -> None:
    """A session's fact is seen from that session alone, under the agent that learned it."""
    for number, name in enumerate(NAMES):
        async with memory.thread(f"t{number}", session=name, agent=name).turn("What listens?") as turn:
            line = LISTENING.replace("8080", str(9000 + number))
            await used(turn, "c", "bash", line, exit_status=0, command="ss -ltn")
            await turn.reply("That.")

    for number, name in enumerate(NAMES):
        port = f"port {9000 + number}"
        assert list(await known(memory, fleet, scope="session", session=name)) == [("service", port)]
        found = await views(memory, fleet, scope="session", agent=name)
        assert [(fact.identity.owner, fact.agent, fact.identity.name) for fact in found] == [(name, name, port)]


async def brought(memory: Memory, kind: str) -> None:
    """A fact of a kind that nobody declared here, as an import brings it: with the time at which it was stated."""
    about = stating.identity(kind, "same")
    fact = msgspec.structs.replace(stating.assertion(memory.gate.caller, about, "first"), at=1)
    await memory.append(stating.chain_of(about), "", [FactRecorded(fact=fact)])


async def test_facts_with_odd_names_and_owners_are_apart(memory: Memory, fleet: Fleet) -> None:
    """Stated, found, changed and deleted one by one: what is done to one is not done to another."""
    names = sorted(set(NAMES))
    for name in names:
        await memory.state_fact("statement", name, "first")
        await brought(memory, name)
    await memory.state_fact("statement", "a*", "second")
    star = next(fact for fact in await views(memory, fleet, scope="permanent") if fact.identity.name == "*")
    await memory.delete_fact(star.id)

    found = await views(memory, fleet, scope="permanent")
    values = {fact.identity.name: fact.value for fact in found if fact.identity.subject == "statement"}
    composed = {unicodedata.normalize("NFC", name) for name in names}  # the two forms of an accent are one name
    assert values == {name: "second" if name == "a*" else "first" for name in composed if name != "*"}
    kinds = [fact.identity.subject for fact in found if fact.identity.name == "same"]
    assert sorted(kinds) == names


async def test_principals_with_odd_names_read_their_own_and_nobody_elses(settings: Settings, fleet: Fleet) -> None:
    """An agent of each name keeps a fact of its own, and sees that one only."""
    for name in NAMES:
        if name == "shared":
            continue
        agent = settings.model_copy(update={"role": "agent", "principal": name})
        async with Memory.connect(settings=agent) as memory:
            await memory.state_fact("statement", "mine", f"of {name[:20]}", owner=name)
    for name in NAMES:
        agent = settings.model_copy(update={"role": "agent", "principal": name})
        async with Memory.connect(settings=agent) as memory:
            seen = await views(memory, fleet)
        assert [fact.value for fact in seen] == ([f"of {name[:20]}"] if name != "shared" else [])


# One item too large (F100)


async def test_one_huge_run_of_a_file_costs_no_other(memory: Memory, tmp_path: Path) -> None:
    """Of ten runs the fifth holds 65 MiB in one message: nine threads are there, and that message is reported."""
    file = tmp_path / "runs.jsonl"
    with file.open("w") as out:
        for number in range(1, 11):
            content = "x" * (65 * limits.MIB) if number == 5 else f"question {number}"
            said = [{"role": "user", "content": content}, {"role": "assistant", "content": f"answer {number}"}]
            out.write(json.dumps({"messages": said}) + "\n")
    report = await memory.import_file(file)

    whole = [number for number in range(1, 11) if number != 5]
    for number in whole:
        entries = (await memory.thread(f"runs.{number}").entries()).entries
        assert [entry.content for entry in entries] == [f"question {number}", f"answer {number}"]
    assert report.problem_count == 1
    assert report.problems[0].line == 5
    assert "the limit is 67,108,864 (64 MiB)" in report.problems[0].reason


async def test_of_ten_appends_at_once_only_the_huge_one_is_refused(memory: Memory) -> None:
    """Nine land though all ten went into one batch; the tenth says why, and the thread goes on."""
    thread = memory.thread("t")
    await thread.append(TurnOpened(), Prompt(content="begin"), turn="k")
    refused: list[EunoeError] = []

    async def append(number: int) -> None:
        content = "x" * (limits.CONTENT_BYTES + 1) if number == 4 else f"said {number}"
        try:
            await thread.append(Response(content=content), turn="k")
        except EunoeError as error:
            refused.append(error)

    async with anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(append, number)
    await thread.append(Response(content="after"), turn="k")

    said = [entry.content for entry in (await thread.entries()).entries]
    assert said == ["begin", *(f"said {number}" for number in range(10) if number != 4), "after"]
    assert [type(error) for error in refused] == [TooLarge]


async def test_of_ten_appends_at_once_only_the_one_of_a_closed_turn_is_refused(memory: Memory) -> None:
    """The same with one that the worker refuses: what is coalesced with it is not refused with it."""
    thread = memory.thread("t")
    await thread.append(TurnOpened(), Prompt(content="begin"), turn="k")
    refused: list[EunoeError] = []

    async def append(number: int) -> None:
        event = Response(content=f"said {number}", turn=7 if number == 4 else 0)
        try:
            await thread.append(event, turn="k" if number != 4 else "gone")
        except EunoeError as error:
            refused.append(error)

    async with anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(append, number)

    said = [entry.content for entry in (await thread.entries()).entries]
    assert said == ["begin", *(f"said {number}" for number in range(10) if number != 4)]
    assert [error.code for error in refused] == ["turn_not_open"]


async def test_one_huge_item_of_a_mapped_result_costs_no_other(memory: Memory, fleet: Fleet) -> None:
    """Ten hits, one of 100,000 characters: ten facts, of which that one is cut to 200 characters."""
    hits = [{"title": str(number), "text": "x" * (100_000 if number == 4 else 10)} for number in range(10)]
    async with memory.thread("t").turn("Search.") as turn:
        await used(turn, "c", "search", json.dumps({"hits": hits}))
        await turn.reply("Found.")

    facts = await known(memory, fleet, "t")
    assert facts == {("note", str(n)): "x" * 10 if n != 4 else "x" * 199 + "…" for n in range(10)}


async def test_a_record_over_its_limit_is_refused_and_the_next_one_is_not(memory: Memory) -> None:
    """An append whose record is over 1 MiB is answered with the figures; its number is free for another."""
    chain = memory.thread("t").chain
    large: tuple[Event, ...] = (TurnOpened(), *(Prompt(content="x" * 200_000) for _ in range(6)))
    with pytest.raises(TooLarge, match=r"the limit is 1,048,576"):
        await memory.gate.append(
            chain, msgspec.json.encode(AppendRequest(v=1, producer="p", n=1, turn="k", events=large))
        )
    small = (TurnOpened(), Prompt(content="small"))
    reply = await memory.gate.append(
        chain, msgspec.json.encode(AppendRequest(v=1, producer="p", n=1, turn="k", events=small))
    )

    assert (reply.record, reply.entries) == (1, (0, 1))
