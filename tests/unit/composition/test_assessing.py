"""Assessing requests in the composition worker, over a store in memory and a model's API on this machine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from composition_desks import ALICE, System, block
from model_server import ModelServer, Reply, serving

from eunoe.composition.fold import Fold
from eunoe.composition.packed import pack, unpack
from eunoe.composition.worker import CompositionWorker
from eunoe.runtime.settings import Settings
from eunoe.schemas import records
from eunoe.schemas.context import Assessment, Context
from eunoe.schemas.errors import Invalid, Misconfigured
from eunoe.schemas.events import (
    ContextAssessed,
    ContextComposed,
    Event,
    FactRecorded,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnCommitted,
)
from eunoe.schemas.facts import Assertion, Identity, Source
from eunoe.schemas.requests import ToolDefinition
from eunoe.schemas.subjects import Caller

TOOLS = (
    ToolDefinition(name="run_command", description="Run a command.", always=True),
    ToolDefinition(name="read_file", description="Read a file. Of any size."),
    ToolDefinition(name="weather", description="Tell the weather.", words=("rain",)),
    ToolDefinition(name="query", description="Ask the database.", words=("db",)),
)
NAMES = tuple(tool.name for tool in TOOLS)
VAGUE = "Write a short poem about the sea"  # a request of which rules make nothing


@pytest.fixture
def system() -> System:
    return System()


@asynccontextmanager
async def assessing(system: System, *replies: Reply | str) -> AsyncIterator[tuple[CompositionWorker, ModelServer]]:
    """A composition worker that assesses by a model, which answers so."""
    with serving(*replies) as server:
        system.settings = Settings(assess="model", model="openai:small", model_url=server.url)
        worker = system.replica()
        yield worker, server
        await worker.drain()


def answer(**said: Any) -> str:
    return json.dumps(said)


def calls(*tools: str) -> Sequence[Event]:
    """A round in which each of these is called."""
    pairs = [(ToolCall(call=f"c{at}", tool=tool), ToolResult(call=f"c{at}")) for at, tool in enumerate(tools)]
    return [event for pair in pairs for event in pair]


async def stored(system: System) -> tuple[Event, ...]:
    """The events of the log's last record."""
    last = (await system.store.log.get([await system.last_seq()]))[0]
    assert last is not None
    return records.read(last.seq, last.data).events


async def tasks(system: System) -> list[Assertion]:
    """Every task that the log has."""
    found = [records.read(one.seq, one.data) async for one in system.store.log.scan()]
    facts = [event.fact for record in found for event in record.events if isinstance(event, FactRecorded)]
    return [fact for fact in facts if fact.identity.subject == "task"]


def bytes_of(context: Context) -> tuple[Any, str]:
    return context.messages, context.recipe.sha256


async def test_off_the_bytes_are_the_same_with_tools_and_without(system: System) -> None:
    """Every tool is registered, the catalogue names them, and nothing is decided, stored or asked."""
    await system.turn(Prompt(content="one"), *calls("query"), Response(content="1"))

    plain = await system.compose(prompt="Will it rain?")
    offered = await system.compose(prompt="Will it rain?", tools=TOOLS)
    key = await system.open(Prompt(content="Will it rain?"))
    real = await system.compose(key=key, store=True, tools=TOOLS)

    assert bytes_of(offered) == bytes_of(plain)
    assert real.messages == plain.messages
    assert (offered.tools, offered.assessment) == (NAMES, None)
    assert offered.catalogue.endswith("\n- weather: Tell the weather")
    assert (plain.tools, plain.catalogue) == ((), "")
    assert not [event for event in await stored(system) if isinstance(event, ContextAssessed)]
    assert real.recipe.tools == ()


