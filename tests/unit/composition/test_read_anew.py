"""A worker that forgot turns reads their thread anew when a request needs them, and misses nothing by it."""

from __future__ import annotations

import pytest
from composition_desks import System

from eunoe.schemas import limits
from eunoe.schemas.events import Prompt, Response


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
