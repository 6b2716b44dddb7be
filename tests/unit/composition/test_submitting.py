"""What leaves next is asked for ahead, beside the storing of recipes, by composition workers over a store in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio
import msgspec
import pytest
from composition_desks import System

from eunoe.composition.submitting import Kind
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Context
from eunoe.schemas.errors import Unreachable
from eunoe.schemas.events import Prompt, Response, TurnCommitted
from eunoe.schemas.jobs import DistilJob, SummariseJob

WINDOW = 2048


@pytest.fixture
def system() -> System:
    return System(distiller="rules")


async def jobs_of(system: System) -> list[DistilJob]:
    """The jobs that wait, as a distilling worker would get them; they go on waiting."""
    consumer = await system.store.jobs.consumer("distil", [subjects.jobs_filter("test", "distil")])
    found = await consumer.fetch(10, 0.001)
    for one in found:
        await one.nak()
    return [msgspec.json.decode(one.message.data, type=DistilJob) for one in found]


async def submitted(system: System) -> int:
    """How many jobs were ever submitted."""
    found = await system.store.jobs.submit("eunoe.test.job.other.x", b"")
    return found.seq - 1


def needed(context: Context) -> int:
    """The newest turn that left a context or leaves it next."""
    recipe = context.recipe
    return max([recipe.first_turn - 1 if recipe.left else 0, *(last for _, last in recipe.ahead)])


async def test_a_job_goes_as_far_as_the_one_that_waits(system: System) -> None:
    """Somebody asked for the whole thread: what leaves this context next is less, and takes nothing from that."""
    asked = DistilJob(thread="t", up_to=99, position=1)
    await system.store.jobs.submit(subjects.job("test", "distil", "t"), msgspec.json.encode(asked))
    while True:
        key = await system.open(Prompt(content="question"))
        if needed(await system.compose(key=key, store=True, window=WINDOW)):
            break
        await answer(system, key)

    (job,) = await jobs_of(system)
    assert (job.up_to, job.window) == (99, WINDOW)


async def answer(system: System, key: str) -> None:
    await system.append(Response(content="word " * 125), TurnCommitted(), key=key)


async def test_what_leaves_next_is_sent_ahead_once(system: System) -> None:
    """A thread that grows has one job, which goes further as more turns come near leaving; a look asks for nothing."""
    ends = [0]
    for number in range(16):
        key = await system.open(Prompt(content=f"question {number}"))
        looked = await system.compose(key=key, window=WINDOW)
        assert [job.up_to for job in await jobs_of(system)] == [end for end in ends[-1:] if end]

        context = await system.compose(key=key, store=True, window=WINDOW)
        await system.compose(key=key, store=True, window=WINDOW)

        ends.append(max(ends[-1], needed(context)))
        expected = (
            [DistilJob(thread="t", up_to=ends[-1], position=looked.recipe.position, window=WINDOW)] if ends[-1] else []
        )
        found = await jobs_of(system)
        assert [(job.thread, job.up_to) for job in found] == [(job.thread, job.up_to) for job in expected]
        if ends[-1] > ends[-2]:
            assert found == expected
        await answer(system, key)

    grown = len(set(ends)) - 1
    assert grown > 1
    assert system.worker.statistics()["jobs_submitted"] == grown == await submitted(system)


async def test_a_context_that_needs_less_asks_for_nothing_less(system: System) -> None:
    """A wide window after a narrow one: on a replica that has asked for nothing yet, the job goes as far as before."""
    key = await system.talked(9)
    narrow = await system.compose(key=key, store=True, window=WINDOW)

    wide = await system.compose(system.replica(), key=key, store=True, window=65_536)

    assert needed(wide) == 0
    assert [job.up_to for job in await jobs_of(system)] == [needed(narrow)]


async def test_replicas_ask_for_the_same(system: System) -> None:
    """Each once; of what they ask one job waits, the one that goes furthest."""
    workers = [system.replica() for _ in range(2)]
    ends = []
    for number in range(12):
        key = await system.open(Prompt(content=f"question {number}"))
        ends.append(needed(await system.compose(workers[number % 2], key=key, store=True, window=WINDOW)))
        await answer(system, key)

    (job,) = await jobs_of(system)
    assert job.up_to == max(ends)
    assert all(worker.statistics()["jobs_failed"] == 0 for worker in workers)


class Failing:
    """A queue that does not take what is submitted until it is told to; ``hangs``: it does not answer either."""

    def __init__(self, jobs: Any, *, hangs: bool = False) -> None:
        self._jobs = jobs
        self.hangs = hangs
        self.fails = True

    async def submit(self, subject: str, data: bytes, *, msg_id: str = "") -> Any:
        if not self.fails:
            return await self._jobs.submit(subject, data, msg_id=msg_id)
        if self.hangs:
            await anyio.sleep_forever()
        raise Unreachable("no server can be reached")

    async def held(self, subject: str) -> Any:
        return await self._jobs.held(subject)

    async def consumer(self, durable: str, filters: Any, *, ack_wait: float = 60.0) -> Any:
        return await self._jobs.consumer(durable, filters, ack_wait=ack_wait)


@pytest.mark.parametrize("hangs", [False, True])
async def test_a_queue_that_fails_fails_no_context(
    system: System, hangs: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged and counted, and the next request asks again."""
    monkeypatch.setattr(limits, "SUBMIT_SECONDS", 0.01)
    queue: Any = Failing(system.store.jobs, hangs=hangs)
    system.store = replace(system.store, jobs=queue)
    worker = system.replica()
    key = await system.talked(9)

    first = await system.compose(worker, key=key, store=True, window=WINDOW)
    counts = worker.statistics()
    queue.fails = False
    second = await system.compose(worker, key=key, store=True, window=WINDOW)

    assert (counts["recorded"], counts["jobs_submitted"], counts["jobs_failed"]) == (1, 0, 1)
    assert "could not be sent ahead" in caplog.text
    assert first.messages == second.messages
    assert [job.up_to for job in await jobs_of(system)] == [needed(second)]


