"""Turns: opened with their prompt, committed on leaving, aborted with the reason when an exception leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from desks import AGENT
from wires import Wire

from eunoe.client.memory import Memory
from eunoe.schemas.errors import Invalid, NotFound, TurnNotOpen, WorkerMissing
from eunoe.schemas.requests import Shown


async def entries(memory: Memory, thread: str = "t") -> tuple[Shown, ...]:
    return (await memory.thread(thread).entries()).entries


async def test_a_turn_commits_on_leaving(wire: Wire) -> None:
    """Prompt, reply, call and result are entries 1 to 4 of a committed turn."""
    async with wire.memory() as memory:
        async with memory.thread("t", agent="builder", session="s").turn("Which tests fail?") as turn:
            await turn.reply("I will run them.")
            await turn.call("bash", {"command": "pytest"}, call="c1")
            await turn.result("1 failed", call="c1", exit_status=1)
        found = await entries(memory)

    assert turn.number == 1
    assert [(one.entry, one.kind, one.content) for one in found] == [
        (1, "prompt", "Which tests fail?"),
        (2, "response", "I will run them."),
        (3, "tool.call", '{"command":"pytest"}'),
        (4, "tool.result", "1 failed"),
    ]
    assert {(one.state, one.agent, one.session) for one in found} == {("committed", "builder", "s")}
    assert (found[3].tool, found[3].exit_status) == ("bash", 1)


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ({"input_tokens": -1}, "input_tokens of usage is a number of tokens, not -1"),
        ({"input_tokens": 2.5}, "input_tokens of usage: expected `int`, got `float`"),
        ({"output_tokens": -1}, "output_tokens of usage is a number of tokens, not -1"),
    ],
)
async def test_usage_is_in_tokens(wire: Wire, tokens: dict[str, Any], said: str) -> None:
    """What no provider counts is refused, and never gets into the log."""
    async with wire.memory() as memory:
        with pytest.raises(Invalid) as refused:
            async with memory.thread("t").turn("Hi") as turn:
                await turn.usage(**tokens)

    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"prompt": 5}, "prompt of a turn: expected `str | None`, got `int`"),
        ({"prompt": "Hi", "instructions": 5}, "instructions of a turn: expected `str`, got `int`"),
        ({"prompt": "Hi", "attachments": ["a.png"]}, "attachments of a turn: expected `object`, got `str`"),
        ({"prompt": "Hi", "key": 5}, "key of a turn: expected `str`, got `int`"),
    ],
)
async def test_what_a_turn_is_opened_with_is_text(wire: Wire, given: dict[str, Any], said: str) -> None:
    """What is not is refused by its name, before anything is sent."""
    async with wire.memory() as memory:
        with pytest.raises(Invalid) as refused:
            memory.thread("t").turn(**given)
        with pytest.raises(NotFound):
            await entries(memory)

    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda turn: turn.call("bash", {}, call=5), "call of call: expected `str`, got `int`"),
        (lambda turn: turn.result("x", tool=5), "tool of result: expected `str`, got `int`"),
        (lambda turn: turn.result("x", exit_status="0"), "exit_status of result: expected `int | None`, got `str`"),
        (lambda turn: turn.usage(model=5), "model of usage: expected `str`, got `int`"),
        (lambda turn: turn.abort(5), "reason of abort: expected `str`, got `int`"),
        (lambda turn: turn.thread.append(turn=5), "turn of append: expected `str`, got `int`"),
        (lambda turn: turn.thread.show("1"), "entry of show: expected `int`, got `str`"),
        (lambda turn: turn.thread.entries(after="1"), "after of entries: expected `int`, got `str`"),
        (lambda turn: turn.thread.turns(limit="1"), "limit of turns: expected `int`, got `str`"),
        (lambda turn: turn.thread.context(prompt=5), "prompt of a context: expected `str`, got `int`"),
        (lambda turn: turn.thread.context(turn="1"), "turn of a context: expected `int | None`, got `str`"),
    ],
)
async def test_a_verb_of_a_turn_names_what_is_not_of_its_type(wire: Wire, act: Callable[[Any], Any], said: str) -> None:
    """The turn goes on as if it had not been said."""
    async with wire.memory() as memory:
        async with memory.thread("t").turn("Hi") as turn:
            with pytest.raises(Invalid) as refused:
                await act(turn)
        found = await entries(memory)

    assert str(refused.value).startswith(said)
    assert [(one.content, one.state) for one in found] == [("Hi", "committed")]


async def test_an_exception_aborts_the_turn_and_goes_on(wire: Wire) -> None:
    """The caller sees its own exception; the turn is in the log as aborted."""
    async with wire.memory() as memory:
        with pytest.raises(ZeroDivisionError):
            async with memory.thread("t").turn("Divide by zero.") as turn:
                await turn.reply(str(1 // 0))
        found = await entries(memory)

    assert [(one.content, one.state) for one in found] == [("Divide by zero.", "aborted")]


async def test_a_cancelled_turn_is_aborted(wire: Wire) -> None:
    """Cancelling the task that holds a turn aborts it."""
    async with wire.memory() as memory:
        with anyio.CancelScope() as scope:
            async with memory.thread("t").turn("Wait for me."):
                scope.cancel()
                await anyio.sleep_forever()
        found = await entries(memory)

    assert [one.state for one in found] == ["aborted"]


async def test_a_turn_that_was_ended_stays_ended(wire: Wire) -> None:
    """An explicit abort is not followed by a commit, and what comes after it is refused."""
    async with wire.memory() as memory:
        async with memory.thread("t").turn("Never mind.") as turn:
            await turn.abort("changed my mind")
            with pytest.raises(TurnNotOpen, match="turn 1 was aborted"):
                await turn.reply("too late")
        found = await entries(memory)

    assert [(one.kind, one.state) for one in found] == [("prompt", "aborted")]


async def test_a_result_answers_the_only_open_call(wire: Wire) -> None:
    """Text without a call's name belongs to the call that waits; with several waiting it must name one."""
    async with wire.memory() as memory:
        async with memory.thread("t").turn("Look.") as turn:
            await turn.call("open", {"path": "a"})
            await turn.call("close", {"path": "b"})
            with pytest.raises(Invalid, match=r"2 calls wait for a result: 'call-1' \(open\), 'call-2' \(close\); say"):
                await turn.result("whose text?")
            await turn.result("text of b", call="call-2")
            await turn.result("text of a")
            with pytest.raises(Invalid, match="no call of this turn waits"):
                await turn.result("text of nothing")
        found = await entries(memory)

    assert [(one.content, one.call) for one in found if one.kind == "tool.result"] == [
        ("text of b", "call-2"),
        ("text of a", "call-1"),
    ]