async def test_rules_name_the_tools_of_a_request_beside_it(system: System) -> None:
    """In the now block, on one line; and what was decided is in the record of the recipe."""
    key = await system.open(Prompt(content="Will it rain?"))

    context = await system.compose(key=key, store=True, tools=TOOLS, assess="rules")

    decided = Assessment(method="rules", tools=("run_command", "weather"), rule_tools=("run_command", "weather"))
    assert context.assessment == decided
    assert context.tools == context.recipe.tools == ("run_command", "weather")
    assert "Tools for this request: run_command, weather" in json.dumps(context.messages)
    events = await stored(system)
    assert ContextAssessed(turn=1, assessment=decided) in events
    assert ContextComposed(recipe=context.recipe) in events


MEMORY = ToolDefinition(name="memory", description="Shows what the context holds back.")


async def test_the_tool_that_a_context_tells_its_model_to_call_is_registered_always(system: System) -> None:
    """By rules as by a model, and where what was decided in the turn is not what its context says; where no context
    names it, it is a tool like any other."""
    offered = (*TOOLS, MEMORY)
    async with assessing(system, answer(tools=["query"])) as (worker, _):
        ruled = await system.compose(prompt="Will it rain?", tools=offered, assess="rules", memory_tool=True)
        plain = await system.compose(prompt="Will it rain?", tools=offered, assess="rules")
        key = await system.open(Prompt(content=VAGUE))
        without = await system.compose(worker, key=key, store=True, tools=offered)
        later = await system.compose(worker, key=key, store=True, tools=offered, memory_tool=True)

    assert ruled.tools == ruled.recipe.tools == ("run_command", "weather", "memory")
    assert "call memory" in block(ruled, "earlier")
    assert plain.tools == ("run_command", "weather")
    assert without.tools == ("run_command", "query")
    assert later.tools == ("run_command", "query", "memory")


async def test_a_model_cannot_leave_out_the_tool_that_its_context_names(system: System) -> None:
    """It is asked of the others, and what it chooses comes beside it."""
    async with assessing(system, answer(tools=["query"])) as (worker, _):
        key = await system.open(Prompt(content=VAGUE))
        context = await system.compose(worker, key=key, store=True, tools=(*TOOLS, MEMORY), memory_tool=True)

    assert context.tools == ("run_command", "query", "memory")
    assert "Tools for this request: run_command, query, memory" in json.dumps(context.messages)


async def test_where_rules_settle_nothing_every_tool_is_registered_and_none_is_named(system: System) -> None:
    """There is nothing to say then; that it was so is audited."""
    key = await system.open(Prompt(content=VAGUE))

    context = await system.compose(key=key, store=True, tools=TOOLS, assess="rules")

    assert (context.tools, context.recipe.tools) == (NAMES, ())
    assert context.assessment == Assessment(method="rules", tools=NAMES, rule_tools=("run_command",))
    assert "Tools for this request" not in json.dumps(context.messages)


async def test_a_past_context_has_what_was_decided_about_its_request(system: System) -> None:
    """Of each context of a turn as it was then, and of another window as it would have been; the tools that were
    offered are not in the log, so there is no catalogue."""
    key = await system.open(Prompt(content="Will it rain?"))
    first = await system.compose(key=key, store=True, tools=TOOLS, assess="rules")
    every = await system.compose(key=key, store=True, tools=TOOLS, assess="rules", unregistered="query")
    await system.append(TurnCommitted(), key=key)

    again = [await system.compose(turn=1, nth=nth) for nth in (1, 2, 0)]
    other = await system.compose(turn=1, window=4096)

    assert [(one.tools, one.assessment, one.catalogue) for one in again] == [
        (("run_command", "weather"), first.assessment, ""),
        (NAMES, every.assessment, ""),
        (NAMES, every.assessment, ""),
    ]
    assert (other.tools, other.assessment) == (NAMES, every.assessment)
    assert [one.differs for one in again] == ["", "", ""]


async def test_a_past_context_in_another_window_names_its_tools(system: System) -> None:
    """It is what its model would have seen."""
    key = await system.open(Prompt(content="Will it rain?"))
    await system.compose(key=key, store=True, tools=TOOLS, assess="rules")
    await system.append(TurnCommitted(), key=key)

    other = await system.compose(turn=1, window=4096)

    assert other.reconstructed
    assert other.tools == ("run_command", "weather")
    assert "Tools for this request: run_command, weather" in block(other, "now")


