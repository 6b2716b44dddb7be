"""One at a time at each of many things."""

from __future__ import annotations

import anyio

from eunoe.runtime.locks import Locks


async def test_those_at_one_key_come_one_after_the_other_and_others_do_not_wait() -> None:
    """In the order of coming; nothing is kept of a key once nobody is there."""
    locks, came = Locks[str](), list[str]()
    begun, go = anyio.Event(), anyio.Event()

    async def stay() -> None:
        async with locks.alone("a"):
            begun.set()
            await go.wait()
            came.append("first")

    async def come(key: str, name: str) -> None:
        async with locks.alone(key):
            came.append(name)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stay)
        await begun.wait()
        tasks.start_soon(come, "a", "second")
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(come, "a", "third")
        await come("b", "elsewhere")
        await anyio.wait_all_tasks_blocked()
        assert came == ["elsewhere"]
        go.set()

    assert came == ["elsewhere", "first", "second", "third"]
    assert len(locks) == 0


async def test_who_gives_up_waiting_leaves_nothing_behind() -> None:
    """And holds nobody up."""
    locks = Locks[str]()

    async def come() -> None:
        async with locks.alone("a"):
            raise AssertionError("it never gets there")

    async with locks.alone("a"), anyio.create_task_group() as tasks:
        tasks.start_soon(come)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    async with locks.alone("a"):
        pass

    assert len(locks) == 0
