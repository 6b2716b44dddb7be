"""Jobs that have turns reviewed: which ranges of a thread are due, each of them reviewed exactly once."""

from __future__ import annotations

import anyio
import msgspec

from eunoe.distillation import rules
from eunoe.distillation.appending import Appender
from eunoe.distillation.outage import Outage
from eunoe.distillation.progress import Progress, Standing
from eunoe.distillation.reading import Reader
from eunoe.distillation.reviewing import opening, schedule
from eunoe.distillation.reviewing.deriving import Reviewer
from eunoe.distillation.reviewing.failing import failed
from eunoe.distillation.reviewing.laid_aside import LaidAside
from eunoe.distillation.reviewing.ranges import Ranges
from eunoe.distillation.reviewing.surveying import Survey
from eunoe.distillation.reviewing.tally import Tally
from eunoe.facts.kinds import Kinds
from eunoe.models.door import Model
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Auditor, Clock, Store, Stored
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Busy
from eunoe.schemas.jobs import ReviewJob

PRODUCER = "review"

_job = msgspec.json.Decoder(ReviewJob)


class Reviewing:
    """Handles the jobs of the kind ``review`` of one space, where reviews are on.

    ``model`` is the configured one, for reviews that name no other; ``stopping`` is set once this worker stops.
    Raises `Misconfigured` where reviews are on, and no model is there for them.
    """

    def __init__(
        self,
        store: Store,
        auditor: Auditor,
        settings: Settings,
        clock: Clock,
        model: Model | None = None,
        stopping: anyio.Event | None = None,
    ) -> None:
        self._review = settings.review
        self._model, self._own = opening.opened(settings, model)
        self._stopping = stopping or anyio.Event()
        self._reader = Reader(store)
        self._chains = ChainReader(store.log, store.space)
        self._progress = Progress(store, self._reader, PRODUCER)
        self._outage = Outage(self._model.probe, clock, self._stopping)
        survey = Survey(store, Kinds(settings.kinds), clock)
        reviewer = Reviewer(
            self._model, survey, settings.model_window, settings.review.prompt, settings.permanent_agents
        )
        self._tally = Tally()
        self._ranges = Ranges(
            reader=self._reader,
            reviewer=reviewer,
            review=self._review,
            aside=LaidAside(store, clock, self._progress),
            appender=Appender(auditor, self._stopping, PRODUCER),
            outage=self._outage,
            stopping=self._stopping,
            tally=self._tally,
        )

    def statistics(self) -> dict[str, int]:
        """What came of reviews, and since when their model is waited for."""
        return {**self._tally.statistics(), **self._outage.statistics()}

    async def close(self) -> None:
        """Give back the model, where it is its own."""
        if self._own:
            await self._model.close()

    async def handle(self, *messages: Stored) -> None:
        """Review what jobs ask for, as far as it is not done and enough was said. Raises what passes by itself."""
        for message in messages:
            if self._review.on:
                await self._up_to(_job.decode(message.data), message)

    async def again(self, message: Stored) -> None:
        """Review again what failed of the turns of a job, and whatever else of it is not reviewed; what fails again is
        raised."""
        job = _job.decode(message.data)
        standing = await self._progress.of(job.thread) if self._review.on else None
        if standing is None:
            return
        for review in await failed(self._chains, standing.head, job.ordinal):
            standing = await self._progress.of(job.thread) or standing
            try:
                await self._ranges.again(standing, review)
            except Exception as error:
                if not await self._outage.waited(error):
                    raise
                raise Busy("the model did not answer for a while, and does again") from error
        await self.handle(message)

    async def _up_to(self, job: ReviewJob, message: Stored) -> None:
        """The turns of a thread up to that of its job, and those that were committed since."""
        standing = await self._progress.of(job.thread)
        last = standing.head.header.committed if standing else 0
        if standing is None or not await self._due(standing, last):
            self._tally.counts["waiting"] += 1
            return
        while standing and (ordinals := rules.following(standing.state.reviewed, last)):
            if self._stopping.is_set():
                raise Busy("this worker stops; the rest of the job goes on elsewhere")
            await self._ranges.do(standing, ordinals, message)
            standing = await self._progress.of(job.thread)

    async def _due(self, standing: Standing, last: int) -> bool:
        """Whether enough was said since the last review; however long ago that is, no more is read than tells."""
        done, left = standing.state.reviewed, schedule.wanted(self._review)
        while left > 0 and (ordinals := rules.following(done, last)):
            left -= schedule.said(await self._reader.turns(standing.head, *ordinals))
            done = ordinals[1]
        return left <= 0 and standing.state.reviewed < last
