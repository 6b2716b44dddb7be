"""Bringing the summary of a thread up to a turn, batch by batch; what fails for good leaves it as it was."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import anyio

from eunoe.distillation.appending import Appender
from eunoe.distillation.door import Summariser
from eunoe.distillation.letters import Letters
from eunoe.distillation.outage import Outage
from eunoe.distillation.progress import Progress, Standing
from eunoe.distillation.reading import Reader
from eunoe.distillation.room import Room
from eunoe.distillation.trying import tried
from eunoe.facts import efforts
from eunoe.facts.summary_store import SummaryStore
from eunoe.models import effort
from eunoe.runtime import dead_letters
from eunoe.runtime.doors import Clock, Store, Stored
from eunoe.runtime.tries import logged
from eunoe.schemas import subjects
from eunoe.schemas.distil_requests import SummaryDocument
from eunoe.schemas.distilled_events import Effort, Summarised, SummaryKept
from eunoe.schemas.errors import Busy
from eunoe.schemas.jobs import SummariseJob
from eunoe.summarising import batching, updating, waiting
from eunoe.summarising.updating import Update

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Doors:
    """What bringing summaries up to date needs of one space; ``window`` is that of a job which names none."""

    store: Store
    clock: Clock
    reader: Reader
    progress: Progress
    appender: Appender
    letters: Letters
    outage: Outage
    summariser: Summariser
    window: int
    stopping: anyio.Event


@dataclass(slots=True)
class _Run:
    """One job on its way: how many turns it is due for where that is not the job's to say, where its last summary is in
    the log, and whether one was left as it was; 0 for none. ``spent`` is what attempts at its next update took."""

    least: int = 0
    written: int = 0
    kept: bool = False
    spent: list[Effort] = field(default_factory=list)


class Updates:
    """Works on the jobs of one worker, whose name is that of its dead letters."""

    def __init__(self, worker: str, doors: Doors) -> None:
        self._worker = worker
        self._doors = doors
        self._summaries = SummaryStore(doors.store)
        self._counts = {"updates": 0, "kept": 0, "raced": 0, "failed": 0}

    def statistics(self) -> dict[str, int]:
        """Updates that were appended, ``raced`` ones beside which another one was taken, batches that left the summary
        as it was (``kept``), and those that ``failed``."""
        return {**self._counts, **self._doors.outage.statistics()}

    async def up_to(self, job: SummariseJob, message: Stored) -> None:
        """Bring a summary up to where a job wants it, as far as turns wait for it. Raises what passes by itself."""
        run = _Run()
        while (found := await self._next(job, run)) is not None:
            standing, update = found
            killed = await self._doors.letters.killed(job.thread, await self._doors.progress.written(standing))
            failed = (0, killed.reason) if killed else await self._tried(standing, update, run)
            if failed is not None:
                await self._given_up(standing, update, message, run, *failed)
                return

    async def again(self, job: SummariseJob) -> None:
        """Do again what failed, for as few turns as wait by now; what fails again is raised."""
        run, room = _Run(least=1), Room(self._doors.stopping, self._doors.outage)
        while (found := await self._next(job, run)) is not None:
            try:
                await self._update(*found, run)
            except Exception as error:
                if not (await self._doors.outage.waited(error) or await room.waited(error)):
                    raise

    async def _next(self, job: SummariseJob, run: _Run) -> tuple[Standing, Update] | None:
        """The next update of a job, on top of the summary that is in force by now; None where none is due."""
        if run.kept:
            return None
        if self._doors.stopping.is_set():
            raise Busy("this worker stops; the rest of the job goes on elsewhere")
        standing = await self._doors.progress.of(job.thread)
        if standing is None:
            return None
        document = await self._summaries.get(job.thread)
        self._look(document, run)
        last = await self._doors.reader.ordinal(standing.head, job.up_to)
        covered = updating.covered(document)
        if not batching.due(covered, last, run.least or job.least):
            return None
        turns = await waiting.turns(self._doors.reader, standing.head, covered, last)
        update = updating.update(document, turns, job.window or self._doors.window)
        return (standing, update) if update else None

    async def _tried(self, standing: Standing, update: Update, run: _Run) -> tuple[int, str] | None:
        """Make an update, as often as that may be tried; how often it was and why it failed, None where there may be
        more to do."""

        def tell(tried: int, error: Exception) -> None:
            run.spent.append(effort.wasted(error))
            logger.warning(
                "summarising %s up to its committed turn %d failed, attempt %d: %s: %s",
                *(standing.thread, update.last, tried, type(error).__name__, logged(error)),
                extra={"action": "summary_attempt_failed"},
            )

        async def work() -> None:
            await self._update(standing, update, run)

        failed = await tried(work, tell, self._doors.outage, self._doors.stopping)
        return (failed[0], f"{type(failed[1]).__name__}: {failed[1]}") if failed else None

    async def _update(self, standing: Standing, update: Update, run: _Run) -> None:
        text, took = await self._doors.summariser.update(update.batch)
        await self._append(standing, update.event(text, self._doors.summariser.by, took), run)

    async def _given_up(
        self, standing: Standing, update: Update, message: Stored, run: _Run, tried: int, reason: str
    ) -> None:
        """Lay the job aside for people, unless it was; the summary stays as it is, and its turns wait for the next
        batch."""
        self._counts["failed"] += 1
        if tried:
            store, now = self._doors.store, self._doors.clock.now()
            await dead_letters.write(store, self._worker, message, tried, reason, now, f"summary-{update.last}")
        await self._append(standing, update.kept(reason, self._doors.summariser.by, Effort()), run)

    async def _append(self, standing: Standing, event: Summarised | SummaryKept, run: _Run) -> None:
        """Store what came of an update; it is dropped where another worker appended first."""
        reply = await self._doors.appender.append(standing, efforts.added((event,), run.spent))
        if reply is None:
            self._counts["raced"] += 1
            return
        run.spent.clear()
        if isinstance(event, Summarised):
            run.written = reply.position
            self._counts["updates"] += not reply.duplicate
        else:
            run.kept = True
            self._counts["kept"] += not reply.duplicate

    def _look(self, document: SummaryDocument, run: _Run) -> None:
        """Whether what was written last was taken: the document reflects it by now."""
        if run.written and all(version.position != run.written for version in document.versions):
            self._counts["raced"] += 1
            chain = subjects.thread_chain(document.thread)
            logger.info("another summary was taken first", extra={"action": "raced", "chain": chain})
        run.written = 0
