"""A worker that forgot turns reads their thread anew when a request needs them, and misses nothing by it."""

from __future__ import annotations

from typing import Any

import pytest
from composition_desks import System

from eunoe.composition.fold import Fold
from eunoe.schemas import limits
from eunoe.schemas.events import Prompt, Response, ToolCall, ToolResult, TurnCommitted


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    """With workers that keep of a thread what the contexts that they know of need."""
    monkeypatch.setattr(limits, "FOLDED_THREAD_BYTES", 1_000)
    return System()


async def talked(system: System, turns: int) -> None:
    for number in range(turns):
        await system.turn(Prompt(content=f"question {number}"), Response(content="word " * 20))


async def forgot(system: System) -> str:
    """After 170 turns of some 50 tokens, the oldest hundred of which the worker forgot, an open one; its key."""
    await talked(system, 170)
    key = await system.open(Prompt(content="What now?"))
    for _ in range(2):  # what a context needs is known once its recipe is read
        await system.compose(key=key, store=True, window=512)
    return key


async def test_a_larger_context_is_the_same_when_it_is_composed_again_at_once(system: System) -> None:
    """The record that is read first is that of its own recipe, which alone says nothing of any turn."""
    key = await forgot(system)
    first = await system.compose(key=key, store=True, window=8192)

    again = await system.compose(key=key, window=8192)

    assert len(first.recipe.turns) > 80
    assert again.recipe.turns == first.recipe.turns
    assert again.messages == first.messages


async def test_what_is_appended_while_a_thread_is_read_anew_belongs_to_the_next_context(system: System) -> None:
    """A context shows the thread up to one position, so that it is composed again from its recipe."""
    key = await forgot(system)
    threads: Any = system.worker._threads
    again = threads._again

    async def meanwhile(fold: Fold) -> None:
        await system.append(ToolCall(call="c", tool="read_file"), ToolResult(call="c", content="late"), key=key)
        await system.turn(Prompt(content="late"), Response(content="late"))
        await again(fold)

    threads._again = meanwhile
    found = await system.compose(key=key, store=True, window=8192)
    threads._again = again
    replayed = await system.compose(turn=171)
    later = await system.compose(key=key, window=8192)

    assert found.recipe.turns[-1] == 170
    assert "late" not in str(found.messages)
    assert replayed.differs == ""
    assert replayed.messages == found.messages
    assert later.recipe.turns[-1] == 172
    assert str(later.messages).count("'late'") == 3


async def test_a_turn_that_stays_open_for_long_is_not_forgotten(system: System) -> None:
    """Of the thread that it began before, only what is new is read for each of its contexts."""
    key = await system.open(Prompt(content="a long task"))
    await talked(system, 120)
    for _ in range(2):
        await system.compose(key=key, store=True, window=512)
    before = system.worker.statistics()

    found = await system.compose(key=key, store=True, window=512)

    assert "a long task" in str(found.messages)
    after = system.worker.statistics()
    assert (after["folded_cold"], after["records_read"]) == (before["folded_cold"], before["records_read"] + 1)


async def test_a_turn_that_is_committed_once_turns_after_it_left_is_named_with_them(system: System) -> None:
    """It began before the mark and never was literal; a worker that reads the thread now says the same."""
    key = await system.open(Prompt(content="a long task"))
    await talked(system, 40)
    asking = await system.open(Prompt(content="What now?"))
    first = await system.compose(key=asking, store=True, window=512)
    await system.append(Response(content="the result"), TurnCommitted(), key=key)

    found = [await system.compose(worker, key=asking, window=512) for worker in (system.worker, system.replica())]
    stored = await system.compose(key=asking, store=True, window=512)
    after = await system.compose(key=asking, window=512)

    assert 1 not in [one.turn for one in first.recipe.outline]
    assert found[0].messages == found[1].messages == stored.messages
    assert [one.recipe.outline[0].turn for one in (*found, after)] == [1, 1, 1]
    assert "turn 1 (entries 1" in str(after.messages)
