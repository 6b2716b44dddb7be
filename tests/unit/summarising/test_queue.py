"""The worker at a real server: jobs from its queue, beside another one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from polling import until_found
from summarising_desks import ScriptedSummariser, SummarisingDesk

from eunoe.facts.summary_store import SummaryStore
from eunoe.runtime.doors import Store
from eunoe.runtime.tasks import task_group
from eunoe.schemas.distilled_events import Summarised
from eunoe.summarising import updating


async def test_jobs_of_the_queue_are_done_once_by_two_workers(tmp_path: Path, store: Store) -> None:
    """Of several threads, batch after batch: every turn is in one summary, whoever had the job in hand."""
    desk = SummarisingDesk(tmp_path, store, distiller="off", summary="apart")
    workers = [desk.summariser(), desk.summariser(ScriptedSummariser())]
    threads = ("a", "b", "c")

    async with desk.projecting(), task_group() as tasks:
        for worker in workers:
            tasks.start_soon(worker.run)
        for up_to in (3, 6):
            for thread in threads:
                await desk.said("one", "two", "three", thread=thread)
                await desk.wanted(up_to, thread=thread)
            await until_found(partial(_done, desk, threads, up_to), f"summaries up to turn {up_to}")
        tasks.cancel_scope.cancel()

    events = [event for event in await desk.told() if isinstance(event, Summarised)]
    assert sorted(event.last for event in events) == [3, 3, 3, 6, 6, 6]
    assert {event.turns for event in events} == {((1, 3),), ((1, 6),)}
    assert await store.jobs.waiting() == 0


async def _done(desk: SummarisingDesk, threads: tuple[str, ...], up_to: int) -> bool:
    """Whether the summary of each of these threads goes so far, and no job waits."""
    summaries = SummaryStore(desk.store)
    reached = [updating.covered(await summaries.get(thread)) for thread in threads]
    return reached == [up_to] * len(threads) and await desk.store.jobs.waiting() == 0
