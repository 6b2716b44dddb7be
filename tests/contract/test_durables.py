"""What waits for a worker is asked of the server without touching its consumer; one that takes other messages shows."""

from __future__ import annotations

import msgspec
import pytest

from eunoe.runtime import durables
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Store
from eunoe.runtime.durables import Durable
from eunoe.runtime.faults import WorkerStatus, faults
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.requester import Requester
from eunoe.schemas import subjects


@pytest.fixture
async def jetstream(connection: Connection) -> JetStream:
    return JetStream(await Requester.open(connection))


async def submit(store: Store, kind: str, *threads: str) -> None:
    for thread in threads:
        await store.jobs.submit(subjects.job(store.space, kind, thread), b"{}")


async def test_jobs_are_counted_before_anybody_takes_them(store: Store, jetstream: JetStream) -> None:
    """Those of the kinds that the worker does; none in a space that never had any."""
    assert await durables.look(jetstream, store.space, "distillation") == Durable()
    await submit(store, "distil", "a", "b")
    await submit(store, "review", "a")
    await submit(store, "summarise", "a")

    assert await durables.pending(jetstream, store.space, "distillation") == (3, 0)
    assert await durables.pending(jetstream, store.space, "summarising") == (1, 0)


async def test_jobs_in_hand_are_told_from_those_that_wait(store: Store, jetstream: JetStream) -> None:
    """Of three, one was delivered and is not done."""
    await submit(store, "distil", "a", "b", "c")
    consumer = await store.jobs.consumer("distillation", durables.filters(store.space, "distillation"))
    assert await consumer.fetch(1, 5.0)

    assert await durables.pending(jetstream, store.space, "distillation") == (2, 1)


async def test_a_consumer_with_another_filter_is_told_of_with_what_waits_for_nobody(
    store: Store, jetstream: JetStream
) -> None:
    """It takes reviews only: two jobs wait, none is ever delivered, and it is said what mends that (F24)."""
    await submit(store, "distil", "a", "b")
    wrong = subjects.jobs_filter(store.space, "review")
    await store.jobs.consumer("distillation", [wrong])

    found = await durables.look(jetstream, store.space, "distillation")
    assert found == Durable(waiting=2, in_hand=0, wrong=(wrong,))
    worker = WorkerStatus("distillation", 1, found.waiting, found.in_hand, wrong=found.wrong)
    assert faults([worker], 0) == [
        f"the consumer distillation takes {wrong} only, so 2 jobs wait for nobody; "
        "starting the worker again mends it: `eunoe serve distillation`"
    ]
    await store.jobs.consumer("distillation", durables.filters(store.space, "distillation"))
    assert await durables.look(jetstream, store.space, "distillation") == Durable(waiting=2)


async def test_what_is_to_be_done_again_is_counted_apart(store: Store, jetstream: JetStream) -> None:
    """It waits for the worker that failed, and for no other."""
    await store.jobs.submit(subjects.job_again(store.space, "distillation", 7), msgspec.json.encode({}))

    assert await durables.again(jetstream, store.space, "distillation") == (1, 0)
    assert await durables.again(jetstream, store.space, "summarising") == (0, 0)
    assert await durables.pending(jetstream, store.space, "distillation") == (0, 0)


async def test_jobs_are_counted_by_their_kinds(store: Store, jetstream: JetStream) -> None:
    """What is to be done again is none of these; a kind of which none waits is not named."""
    assert await durables.jobs(jetstream, store.space, await store.jobs.waiting()) == {}
    await submit(store, "distil", "a", "b")
    await submit(store, "review", "a")
    await store.jobs.submit(subjects.job_again(store.space, "facts", 7), b"{}")

    found = await durables.jobs(jetstream, store.space, await store.jobs.waiting())

    assert found == {"distil": 2, "review": 1, "again": 1}