async def test_a_past_context_of_later_rounds_has_the_tools_of_its_own(system: System) -> None:
    """One that was offered no more is not among them, nor in what was decided, as it was handed out."""
    key = await system.open(Prompt(content="Will it rain?"))
    await system.compose(key=key, store=True, tools=TOOLS, assess="rules")
    later = await system.compose(key=key, store=True, tools=TOOLS[1:], assess="rules")
    await system.append(TurnCommitted(), key=key)

    again = await system.compose(turn=1)

    assert later.tools == ("weather",)
    assert (again.tools, again.assessment) == (later.tools, later.assessment)


async def test_a_past_context_about_which_nothing_was_decided_has_no_tools(system: System) -> None:
    """And nothing of what was decided about the next turn."""
    key = await system.open(Prompt(content="One?"))
    await system.compose(key=key, store=True)
    await system.append(TurnCommitted(), key=key)
    key = await system.open(Prompt(content="Will it rain?"))
    await system.compose(key=key, store=True, tools=TOOLS, assess="rules")

    again = await system.compose(turn=1)

    assert (again.tools, again.assessment) == ((), None)


async def test_a_follow_up_gets_the_tools_of_the_turn_before(system: System) -> None:
    """And those that the task took since it was set."""
    await system.turn(Prompt(content="one"), *calls("read_file"), Response(content="1"))
    await state_task(system, "Fix the parser")
    await system.turn(Prompt(content="two"), *calls("weather"), Response(content="2"))
    await system.turn(Prompt(content="three"), *calls("query"), Response(content="3"))

    goes_on = await system.compose(prompt="And now the other one", tools=TOOLS, assess="rules")
    names_another = await system.compose(prompt="Open that file for me, would you kindly", tools=TOOLS, assess="rules")

    assert goes_on.tools == ("run_command", "weather", "query")
    assert names_another.tools == NAMES


async def state_task(system: System, value: str) -> None:
    """A person says what the task is."""
    fact = Assertion(
        identity=Identity("thread", system.thread, "task", "current"),
        value=value,
        source=Source(kind="person", principal="alice"),
        at=0,
        method="stated",
    )
    await system.append(FactRecorded(fact=fact), caller=ALICE)
    await system.project()


async def test_a_model_decides_where_rules_do_not(system: System) -> None:
    """One call: its tools beside those of the rules, and what it took the request for, in the log and nowhere else."""
    said = answer(intent="A poem is wanted", tools=["query", "rm"], task="", objective="", facts=[])
    async with assessing(system, said) as (worker, server):
        key = await system.open(Prompt(content=VAGUE))
        context = await system.compose(worker, key=key, store=True, tools=TOOLS)

    found = context.assessment
    assert found is not None
    assert found == Assessment(
        method="model",
        tools=("run_command", "query"),
        rule_tools=("run_command",),
        intent="A poem is wanted",
        model="openai:small",
        ms=found.ms,
        bytes=found.bytes,
        input_tokens=120,
        output_tokens=15,
    )
    assert found.bytes == len(server.prompt().encode()) - schema_bytes(server)
    assert len(server.asked) == 1
    assert ContextAssessed(turn=1, assessment=found) in await stored(system)
    assert "poem is wanted" not in json.dumps([context.messages, context.system])
    assert "Tools for this request: run_command, query" in json.dumps(context.messages)


def schema_bytes(server: ModelServer) -> int:
    """Bytes of what the door adds to what the model is shown: two line feeds and the schema, and one that joins."""
    return len(server.prompt().encode()) - sum(
        len(one.encode()) for one in (server.asked[-1]["messages"][1]["content"], instructions(server))
    )


def instructions(server: ModelServer) -> str:
    system: str = server.asked[-1]["messages"][0]["content"]
    return system.partition("\n\nAnswer with one JSON value")[0]


