"""The list of turns says how far the facts of each are, and waits for them."""

from __future__ import annotations

import anyio
import pytest
from composition_desks import EXTRACTION, System

from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import Extracted, Prompt, TurnAborted
from eunoe.schemas.requests import TurnsReply


@pytest.fixture
def system() -> System:
    return System()


async def extracted(system: System, turn: int, ordinal: int, *failed: str) -> None:
    await system.append(Extracted(turn=turn, ordinal=ordinal, failed=failed), caller=EXTRACTION)
    await system.project()


async def test_each_turn_says_how_far_its_facts_are(system: System) -> None:
    """By the order of commits: turn 2 was aborted, so turn 3 is the second; of one that is open nothing is to come."""
    await system.turn(Prompt(content="one"))
    await system.append(TurnAborted(reason="stopped"), key=await system.open(Prompt(content="two")))
    await system.turn(Prompt(content="three"))
    await system.turn(Prompt(content="four"))
    await system.open(Prompt(content="five"))
    await extracted(system, 1, 1)
    await extracted(system, 3, 2, "json: no such rule")

    found = await system.turns()

    assert [(line.turn, line.ordinal, line.facts) for line in found.turns] == [
        (1, 1, "extracted"),
        (2, 0, ""),
        (3, 2, "failed"),
        (4, 3, "pending"),
        (5, 0, ""),
    ]
    assert [line.failure for line in found.turns if line.failure] == ["json: no such rule"]
    assert found.watermark.log == await system.last_seq()


async def test_before_anything_is_known_of_a_thread_its_facts_are_pending(system: System) -> None:
    await system.turn(Prompt(content="one"))

    assert [line.facts for line in (await system.turns()).turns] == ["pending"]
    assert [line.facts for line in (await system.turns(wait=0.01)).turns] == ["pending"]


async def test_a_list_waits_until_none_of_its_turns_is_pending(system: System) -> None:
    """And for no other turn than those that it lists."""
    for number in range(3):
        await system.turn(Prompt(content=f"question {number}"))
    found: list[TurnsReply] = []

    async def ask() -> None:
        found.append(await system.turns(after=1, limit=1, wait=30.0))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        await extracted(system, 1, 1)
        await anyio.wait_all_tasks_blocked()
        assert found == []
        await extracted(system, 2, 2)

    assert [(line.turn, line.facts) for line in found[0].turns] == [(2, "extracted")]
    assert [line.facts for line in (await system.turns()).turns] == ["extracted", "extracted", "pending"]


@pytest.mark.parametrize("seconds", [-1.0, 31.0])
async def test_nobody_waits_for_longer_than_is_allowed(system: System, seconds: float) -> None:
    with pytest.raises(Invalid, match="a list of turns waits 0 to 30 seconds, not"):
        await system.turns(wait=seconds)
