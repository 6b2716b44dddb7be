"""The summarising worker: jobs of a thread bring its running summary up to date, apart from what is distilled."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from eunoe.distillation.appending import Appender
from eunoe.distillation.letters import Letters
from eunoe.distillation.outage import Outage
from eunoe.distillation.progress import Progress
from eunoe.distillation.reading import Reader
from eunoe.facts.kinds import Kinds
from eunoe.runtime.again import Again
from eunoe.runtime.doors import Auditor, Clock, Handler, Store, Stored
from eunoe.runtime.pump import Pump
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Misconfigured
from eunoe.schemas.jobs import AgainJob, SummariseJob
from eunoe.schemas.subjects import Caller
from eunoe.summarising import choosing
from eunoe.summarising.asked import KIND, OFF, Asked
from eunoe.summarising.choosing import Chosen
from eunoe.summarising.updates import Doors, Updates

PRODUCER = "summarising"
CALLER = Caller("worker", "summarising")

_job = msgspec.json.Decoder(SummariseJob)


class SummarisingWorker:
    """Serves ``summarise``. ``choose`` says who writes summaries. Where they are off, what is asked of it is done at
    once: a later job of a thread covers what this one did."""

    name = "summarising"

    def __init__(
        self,
        store: Store,
        auditor: Auditor,
        settings: Settings,
        clock: Clock,
        choose: Callable[[Settings], Chosen] = choosing.chosen,
    ) -> None:
        self._store = store
        self._on = settings.summary != "off"
        self._chosen = choose(settings)
        waits, most = limits.JOB_WAIT_SECONDS, limits.JOBS_FETCHED
        self._pump = Pump(store, self.name, self.handle, key=_lane, clock=clock, ack_wait=waits, fetch=most, jobs=True)
        self._again = Again(store, self.name, self.again, clock)
        reader = Reader(store)
        progress = Progress(store, reader, PRODUCER, CALLER)
        model = self._chosen.model
        named = model.name if model else ""
        outage = Outage(model.probe if model else None, clock, self._pump.stopping, named)
        doors = Doors(
            store=store,
            clock=clock,
            reader=reader,
            progress=progress,
            appender=Appender(auditor, self._pump.stopping, PRODUCER),
            letters=Letters(store, self.name, KIND),
            outage=outage,
            summariser=self._chosen.summariser,
            window=settings.window,
            stopping=self._pump.stopping,
        )
        self._updates = Updates(self.name, doors)
        self._asked = Asked(store, reader, progress, Kinds(settings.kinds), outage.said, on=self._on)

    def handlers(self) -> Mapping[str, Handler]:
        return {"summarise": self._asked.serve}

    async def run(self) -> None:
        filters = [subjects.jobs_filter(self._store.space, KIND)]
        consumer = await self._store.jobs.consumer(self.name, filters, ack_wait=limits.JOB_WAIT_SECONDS)
        async with task_group() as tasks:
            tasks.start_soon(self._pump.run, consumer)
            tasks.start_soon(self._again.run)

    async def drain(self) -> None:
        """Nothing is kept back: a job that is not done is delivered again."""
        await self._chosen.summariser.close()

    def statistics(self) -> Mapping[str, int]:
        pump = self._pump.statistics()
        counts = {"jobs_handled": pump["handled"], "tries_failed": pump["failed"], "dead": pump["dead"]}
        return {**counts, "in_hand": pump["in_hand"], **self._updates.statistics(), **self._again.statistics()}

    async def handle(self, *messages: Stored) -> None:
        """Do what jobs ask for, as far as it is not done."""
        for message in messages:
            if self._on:
                await self._updates.up_to(_job.decode(message.data), message)

    async def again(self, job: AgainJob) -> None:
        """Do again what a letter is about; raises `Misconfigured` where nobody does, so that it is laid aside again."""
        if not self._on:
            raise Misconfigured(OFF)
        await self._updates.again(_job.decode(job.letter.payload))


def _lane(job: Stored) -> str:
    """Jobs of one thread come one after the other."""
    return job.subject
