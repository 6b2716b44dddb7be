"""Jobs that have turns reviewed: each range of a thread in one record, exactly once."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio
import msgspec

from eunoe.distillation import rules
from eunoe.distillation.appending import Appender
from eunoe.distillation.drawn import Range
from eunoe.distillation.letters import Letters
from eunoe.distillation.outage import Outage
from eunoe.distillation.progress import CALLER, Progress, Standing
from eunoe.distillation.reading import Reader
from eunoe.distillation.reviewing import opening, recording, schedule
from eunoe.distillation.reviewing.deriving import Reviewer
from eunoe.distillation.reviewing.failing import failed
from eunoe.distillation.reviewing.records import Part, Place, parts
from eunoe.distillation.reviewing.surveying import Survey
from eunoe.distillation.rules import Ordinals
from eunoe.distillation.trying import tried
from eunoe.facts import efforts
from eunoe.facts.kinds import Kinds
from eunoe.models import effort
from eunoe.models.door import Model
from eunoe.runtime import dead_letters
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Auditor, Clock, Store, Stored
from eunoe.runtime.settings import Settings
from eunoe.runtime.tries import logged, transient
from eunoe.schemas import limits, records
from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.errors import Busy, EunoeError
from eunoe.schemas.events import Event, Reviewed
from eunoe.schemas.jobs import ReviewJob

logger = logging.getLogger(__name__)

PRODUCER = "review"
KEY = records.producer_key(CALLER, PRODUCER)

_job = msgspec.json.Decoder(ReviewJob)


@dataclass(slots=True)
class _Made:
    """What the parts of a range came to so far, and what attempts took that failed."""

    parts: dict[Place, tuple[Event, ...]] = field(default_factory=dict)
    spent: list[Effort] = field(default_factory=list)

    def together(self, nothing: Mapping[Place, tuple[Event, ...]] | None = None) -> tuple[Event, ...]:
        """The events of all parts; ``nothing`` of those that came to none."""
        parts = {**(nothing or {}), **self.parts}
        return efforts.added([event for events in parts.values() for event in events], self.spent)


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
        self._store, self._clock, self._review = store, clock, settings.review
        self._model, self._own = opening.opened(settings, model)
        self._stopping = stopping or anyio.Event()
        self._reader = Reader(store)
        self._chains = ChainReader(store.log, store.space)
        self._progress = Progress(store, self._reader, PRODUCER)
        self._appender = Appender(auditor, self._stopping, PRODUCER)
        self._letters = Letters(store, CALLER.principal, "review")
        self._outage = Outage(self._model.probe, clock, self._stopping)
        survey = Survey(store, Kinds(settings.kinds), clock)
        self._reviewer = Reviewer(
            self._model, survey, settings.model_window, settings.review.prompt, settings.permanent_agents
        )
        self._counts = dict.fromkeys(("ranges", "waiting", "failed", "raced"), 0)
        self._decided = dict.fromkeys(("added", "replaced", "retired", "skipped"), 0)

    def statistics(self) -> dict[str, int]:
        """Ranges that were reviewed, and of these that failed; jobs for which too little was said yet; and how many
        records were added, replaced, retired and skipped."""
        reviews = {f"reviews_{name}": count for name, count in self._counts.items()}
        records = {f"records_{name}": count for name, count in self._decided.items()}
        return {**reviews, **records, **self._outage.statistics()}

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
                await self._one_again(standing, review)
            except Exception as error:
                if not await self._outage.waited(error):
                    raise
                raise Busy("the model did not answer for a while, and does again") from error
        await self.handle(message)

    async def _one_again(self, standing: Standing, review: Reviewed) -> None:
        found = await self._read(standing, (review.first, review.last))
        for part in self._parts(found):
            same = recording.nothing(part)
            if (same.agent, same.turns) == (review.agent, review.turns):
                await self._append(standing, await self._reviewer.review(part))

    async def _up_to(self, job: ReviewJob, message: Stored) -> None:
        """The turns of a thread up to that of its job, and those that were committed since."""
        standing = await self._progress.of(job.thread)
        last = standing.head.header.committed if standing else 0
        if standing is None or not await self._due(standing, last):
            self._counts["waiting"] += 1
            return
        while standing and (ordinals := rules.following(standing.state.reviewed, last)):
            if self._stopping.is_set():
                raise Busy("this worker stops; the rest of the job goes on elsewhere")
            await self._range(standing, ordinals, message)
            standing = await self._progress.of(job.thread)

    async def _due(self, standing: Standing, last: int) -> bool:
        """Whether enough was said since the last review; however long ago that is, no more is read than tells."""
        done, left = standing.state.reviewed, schedule.wanted(self._review)
        while left > 0 and (ordinals := rules.following(done, last)):
            left -= schedule.said(await self._reader.turns(standing.head, *ordinals))
            done = ordinals[1]
        return left <= 0 and standing.state.reviewed < last

    async def _range(self, standing: Standing, ordinals: Ordinals, message: Stored) -> None:
        """One range, as often as it may be tried, and then without what failed."""
        made = _Made()
        if killed := await self._killed(standing, ordinals):
            passed, reason = killed
            return await self._pass_over(standing, await self._read(standing, passed), made, reason)
        found = await self._read(standing, ordinals)
        work = partial(self._made, standing, found, made)
        failure = await tried(work, partial(self._tell, found, made), self._outage, self._stopping)
        if failure is None:
            return None
        attempts, error = failure
        reason = f"{type(error).__name__}: {error}"
        await self._lay_aside(found, message, attempts, reason)
        return await self._pass_over(standing, found, made, reason)

    async def _lay_aside(self, found: Range, message: Stored, attempts: int, reason: str) -> None:
        """Write the letter of a range; its job asks for every turn of that, some of which were committed since."""
        job = msgspec.json.encode(ReviewJob(thread=found.thread, ordinal=found.last))
        aside = Stored(message.subject, message.seq, job, message.time)
        now, part = self._clock.now(), f"{found.first}-{found.last}"
        await dead_letters.write(self._store, CALLER.principal, aside, attempts, reason, now, part)

    async def _read(self, standing: Standing, ordinals: Ordinals) -> Range:
        turns = await self._reader.turns(standing.head, *ordinals)
        return Range(standing.state.thread, *ordinals, turns)

    async def _made(self, standing: Standing, found: Range, made: _Made) -> None:
        """Review every part that is not, and append what all of them come to."""
        for part in self._parts(found):
            if part.place not in made.parts:
                made.parts[part.place] = await self._reviewer.review(part)
        await self._append(standing, made.together())

    async def _pass_over(self, standing: Standing, found: Range, made: _Made, reason: str) -> None:
        """Append what there is of a range: of a part that failed, why nothing came of it; of every part, where what
        some came to cannot be appended."""
        logger.error(
            "no records come of the committed turns %d to %d of %s; `eunoe distillations` says why",
            *(found.first, found.last, found.thread),
            extra={"action": "review_failed", "chain": standing.head.header.chain},
        )
        nothing = {one.place: (recording.nothing(one, reason),) for one in self._parts(found)}
        try:
            await self._append(standing, made.together(nothing))
        except EunoeError as error:
            if transient(error):
                raise
            await self._append(standing, _Made(spent=made.spent).together(nothing))

    def _parts(self, found: Range) -> Sequence[Part]:
        """The parts of a range; an empty one where none of its turns can be read, so that it is done all the same."""
        return parts(found, self._review.scope) or [Part(found, Place(""), ())]

    async def _killed(self, standing: Standing, ordinals: Ordinals) -> tuple[Ordinals, str] | None:
        """Those of these turns that are passed over, and why, as a job that asked for them was laid aside since the
        last review for ending whoever worked on it: no others than its letter has done again."""
        thread = standing.state.thread
        if not await self._letters.killed(thread, 0):
            return None
        letter = await self._letters.killed(thread, await self._progress.written(standing))
        if letter is None:
            return None
        first, last = ordinals[0], min(ordinals[1], _job.decode(letter.payload).ordinal)
        return ((first, last), letter.reason) if first <= last else None

    async def _append(self, standing: Standing, events: Sequence[Event]) -> None:
        reply = await self._appender.append(standing, tuple(events))
        if reply is None:
            self._counts["raced"] += 1
        elif not reply.duplicate:
            self._count(events)

    def _count(self, events: Iterable[Event]) -> None:
        reviews = [event for event in events if isinstance(event, Reviewed)]
        self._counts["ranges"] += 1
        self._counts["failed"] += any(review.failed for review in reviews)
        for decision in (one for review in reviews for one in review.decisions):
            self._decided[decision.action] += 1

    def _tell(self, found: Range, made: _Made, attempt: int, error: Exception) -> None:
        made.spent.append(effort.wasted(error))
        logger.warning(
            "reviewing the committed turns %d to %d of %s failed, attempt %d of %d: %s: %s",
            *(found.first, found.last, found.thread, attempt, limits.ATTEMPTS, type(error).__name__, logged(error)),
            extra={"action": "review_attempt_failed"},
        )
