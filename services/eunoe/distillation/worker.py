"""The distillation worker: jobs of a thread become facts and a running summary, each range of turns exactly once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from eunoe.distillation import choosing
from eunoe.distillation.appending import Appender
from eunoe.distillation.asked import OFF, Asked
from eunoe.distillation.choosing import Chosen
from eunoe.distillation.distilling import Distilling, Doors
from eunoe.distillation.drawing import Drawing
from eunoe.distillation.letters import Letters
from eunoe.distillation.outage import Outage
from eunoe.distillation.progress import Progress
from eunoe.distillation.reading import Reader
from eunoe.facts.kinds import Kinds
from eunoe.runtime.again import Again
from eunoe.runtime.doors import Auditor, Clock, Handler, Store, Stored
from eunoe.runtime.matching import matches
from eunoe.runtime.pump import Pump
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Misconfigured
from eunoe.schemas.jobs import AgainJob, DistilJob

if TYPE_CHECKING:
    from eunoe.distillation.reviewing.worker import Reviewing

DISTIL, REVIEW = "distil", "review"
REVIEWS_OFF = "nobody reviews here: EUNOE_REVIEW__EVERY is off; set it, or let go of what was to be reviewed"

_job = msgspec.json.Decoder(DistilJob)


class DistillationWorker:
    """Serves ``distil``. ``choose`` says who distils; where nobody is to, what is asked of it is done at once: a later
    job of a thread covers what this one did."""

    name = "distillation"

    def __init__(
        self,
        store: Store,
        auditor: Auditor,
        settings: Settings,
        clock: Clock,
        choose: Callable[[Settings], Chosen] = choosing.chosen,
    ) -> None:
        self._store, self._auditor, self._settings, self._clock = store, auditor, settings, clock
        waits, most = limits.JOB_WAIT_SECONDS, limits.JOBS_FETCHED
        self._pump = Pump(store, self.name, self.handle, key=_lane, clock=clock, ack_wait=waits, fetch=most, jobs=True)
        self._again = Again(store, self.name, self.again, clock)
        self._chosen = choose(settings)
        model = self._chosen.model
        named = model.name if model else ""
        self._outage = Outage(model.probe if model else None, clock, self._pump.stopping, named)
        reader = Reader(store)
        progress = Progress(store, reader)
        self._distilling = self._made(reader, progress)
        self._asked = Asked(
            store, reader, progress, Kinds(settings.kinds), self._outage.said, on=self._distilling is not None
        )
        self._reviews = self._reviewing()

    def handlers(self) -> Mapping[str, Handler]:
        return {"distil": self._asked.serve}

    async def run(self) -> None:
        space = self._store.space
        filters = [subjects.jobs_filter(space, kind) for kind in (DISTIL, REVIEW)]
        consumer = await self._store.jobs.consumer(self.name, filters, ack_wait=limits.JOB_WAIT_SECONDS)
        async with task_group() as tasks:
            tasks.start_soon(self._pump.run, consumer)
            tasks.start_soon(self._again.run)

    async def drain(self) -> None:
        """Nothing is kept back: a job that is not done is delivered again."""
        if self._reviews is not None:
            await self._reviews.close()
        if self._chosen.distiller is not None:
            await self._chosen.distiller.close()

    def statistics(self) -> Mapping[str, int]:
        """What came of jobs; ``failed`` are ranges that could not be distilled, ``outage`` says whether any model does
        not answer that is asked, and ``waiting_since`` since when."""
        distilling = self._distilling.statistics() if self._distilling else {"failed": 0}
        reviews = self._reviews.statistics() if self._reviews else {}
        since = [found for one in (distilling, reviews) if (found := one.get("waiting_since", 0))]
        outage = {"outage": int(bool(since)), "waiting_since": min(since, default=0)}
        return {**self._pump.statistics(), **self._again.statistics(), **reviews, **distilling, **outage}

    async def handle(self, *messages: Stored) -> None:
        """Do what jobs ask for, as far as it is not done."""
        for message in messages:
            if self._is(REVIEW, message.subject):
                if self._reviews is not None:
                    await self._reviews.handle(message)
            elif self._distilling is not None:
                await self._distilling.up_to(_job.decode(message.data), message)

    async def again(self, job: AgainJob) -> None:
        """Do again what a letter is about, and what else it asked for; raises `Misconfigured` where nobody does that
        here, so that it is laid aside again."""
        letter = job.letter
        message = Stored(letter.subject, job.number, letter.payload.encode(), letter.time)
        if self._is(REVIEW, letter.subject):
            if self._reviews is None:
                raise Misconfigured(REVIEWS_OFF)
            await self._reviews.again(message)
        else:
            if self._distilling is None:
                raise Misconfigured(OFF)
            await self._distilling.again(_job.decode(message.data), message)

    def _reviewing(self) -> Reviewing | None:
        """Who handles reviews, None where they are off."""
        if not self._settings.review.on:
            return None
        given = (self._store, self._auditor, self._settings, self._clock)
        return choosing.reviewing(*given, self._chosen.model, self._pump.stopping)

    def _is(self, kind: str, subject: str) -> bool:
        return matches(subjects.jobs_filter(self._store.space, kind), subject)

    def _made(self, reader: Reader, progress: Progress) -> Distilling | None:
        """Who distils, None where nobody is to."""
        distiller = self._chosen.distiller
        if distiller is None:
            return None
        stopping = self._pump.stopping
        doors = Doors(
            store=self._store,
            clock=self._clock,
            reader=reader,
            progress=progress,
            drawing=Drawing(self._store, self._settings, self._clock, reader, distiller),
            appender=Appender(self._auditor, stopping),
            letters=Letters(self._store, self.name, DISTIL),
            outage=self._outage,
            stopping=stopping,
        )
        return Distilling(self.name, doors)


def _lane(job: Stored) -> str:
    """Jobs of one thread and kind come one after the other."""
    return job.subject