async def test_a_turn_that_cannot_be_opened_is_not_left_open(wire: Wire) -> None:
    """No worker when the turn begins: the body does not run, and the turn is aborted when one is there."""
    wire.down = True
    async with wire.memory() as memory:
        with pytest.raises(WorkerMissing):
            async with memory.thread("t").turn("Is anybody there?"):
                raise AssertionError("the body must not run")
        wire.down = False
        await memory.flush()
        found = await entries(memory)

    assert [(one.content, one.state) for one in found] == [("Is anybody there?", "aborted")]


async def test_instructions_stand_before_the_prompt(wire: Wire) -> None:
    """The caller's own instructions are an entry of the turn that brings them."""
    async with wire.memory() as memory:
        async with memory.thread("t").turn("Hi", instructions="Be brief."):
            pass
        found = await entries(memory)

    assert [(one.kind, one.content) for one in found] == [("instructions", "Be brief."), ("prompt", "Hi")]


async def test_half_a_surrogate_in_what_a_model_said_does_not_lose_the_reply(wire: Wire) -> None:
    """An emoji that was cut in two becomes U+FFFD; the rest of the reply is whole."""
    async with wire.memory() as memory:
        async with memory.thread("t").turn("Hi") as turn:
            await turn.reply({"role": "assistant", "content": "fine \ud83d"})
        found = await entries(memory)

    assert found[1].content == "fine \ufffd"


async def test_an_agent_opens_turns_in_its_own_name(wire: Wire) -> None:
    """Without an agent named, a turn is that of the agent who asks."""
    async with wire.memory(AGENT) as memory:
        async with memory.thread("t").turn("Hi"):
            pass
        found = await entries(memory)

    assert found[0].agent == "builder"


async def test_an_entry_that_is_not_there(wire: Wire) -> None:
    """Asking for an entry beyond the end is not found."""
    async with wire.memory() as memory:
        async with memory.thread("t").turn("Hi"):
            pass
        with pytest.raises(NotFound):
            await memory.thread("t").show(9)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 129])
async def test_an_id_that_cannot_be_one_is_refused(wire: Wire, name: str) -> None:
    """Blank, overlong and control characters are errors, never another thread."""
    async with wire.memory() as memory:
        with pytest.raises(Invalid, match="thread id"):
            memory.thread(name)
