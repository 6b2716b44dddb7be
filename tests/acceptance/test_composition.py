"""Contexts over a real server, with every worker: what an agent is given, while others write."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import anyio
import pytest
from polling import until_found

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas import subjects
from eunoe.schemas.context import Context
from eunoe.schemas.errors import NotFound, OutcomeUnknown, Unreachable, WorkerMissing
from eunoe.schemas.events import FactRecorded
from eunoe.schemas.facts import Assertion, Identity, Source
from eunoe.testing import NatsServer


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    return Settings(url=nats_server.url, space=space, data=tmp_path, role="agent", principal="builder")


@pytest.fixture
def person(settings: Settings) -> Settings:
    return settings.model_copy(update={"role": "person", "principal": "ada"})


def call(number: int) -> dict[str, object]:
    """An answer that reads a file, as a provider gives it."""
    function = {"name": "read_file", "arguments": f'{{"path": "module{number}.py"}}'}
    return {"role": "assistant", "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}]}


async def ask(memory: Memory, number: int, lines: int = 200) -> Context:
    """One whole turn that reads a file; the context that its second model call got."""
    async with memory.thread("work").turn(f"What is in module {number}?") as turn:
        await turn.reply(call(number))
        await turn.result(f"line of module {number}\n" * lines, call=f"c{number}")
        context = await turn.context(window=4096, memory_tool=True)
        await turn.reply(f"Module {number} has {lines} lines.")
    return context


async def test_a_long_thread_keeps_its_facts_and_replays_what_each_turn_saw(settings: Settings) -> None:
    """In a small window: old turns leave, their facts stay, and every past context is the same again."""
    async with running(settings), Memory.connect(settings=settings) as memory:
        given = [await ask(memory, number) for number in range(1, 25)]
        again = [await memory.thread("work").context(turn=number) for number in (1, 12, 24)]

    assert [one.differs for one in again] == ["", "", ""]
    assert [one.messages for one in again] == [given[number - 1].messages for number in (1, 12, 24)]
    last = given[-1]
    assert last.recipe.left > 0
    assert last.stale == ()
    assert "line of module 24" in last.messages[-1]["content"]
    assert "file module1.py: " in last.messages[0]["content"]
    assert all(one.tokens <= 4096 for one in given)


async def test_what_was_written_is_in_the_very_next_context(settings: Settings) -> None:
    """A client reads its own writes, through any number of composition workers."""
    async with running(settings), running(settings, ["composition"]), Memory.connect(settings=settings) as memory:
        for number in range(20):
            async with memory.thread("own").turn(f"question {number}") as turn:
                context = await turn.context()
                await turn.reply(f"answer {number}")
            said = [message["content"] for message in context.messages]
            assert said[-1] == f"question {number}"
            assert said[-3:-1] == ([f"question {number - 1}", f"answer {number - 1}"] if number else [])


async def test_a_write_can_be_awaited_until_its_facts_are_there(settings: Settings) -> None:
    """What is asked for then has them; a turn that is not there is said."""
    async with running(settings), Memory.connect(settings=settings) as memory:
        thread = memory.thread("awaited")
        async with thread.turn("What is in module 1?") as turn:
            await turn.reply(call(1))
            await turn.result("line of module 1\n", call="c1")
        line = await thread.extracted(turn.number)
        facts = await memory.facts(thread="awaited")
        with pytest.raises(NotFound, match="there is no turn 2 in the thread 'awaited'"):
            await thread.extracted(2)

    assert (line.turn, line.facts, line.failure) == (1, "extracted", "")
    assert "module1.py" in [fact.identity.name for fact in facts.facts]


async def test_many_agents_are_given_contexts_at_once(settings: Settings) -> None:
    """Thirty threads, each with turns one after the other; nothing of one is in another."""
    async with running(settings), Memory.connect(settings=settings) as memory:
        found: dict[int, Context] = {}

        async def work(number: int) -> None:
            for _ in range(3):
                async with memory.thread(f"t{number}").turn(f"I am {number}") as turn:
                    found[number] = await turn.context()
                    await turn.reply(f"You are {number}")

        async with anyio.create_task_group() as tasks:
            for number in range(30):
                tasks.start_soon(work, number)

    for number, context in found.items():
        said = [message["content"] for message in context.messages]
        assert said == [f"I am {number}", f"You are {number}"] * 2 + [f"I am {number}"]


def block(context: Context) -> str:
    """Everything derived of a context, as the model reads it."""
    return "\n".join(layer.text for layer in context.layers if layer.name in ("earlier", "now"))


async def test_a_fact_that_was_stated_is_in_the_very_next_context(person: Settings) -> None:
    """Of the thread, of everyone, and of a session, whichever composition worker answers."""
    async with running(person), running(person, ["composition"]), Memory.connect(settings=person) as memory:
        async with memory.thread("t", session="s").turn("Begin") as turn:
            await turn.reply("Yes.")
        for number in range(15):
            await memory.state_fact("note", "own", f"own {number}", thread="t")
            await memory.state_fact("note", "all", f"all {number}")
            await memory.state_fact("note", "here", f"here {number}", session="s")
            context = await memory.thread("t").context(prompt="And now?")

            assert f"note own: own {number} — from" in block(context)
            assert f"note all: all {number} — from" in block(context)
            assert f"note here: here {number} — from" in block(context)
            assert context.stale == ()


async def test_a_thread_may_have_more_facts_than_one_read_answers(person: Settings) -> None:
    """Of 1,300 facts the newest are shown, the one that the request is about beside it, and the block of the newest
    counts all that it does not show."""
    async with running(person), Memory.connect(settings=person) as memory:
        for start in (0, 650):
            told = [fact(number) for number in range(start, start + 650)]
            await memory.append(subjects.thread_chain("t"), "", told)
        first = await memory.thread("t").context(prompt="What is in part17?")
        await memory.state_fact("note", "part18", "changed", thread="t")
        second = await memory.thread("t").context(prompt="What is in part19?")

    assert len(first.recipe.now) == 1
    assert "- note part1299: value 1299" in block(first)
    assert "- note part17: value 17" in next(layer.text for layer in first.layers if layer.name == "now")
    assert f"({1300 - len(first.recipe.earlier)} more facts not shown)" in block(first)
    assert "- note part18: changed" in block(second)
    assert "- note part19: value 19" in block(second)


def fact(number: int) -> FactRecorded:
    source = Source(kind="person", principal="ada")
    identity = Identity("thread", "t", "note", f"part{number}")
    return FactRecorded(
        fact=Assertion(identity=identity, value=f"value {number}", source=source, at=1_750_000_000_000 + number)
    )


async def test_facts_are_followed_after_the_server_was_killed(
    own_server: NatsServer, space: str, tmp_path: Path
) -> None:
    """Workers that lived on hold nothing from before: what was stated before and after comes into the contexts."""
    person = Settings(url=own_server.url, space=space, data=tmp_path, role="person", principal="ada")
    async with running(person), Memory.connect(settings=person) as memory:
        for number in range(3):
            await memory.state_fact("note", "own", f"own {number}", thread="t")
            before = await memory.thread("t").context(prompt="And now?")
            own_server.kill()
            own_server.start()
            await delivered(memory, f"all {number}")

            assert f"own {number} — from" in block(before)
            await until_found(partial(shows, memory, f"own {number}", f"all {number}"), "both facts in a context")


async def delivered(memory: Memory, value: str) -> None:
    """State a fact of everyone; where the workers are not back yet, the client keeps it and brings it then."""
    try:
        await memory.state_fact("note", "all", value)
    except (OutcomeUnknown, Unreachable, WorkerMissing):
        assert await memory.flush(30) == 0


async def shows(memory: Memory, *values: str) -> bool:
    """Whether the next context says these; not yet, while the workers are coming back."""
    try:
        context = await memory.thread("t").context(prompt="And now?")
    except (OutcomeUnknown, Unreachable, WorkerMissing):
        return False
    return all(f"{value} — from" in block(context) for value in values)


async def test_what_was_deleted_is_in_no_context_that_begins_afterwards(settings: Settings, person: Settings) -> None:
    """Another client's context, which asks for nothing in particular, through any of several composition workers."""
    async with (
        running(settings),
        running(settings, ["composition"]),
        Memory.connect(settings=settings) as memory,
        Memory.connect(settings=person) as other,
    ):
        for number in range(15):
            fact = await other.state_fact("note", f"n{number}", f"value {number}")
            await other.watermark()
            shown = [await _shared(memory) for _ in range(2)]
            await other.delete_fact(fact.id)
            after = [await _shared(memory) for _ in range(3)]

            assert all(f"value {number}" in text for text in shown), number
            assert not any("value" in text for text in after), number


async def _shared(memory: Memory) -> str:
    """The facts that a new thread of the agent is shown."""
    context = await memory.thread("fresh").context()
    return " ".join(layer.text for layer in context.layers)