async def kinds_of(**settings: str) -> dict[str, DistilJob | SummariseJob]:
    """The jobs that wait once turns leave, by kind, where that is set."""
    system = System(**settings)
    key = await system.talked(9)
    await system.compose(key=key, store=True, window=WINDOW)
    kinds: dict[Kind, type[DistilJob] | type[SummariseJob]] = {"distil": DistilJob, "summarise": SummariseJob}
    found: dict[str, DistilJob | SummariseJob] = {}
    for kind, job in kinds.items():
        consumer = await system.store.jobs.consumer(kind, [subjects.jobs_filter("test", kind)])
        for one in await consumer.fetch(10, 0.001):
            found[kind] = msgspec.json.decode(one.message.data, type=job)
    return found


async def test_only_work_that_is_in_use_is_asked_for() -> None:
    """A summary that is written with the facts, or not at all, has no job of its own; one that is written apart
    has, whether facts are drawn or not."""
    assert (
        list(await kinds_of(distiller="rules")) == list(await kinds_of(distiller="model", summary="off")) == ["distil"]
    )
    assert await kinds_of(distiller="off") == {}
    assert list(await kinds_of(distiller="off", summary="apart")) == ["summarise"]
    apart = await kinds_of(distiller="rules", summary="apart")
    assert {kind: (type(job), job.window) for kind, job in apart.items()} == {
        "distil": (DistilJob, WINDOW),
        "summarise": (SummariseJob, WINDOW),
    }
    assert apart["distil"].up_to == apart["summarise"].up_to > 0


async def test_a_job_names_the_largest_window_of_a_thread(system: System) -> None:
    """The summary is written for that, and shortened in smaller ones."""
    key = await system.talked(9)
    await system.compose(key=key, store=True, window=65_536)

    await system.compose(key=key, store=True, window=WINDOW)

    assert [job.window for job in await jobs_of(system)] == [65_536]
