"""Which instructions are in force, however little of their thread a worker has read."""

from __future__ import annotations

from typing import Any

import pytest
from composition_desks import System, texts

from eunoe.composition.fold import Fold
from eunoe.schemas.events import Instructions, Prompt, Response, TurnAborted, TurnCommitted


@pytest.fixture
def system() -> System:
    return System()


async def talked(system: System, turns: int) -> None:
    """So many turns, of two records each."""
    for _ in range(turns):
        key = await system.open(Prompt(content="question"))
        await system.append(Response(content="word " * 40), TurnCommitted(), key=key)


async def test_instructions_that_a_long_turn_gave_one_by_one_hold_together(system: System) -> None:
    """A worker that reads the thread now finds the first of them 250 records back, before all that it needs; what the
    same agent gave in a turn between is no part of them."""
    long = await system.open(Instructions(content="Be brief."), Prompt(content="a long task"))
    await talked(system, 60)
    await system.turn(Instructions(content="Be loud."), Prompt(content="aside"), Response(content="yes"))
    await talked(system, 60)
    await system.append(Instructions(content="Be kind."), key=long)
    await system.append(Response(content="done"), TurnCommitted(), key=long)
    await talked(system, 3)

    warm = await system.compose(prompt="next")
    cold = await system.compose(system.replica(), prompt="next", window=256)
    asked = [await system.compose(worker, prompt="next", window=256) for worker in (system.worker, system.replica())]

    assert texts(warm)[:2] == texts(cold)[:2] == ["Be brief.", "Be kind."]
    assert [one.messages for one in asked] == [cold.messages] * 2


async def test_what_an_aborted_turn_gave_one_by_one_never_holds(system: System) -> None:
    """As little as what it gave at once."""
    await system.append(Instructions(content="Be brief."))
    long = await system.open(Instructions(content="Be loud."), Prompt(content="a long task"))
    await talked(system, 120)
    await system.append(Instructions(content="Be rude."), key=long)
    await system.append(TurnAborted(reason="stopped"), key=long)

    cold = await system.compose(system.replica(), prompt="next", window=256)

    assert texts(cold)[0] == "Be brief."


def test_a_worker_forgets_instructions_that_none_will_have_again(kit: Any) -> None:
    """Of four hundred that were given in turns of their own, those of the newest that was not aborted are kept, and
    those of a turn that is open; what is left is in force as if all were there."""
    thread = kit.thread()
    thread.instruct("Be brief.")
    long = thread.open(Instructions(content="Be slow."), Prompt(content="a long task"))
    for number in range(400):
        given = [Instructions(content=f"{number}: " + "rule " * 100), Instructions(content="and so on")]
        thread.turn(*given, *kit.asks("next"), aborted=number == 399)
    fold, whole = thread.fold(), thread.fold()

    fold.trim(300)

    assert [item.event.content[:8] for item in fold.instructions] == ["Be slow.", "398: rul", "and so o"]
    assert fold.in_force(402, "builder") == whole.in_force(402, "builder")
    assert fold.in_force(2, "builder") == whole.in_force(2, "builder")
    assert held(fold) == fold.size < held(whole) == whole.size
    thread.append(TurnCommitted(), key=long)
    for one in (fold, whole):
        one.add(thread.records[-1])
    assert fold.in_force(402, "builder") == whole.in_force(402, "builder")


def held(fold: Fold) -> int:
    """Bytes of everything that was said in a thread, as far as it is folded."""
    said = [item for turn in fold.turns.values() for item in turn.items]
    return sum(len(item.event.content) for item in (*said, *fold.instructions))