async def test_what_rules_settle_is_asked_of_no_model(system: System) -> None:
    """Neither is looking, which costs a model nothing."""
    async with assessing(system, answer(tools=["query"])) as (worker, server):
        await state_task(system, "Fix the parser")
        key = await system.open(Prompt(content="Will it rain in the north?"))
        settled = await system.compose(worker, key=key, store=True, tools=TOOLS)
        looked = await system.compose(worker, prompt=VAGUE, tools=TOOLS)

    assert settled.assessment is not None
    assert (settled.assessment.method, settled.tools) == ("rules", ("run_command", "weather"))
    assert looked.tools == NAMES
    assert server.asked == []


async def test_a_request_is_assessed_once_in_its_turn(system: System) -> None:
    """Each round of its tools gets the same tools, and the same bytes of them; the next turn is assessed anew."""
    async with assessing(system, answer(tools=["query"]), answer(tools=["weather"])) as (worker, server):
        key = await system.open(Prompt(content=VAGUE))
        first = await system.compose(worker, key=key, store=True, tools=TOOLS)
        await system.append(*calls("query"), key=key)
        for replica in (worker, system.replica()):
            again = await system.compose(replica, key=key, store=True, tools=TOOLS)
            assert (again.tools, again.assessment) == (first.tools, first.assessment)
            assert not [event for event in await stored(system) if isinstance(event, ContextAssessed)]
        assert len(server.asked) == 1
        await system.append(Response(content="done"), TurnCommitted(), key=key)
        key = await system.open(Prompt(content="Paint a picture of a lighthouse in the style of an old master"))
        after = await system.compose(worker, key=key, store=True, tools=TOOLS)

    assert after.tools == ("run_command", "weather")
    assert len(server.asked) == 2


async def test_what_was_decided_for_an_agent_is_told_to_no_other(system: System) -> None:
    """A model was shown names of its own facts. Who looks at its request sees what rules make of it."""
    async with assessing(system, answer(intent="a poem", tools=["query"])) as (worker, _):
        key = await system.open(Prompt(content=VAGUE))
        await system.compose(worker, key=key, store=True, tools=TOOLS)
        mine = await system.compose(worker, key=key, tools=TOOLS)
        theirs = await system.compose(worker, key=key, tools=TOOLS, caller=Caller("agent", "eve"))

    assert mine.assessment is not None
    assert (mine.assessment.method, mine.assessment.intent) == ("model", "a poem")
    assert theirs.assessment == Assessment(method="rules", tools=NAMES, rule_tools=("run_command",))


async def test_a_copy_of_a_folded_thread_knows_what_was_decided(system: System) -> None:
    """So a replica that starts from one gives the rounds of a turn the same tools."""
    key = await system.open(Prompt(content="Will it rain?"))
    await system.compose(key=key, store=True, tools=TOOLS, assess="rules")
    fold = Fold(system.chain)
    async for one in system.store.log.scan():
        fold.add(records.read(one.seq, one.data))

    copied = unpack(pack(fold), system.chain)

    assert fold.assessed is not None
    assert fold.assessed[1].assessment.tools == ("run_command", "weather")
    assert copied is not None
    assert copied.assessed == fold.assessed


async def test_a_failure_of_the_model_costs_nothing_but_its_time(system: System) -> None:
    """Every tool, the task as it was, and why, for whoever looks."""
    async with assessing(system, Reply(status=401, message="bad key")) as (worker, _):
        key = await system.open(Prompt(content=VAGUE))
        context = await system.compose(worker, key=key, store=True, tools=TOOLS)
        counted = worker.statistics()

    found = context.assessment
    assert found is not None
    assert (found.method, found.tools, found.task) == ("fallback", NAMES, "")
    assert found.failure == "the model's API does not take the request (401): 'bad key'"
    assert ContextAssessed(turn=1, assessment=found) in await stored(system)
    assert context.recipe.tools == ()
    assert await tasks(system) == []
    assert (counted["assessed_fallback"], counted["assessed_model"]) == (1, 0)


