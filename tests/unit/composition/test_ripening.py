"""Waiting until everything is drawn from the turns that leave, and saying of which it is not."""

from __future__ import annotations

import anyio
import msgspec
import pytest
from composition_desks import EXTRACTION, System, block

from eunoe.schemas import subjects
from eunoe.schemas.context import Context
from eunoe.schemas.events import Extracted
from eunoe.schemas.jobs import DistilJob

WINDOW = 2048


@pytest.fixture
def system() -> System:
    return System()


async def extracted(system: System, turns: range) -> None:
    """The extraction worker comes so far, and the projector with it."""
    for number in turns:
        await system.append(Extracted(turn=number, ordinal=number), caller=EXTRACTION)
    await system.project()


async def test_turns_that_left_too_early_are_named_and_then_no_more(system: System) -> None:
    """Without waiting, and with a wait that was too short."""
    key = await system.talked(12)

    early = await system.compose(key=key, window=WINDOW)
    waited = await system.compose(key=key, window=WINDOW, pending_wait=0.01)
    await extracted(system, range(1, 13))
    late = await system.compose(key=key, window=WINDOW, pending_wait=30.0)

    left = early.recipe.first_turn - 1
    assert early.recipe.pending == waited.recipe.pending == tuple(range(1, left + 1))
    assert f"The facts of turns 1–{left} are not drawn yet." in block(early, "earlier")  # noqa: RUF001
    assert late.recipe.pending == ()
    assert "not drawn yet" not in block(late, "earlier")
    assert system.worker.statistics()["awaited"] == 1


async def test_a_context_waits_for_what_is_drawn_from_the_turns_that_leave(system: System) -> None:
    """And for no other: once those that left are done it is composed, and nothing was stored before."""
    key = await system.talked(12)
    left = (await system.compose(key=key, window=WINDOW)).recipe.first_turn - 1
    before = await system.last_seq()
    found: list[Context] = []

    async def ask() -> None:
        found.append(await system.compose(key=key, store=True, window=WINDOW, pending_wait=30.0))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        assert await system.last_seq() == before
        await extracted(system, range(1, left))
        await anyio.wait_all_tasks_blocked()
        assert not found
        await extracted(system, range(left, left + 1))

    assert found[0].recipe.pending == ()
    assert found[0].recipe.first_turn == left + 1


async def test_turns_that_leave_for_the_facts_that_came_are_waited_for_too(system: System) -> None:
    """The facts of the turns that left take the room of one more, which leaves then: its own are waited for as well."""
    key = await system.talked(12)
    left = (await system.compose(key=key, window=WINDOW)).recipe.first_turn - 1
    found: list[Context] = []

    async def ask() -> None:
        found.append(await system.compose(key=key, window=WINDOW, pending_wait=30.0))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        for number in range(8):
            await system.fact("x" * 190, name=f"of turn {number}", turn=1)
        await extracted(system, range(1, left + 1))
        await anyio.wait_all_tasks_blocked()
        assert not found
        await extracted(system, range(left + 1, 13))

    assert found[0].recipe.pending == ()
    assert found[0].recipe.first_turn > left + 1


async def test_what_is_waited_for_is_asked_for_first() -> None:
    """The first context of a thread that turns leave waits for what no context before it asked to be distilled; one
    that only looks asks for nothing."""
    system = System(distiller="rules")
    key = await system.talked(12)
    subject = subjects.job(system.store.space, "distil", "t")
    left = (await system.compose(key=key, window=WINDOW, pending_wait=0.01)).recipe.first_turn - 1
    job = await system.store.jobs.held(subject)
    assert job is None

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: system.compose(key=key, store=True, window=WINDOW, pending_wait=30.0))
        await anyio.wait_all_tasks_blocked()
        job = await system.store.jobs.held(subject)
        tasks.cancel_scope.cancel()

    assert job is not None
    assert msgspec.json.decode(job, type=DistilJob).up_to >= left


async def test_while_one_waits_others_are_answered(system: System) -> None:
    """Of the same thread too."""
    key = await system.talked(12)

    found: list[Context] = []

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: system.compose(key=key, window=WINDOW, pending_wait=30.0))
        await anyio.wait_all_tasks_blocked()
        found.append(await system.compose(key=key, window=WINDOW))
        tasks.cancel_scope.cancel()

    assert found[0].recipe.pending


async def test_nobody_waits_where_nothing_leaves(system: System) -> None:
    """Facts of turns that are shown word for word may come when they come."""
    key = await system.talked(3)

    found = await system.compose(key=key, window=WINDOW, pending_wait=30.0)

    assert found.recipe.left == 0
    assert system.worker.statistics()["awaited"] == 0
