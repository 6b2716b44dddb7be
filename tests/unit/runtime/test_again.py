"""The queue of what a worker is to do again."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
import msgspec
import pytest

from eunoe.runtime.again import LOOKS, Again, record_of
from eunoe.runtime.doors import Store, Stored, SystemClock
from eunoe.schemas import subjects
from eunoe.schemas.jobs import AgainJob, DistilJob
from eunoe.schemas.requests import DeadLetter
from eunoe.testing import memory_store

pytestmark = pytest.mark.anyio


def job(number: int, position: int = 1) -> AgainJob:
    return AgainJob(number=number, letter=DeadLetter(v=1, worker="w", reason="", attempts=5, time=0, position=position))


async def submit(store: Store, worker: str, number: int) -> None:
    await store.jobs.submit(subjects.job_again("test", worker, number), msgspec.json.encode(job(number)))


async def test_jobs_of_one_worker_are_done_in_order_and_others_left() -> None:
    """Three letters of w and one of v, beside a job that is no replay: w does its own three, one after the other."""
    store = memory_store()
    for number in (1, 2, 3):
        await submit(store, "w", number)
    await submit(store, "v", 9)
    await store.jobs.submit(
        subjects.job("test", "distil", "t"), msgspec.json.encode(DistilJob(thread="t", up_to=1, position=1))
    )
    done: list[AgainJob] = []
    ended = anyio.Event()

    async def handle(one: AgainJob) -> None:
        done.append(one)
        if len(done) == 3:
            ended.set()

    again = Again(store, "w", handle, SystemClock())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(again.run)
        await ended.wait()
        tasks.cancel_scope.cancel()

    assert done == [job(1), job(2), job(3)]
    assert again.statistics() == {"again": 3}
    assert await store.jobs.waiting() == 2


async def test_the_record_of_a_letter_is_read_where_it_is_still_there() -> None:
    store = memory_store()
    await store.log.append("eunoe.test.thread.t.log", b"said")

    found = await record_of(store, job(1))
    assert found is not None
    assert found.data == b"said"
    assert await record_of(store, job(1, position=2)) is None


async def test_nothing_is_done_again_while_its_letter_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker passes over what a letter is about; the letter goes as soon as the job waits. Where whoever was to erase
    it was ended, it is done nevertheless."""
    monkeypatch.setattr("eunoe.runtime.again.LOOK_SECONDS", 0.0)
    store = memory_store()
    looked: list[int] = []
    get = store.dead.get

    async def looking(numbers: Sequence[int]) -> list[Stored | None]:
        looked.extend(numbers)
        if len(looked) == 3:
            await store.dead.erase(1)
        return await get(numbers)

    monkeypatch.setattr(store.dead, "get", looking)
    for _ in range(2):
        await store.dead.append(subjects.dead("test", "w"), b"{}")
    seen: list[tuple[int, int]] = []
    ended = anyio.Event()

    async def handle(one: AgainJob) -> None:
        seen.append((one.number, len(looked)))
        if len(seen) == 2:
            ended.set()

    await submit(store, "w", 1)
    await submit(store, "w", 2)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(Again(store, "w", handle, SystemClock()).run)
        await ended.wait()
        tasks.cancel_scope.cancel()

    assert seen == [(1, 3), (2, 3 + LOOKS)]