@pytest.mark.parametrize("said", ["no JSON", '{"tools": "query"}', '{"tools": [1]}', '{"task": {"a": 1}}', "[]"])
async def test_an_answer_of_another_shape_is_a_failure(system: System, said: str) -> None:
    """Nothing of it is believed."""
    async with assessing(system, said) as (worker, _):
        key = await system.open(Prompt(content=VAGUE))
        context = await system.compose(worker, key=key, store=True, tools=TOOLS)

    assert context.assessment is not None
    assert (context.assessment.method, context.tools) == ("fallback", NAMES)


async def test_after_a_call_of_a_tool_that_was_not_registered_every_one_is(system: System) -> None:
    """Nobody is asked again, and it stays so for the turn."""
    async with assessing(system, answer(tools=["query"])) as (worker, server):
        key = await system.open(Prompt(content=VAGUE))
        await system.compose(worker, key=key, store=True, tools=TOOLS)
        retried = await system.compose(worker, key=key, store=True, tools=TOOLS, unregistered="weather")
        decided = await stored(system)
        later = await system.compose(worker, key=key, store=True, tools=TOOLS)

    every = Assessment(method="retry", tools=NAMES)
    assert retried.assessment == every
    assert retried.recipe.tools == ()
    assert ContextAssessed(turn=1, assessment=every) in decided
    assert later.tools == NAMES
    assert len(server.asked) == 1


async def test_a_persons_task_is_never_replaced(system: System) -> None:
    """The model is told that it is fixed, and what it says of it all the same is not believed."""
    await state_task(system, "Fix the parser")
    async with assessing(system, answer(tools=["query"], task="Write poems")) as (worker, server):
        key = await system.open(Prompt(content=VAGUE))
        context = await system.compose(worker, key=key, store=True, tools=TOOLS)

    assert "Task (fixed): Fix the parser" in server.prompt()
    assert context.assessment is not None
    assert context.assessment.task == ""
    assert [task.value for task in await tasks(system)] == ["Fix the parser"]
    assert "task current: Fix the parser — from person alice" in json.dumps(context.messages, ensure_ascii=False)


async def test_facts_that_a_model_chose_stand_beside_the_request(system: System) -> None:
    """Of those that it was shown by name, and without their values."""
    await system.fact("blue", name="colour", turn=0)
    await system.fact("8080", name="port", turn=0)
    await system.project()
    looked = await system.compose(prompt="x")
    port = next(fact.id for fact in looked.facts if "port" in fact.line)
    async with assessing(system, answer(facts=[port, "f_made_up"])) as (worker, server):
        key = await system.open(Prompt(content=VAGUE))
        context = await system.compose(worker, key=key, store=True, tools=TOOLS)

    assert f"- {port} note port" in server.prompt()
    assert "8080" not in server.prompt()
    assert context.assessment is not None
    assert context.assessment.facts == (port,)


def test_a_model_that_is_to_assess_must_be_configured(system: System) -> None:
    """At the start, not at the first request."""
    system.settings = Settings(assess="model")

    with pytest.raises(Misconfigured, match="set EUNOE_MODEL, or assess by rules"):
        system.replica()


async def test_a_model_that_is_asked_for_must_be_there(system: System) -> None:
    """Where the setting asks for none, and the request does."""
    with pytest.raises(Invalid, match="set EUNOE_MODEL, or assess by rules"):
        await system.compose(prompt=VAGUE, tools=TOOLS, assess="model")


async def test_tools_that_can_be_none_are_refused(system: System) -> None:
    """Whether they are assessed or not."""
    with pytest.raises(Invalid, match="'query' is offered 2 times"):
        await system.compose(prompt=VAGUE, tools=(TOOLS[3], TOOLS[3]))


async def test_a_preview_is_looked_at_as_any_request(system: System) -> None:
    """What is decided there is decided by rules."""
    context = await system.compose(prompt="Will it rain?", tools=TOOLS, assess="rules", preview="try")

    assert context.tools == ("run_command", "weather")
    assert "Tools for this request: run_command, weather" in block(context, "now")
