"""The queue of what a worker is to do again."""

from __future__ import annotations

import anyio
import msgspec
import pytest

from eunoe.runtime.again import Again, record_of
from eunoe.runtime.doors import Store, SystemClock
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
