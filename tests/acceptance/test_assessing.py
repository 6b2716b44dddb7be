"""Requests assessed by a model, with every worker on a real server and a model's API on this machine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import anyio
import pytest
from model_server import ModelServer, Reply, serving
from polling import until

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.schemas.context import Context
from eunoe.schemas.errors import Misconfigured
from eunoe.schemas.requests import ToolDefinition
from eunoe.testing import NatsServer

TOOLS = (
    ToolDefinition(name="run_command", description="Run a command.", always=True),
    ToolDefinition(name="read_file", description="Read a file."),
    ToolDefinition(name="query", description="Ask the database."),
)
LEXER = json.dumps({"tools": ["read_file"], "task": "Speed up the lexer", "objective": "it takes half as long"})
PARSER = json.dumps({"tools": ["query"], "task": "Fix the parser", "intent": "to have the parser fixed"})
NONE = json.dumps({"tools": [], "task": ""})
SPEED = "Speed up the lexer; objective: it takes half as long"


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """Answers for three requests, of which the last has no task of its own."""
    with serving(LEXER, PARSER, NONE) as server:
        yield server


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path, model: ModelServer) -> Settings:
    return Settings(
        url=nats_server.url,
        space=space,
        data=tmp_path,
        role="agent",
        principal="builder",
        assess="model",
        model="openai:small",
        model_url=model.url,
    )


@pytest.fixture
async def person(settings: Settings, fleet: Fleet) -> AsyncIterator[Memory]:
    known = settings.model_copy(update={"role": "person", "principal": "ada"})
    async with Memory.connect(settings=known) as memory:
        yield memory


async def ask(memory: Memory, prompt: str) -> Context:
    """One whole turn; the context that its model call got."""
    async with memory.thread("work").turn(prompt) as turn:
        context = await turn.context(tools=TOOLS)
        await turn.reply("Done.")
    return context


def said(context: Context) -> str:
    return json.dumps(context.messages, ensure_ascii=False)


async def test_the_task_of_a_request_stands_in_its_own_context(memory: Memory, model: ModelServer) -> None:
    """A model's word on it, the agent's in whose turn it was; a later one takes its place, and none leaves it."""
    first = await ask(memory, "Make the lexer of this project as fast as you can")
    second = await ask(memory, "The parser of this project fails on deep nesting")
    third = await ask(memory, "Write a letter of thanks to everybody who helped")

    assert f"- task current: {SPEED} — from model builder, assessed, turn 1, entry 1" in said(first)
    assert "- task current: Fix the parser — from model builder, assessed, turn 2, entry 3" in said(second)
    assert "task current: Fix the parser — from model builder, assessed" in said(third)
    assert "another source disagrees" not in said(first) + said(second) + said(third)
    assert [one.stale for one in (first, second, third)] == [(), (), ()]
    assert f"Task: {SPEED}" in model.prompt(1)
    facts = (await memory.facts(thread="work", subject="task")).facts
    assert [(fact.value, fact.method) for fact in facts] == [("Fix the parser", "assessed")]


async def test_what_a_model_said_of_a_request_is_audited_and_in_no_context(memory: Memory) -> None:
    """The intent is for people: neither this context nor a later one has it; replay gives the bytes that there were."""
    first = await ask(memory, "Make the lexer of this project as fast as you can")
    second = await ask(memory, "The parser of this project fails on deep nesting")
    third = await memory.thread("work").context(prompt="Why?", tools=TOOLS)
    again = await memory.thread("work").context(turn=2)

    assert second.assessment is not None
    assert second.assessment.intent == "to have the parser fixed"
    assert "parser fixed" not in said(first) + said(second) + said(third)
    assert second.tools == ("run_command", "query")
    assert "Tools for this request: run_command, query" in said(second)
    assert (again.differs, again.messages) == ("", second.messages)


async def test_a_persons_task_stands_whatever_a_model_takes_a_request_for(
    memory: Memory, person: Memory, model: ModelServer
) -> None:
    """One that was inferred before is no disagreement with it, and none is inferred any more."""
    first = await ask(memory, "Make the lexer of this project as fast as you can")
    await person.state_fact("task", "current", "Release 2.0", thread="work")
    second = await ask(memory, "The parser of this project fails on deep nesting")

    assert SPEED in said(first)
    assert "- task current: Release 2.0 — from person ada" in said(second)
    assert "Speed up" not in said(second)
    assert "Fix the parser" not in said(second)
    assert "Task (fixed): Release 2.0" in model.prompt(1)


async def test_a_context_waits_for_its_task_and_no_longer_than_that(
    settings: Settings, nats_server: NatsServer, model: ModelServer
) -> None:
    """Without a worker for facts the context comes all the same, and says that it does not reflect them."""
    async with running(settings, ["audit", "composition"]), Memory.connect(settings=settings) as memory:
        context = await ask(memory, "Make the lexer of this project as fast as you can")

    assert context.stale == ("facts",)
    assert context.assessment is not None
    assert context.assessment.task == "Speed up the lexer"
    assert SPEED not in said(context)


async def test_a_model_that_is_slow_holds_up_nobody_else(settings: Settings) -> None:
    """While a request of a thread is assessed, others of the same thread are answered."""
    with serving(Reply(hold=True)) as slow:
        known = settings.model_copy(update={"model_url": slow.url})
        async with running(known), Memory.connect(settings=known) as memory, anyio.create_task_group() as tasks:
            tasks.start_soon(ask, memory, "Make the lexer of this project as fast as you can")
            await until(lambda: bool(slow.asked), "the model is asked")
            looked = await memory.thread("work").context(prompt="Why?", tools=TOOLS)
            slow.stopped.set()  # it held until now
            assert looked.turn == 2
            assert looked.assessment is not None


async def test_workers_with_a_model_that_cannot_be_end_with_what_is_wrong(settings: Settings) -> None:
    """At once, and on one line."""
    wrong = settings.model_copy(update={"model": "opnai:small"})

    with pytest.raises(Misconfigured, match="there is no provider 'opnai'; did you mean openai"):
        async with running(wrong):
            pass


async def test_what_a_model_took_an_erased_request_for_is_erased_with_it(memory: Memory, person: Memory) -> None:
    """The task that was inferred from it, and what was written down of its assessment."""
    first = await ask(memory, "Make the lexer of this project as fast as you can")
    assert SPEED in said(first)

    await person.erase(thread="work", entries=[(1, 1)], reason="it was a secret")

    looked = await memory.thread("work").context(prompt="Why?", tools=TOOLS)
    kept = [line async for line in person.thread("work").export()]
    assert "lexer" not in said(looked)
    assert not [line for line in kept if b"lexer" in line]
