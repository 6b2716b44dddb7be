"""Doing again what failed for good, once a person has replayed its dead letter: a queue of its own for each worker."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping

import anyio
import msgspec

from eunoe.runtime.doors import Clock, Store, Stored
from eunoe.runtime.pump import Pump
from eunoe.schemas import limits, subjects
from eunoe.schemas.jobs import AgainJob

logger = logging.getLogger(__name__)

LOOKS = 100  # looks whether a letter is gone, before what it asks for is done though it is there
LOOK_SECONDS = 0.05  # seconds between two of them

_job = msgspec.json.Decoder(AgainJob)


class Again:
    """Takes the jobs that have a worker do something again, one after the other, in the order of their letters.

    ``handle`` does what such a job asks for, as far as it is not done by then. What fails again is laid aside again.
    """

    def __init__(self, store: Store, worker: str, handle: Callable[[AgainJob], Awaitable[None]], clock: Clock) -> None:
        self._store = store
        self._worker = worker
        self._handle_job = handle
        self._pump = Pump(
            store, worker, self._handle, key=_one, clock=clock, ack_wait=limits.JOB_WAIT_SECONDS, jobs=True
        )

    def statistics(self) -> Mapping[str, int]:
        """What was done again."""
        return {"again": self._pump.statistics()["handled"]}

    async def run(self) -> None:
        """Take jobs until cancelled."""
        filters = [subjects.again_filter(self._store.space, self._worker)]
        durable = f"again-{self._worker}"
        await self._pump.run(await self._store.jobs.consumer(durable, filters, ack_wait=limits.JOB_WAIT_SECONDS))

    async def _handle(self, *jobs: Stored) -> None:
        for stored in jobs:
            job = _job.decode(stored.data)
            await self._let_go(job.number)
            await self._handle_job(job)

    async def _let_go(self, number: int) -> None:
        """Wait a little until the letter is gone, so that nobody passes over what it is about because of it. Where it
        stays, whoever was to erase it was ended: it can be replayed again."""
        for _ in range(LOOKS):
            if (await self._store.dead.get([number])) == [None]:
                return
            await anyio.sleep(LOOK_SECONDS)


async def record_of(store: Store, job: AgainJob) -> Stored | None:
    """The record that a letter is about; None where it is not in the log any more, so that nothing is left to do."""
    (stored,) = await store.log.get([job.letter.position])
    if stored is None:
        position = job.letter.position
        logger.warning("position %d is not there to be done again", position, extra={"action": "again_gone"})
    return stored


def _one(job: Stored) -> str:
    """All jobs of a worker are of one lane."""
    return ""
