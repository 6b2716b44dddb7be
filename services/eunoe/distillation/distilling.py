"""Distilling a thread up to a turn, range by range, each in one record; what fails for good holds up no later turn."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import anyio

from eunoe.distillation import rules
from eunoe.distillation.appending import Appender
from eunoe.distillation.drawing import Drawing
from eunoe.distillation.letters import Letters
from eunoe.distillation.outage import Outage
from eunoe.distillation.progress import Progress, Standing
from eunoe.distillation.reading import Reader
from eunoe.distillation.rules import Ordinals
from eunoe.distillation.trying import tried
from eunoe.runtime import dead_letters
from eunoe.runtime.doors import Clock, Store, Stored
from eunoe.schemas.distilled_events import Distilled
from eunoe.schemas.errors import Busy
from eunoe.schemas.events import Event
from eunoe.schemas.jobs import DistilJob

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Doors:
    """What distilling needs of one space."""

    store: Store
    clock: Clock
    reader: Reader
    progress: Progress
    drawing: Drawing
    appender: Appender
    letters: Letters
    outage: Outage
    stopping: anyio.Event


class Distilling:
    """Works on the jobs of one worker, whose name is that of its dead letters."""

    def __init__(self, worker: str, doors: Doors) -> None:
        self._worker = worker
        self._doors = doors
        self._counts = {"ranges": 0, "facts": 0, "set_aside": 0, "dropped": 0, "failed": 0, "raced": 0}

    def statistics(self) -> dict[str, int]:
        """Ranges distilled, with what came of them; ``failed`` ones are passed over, ``raced`` ones another did."""
        return {**self._counts, **self._doors.outage.statistics()}

    async def up_to(self, job: DistilJob, message: Stored, *, dared: bool = False) -> None:
        """Distil what of a job the log does not show as distilled. Raises what passes by itself.

        ``dared``: also what killed whoever worked on it, which else is passed over.
        """
        standing = await self._doors.progress.of(job.thread)
        if standing is None:
            return
        last = await self._doors.reader.ordinal(standing.head, job.up_to)
        killed = "" if dared else await self._doors.letters.killed(job.thread, standing.state.distilled_at)
        while ordinals := rules.following(standing.state.distilled, last):
            if self._doors.stopping.is_set():
                raise Busy("this worker stops; the rest of the job goes on elsewhere")
            if killed:
                after, killed = await self._pass_over(standing, ordinals, killed), ""
            else:
                after = await self._range(standing, ordinals, job, message)
            standing = after or await self._doors.progress.of(job.thread) or standing

    async def again(self, job: DistilJob, message: Stored) -> None:
        """Distil again the ranges of a job from which nothing could be drawn, and whatever else of it is not distilled;
        what fails again is raised."""
        while (standing := await self._doors.progress.of(job.thread)) is not None:
            last = await self._doors.reader.ordinal(standing.head, job.up_to)
            ordinals = next((one[:2] for one in standing.state.undistilled if one[1] <= last), None)
            if ordinals is None:
                return await self.up_to(job, message, dared=True)
            try:
                await self._draw(standing, ordinals, job, again=True)
            except Exception as error:
                if not await self._doors.outage.waited(error):
                    raise
        return None

    async def _range(self, standing: Standing, ordinals: Ordinals, job: DistilJob, message: Stored) -> Standing | None:
        """One range, as often as it may be tried, and then without what it says. Where the thread is then; None where
        that is to be looked at."""
        done: list[Standing | None] = []

        async def work() -> None:
            done.append(await self._draw(standing, ordinals, job))

        tell = partial(self._tell, job, ordinals)
        failure = await tried(work, tell, self._doors.outage, self._doors.stopping)
        if failure is not None:
            return await self._give_up(standing, ordinals, message, *failure)
        return done[0] if done else None

    async def _draw(
        self, standing: Standing, ordinals: Ordinals, job: DistilJob, *, again: bool = False
    ) -> Standing | None:
        found, after = await self._doors.drawing.read(standing, ordinals, again=again)
        return await self._append(standing, await self._doors.drawing.events(standing, found, after, job.window))

    async def _give_up(
        self, standing: Standing, ordinals: Ordinals, message: Stored, attempts: int, error: Exception
    ) -> Standing | None:
        """Lay the job aside for people, and only then go on without this range."""
        reason = f"{type(error).__name__}: {error}"
        store, now, part = self._doors.store, self._doors.clock.now(), f"{ordinals[0]}-{ordinals[1]}"
        await dead_letters.write(store, self._worker, message, attempts, reason, now, part)
        return await self._pass_over(standing, ordinals, reason)

    async def _pass_over(self, standing: Standing, ordinals: Ordinals, reason: str) -> Standing | None:
        logger.error(
            "nothing is drawn from the committed turns %d to %d of %s: %s",
            *(*ordinals, standing.thread, reason),
            extra={"action": "distillation_failed", "chain": standing.head.header.chain},
        )
        return await self._append(standing, await self._doors.drawing.failed(standing, ordinals, reason))

    async def _append(self, standing: Standing, events: tuple[Event, ...]) -> Standing | None:
        reply = await self._doors.appender.append(standing, events)
        if reply is None:
            self._counts["raced"] += 1
            return None
        if not reply.duplicate:
            self._count(events)
        return standing.after(reply.position, events)

    def _count(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Distilled):
                self._counts["ranges"] += 1
                self._counts["facts"] += event.facts
                self._counts["set_aside"] += len(event.set_aside)
                self._counts["dropped"] += event.dropped
                self._counts["failed"] += bool(event.failed)

    def _tell(self, job: DistilJob, ordinals: Ordinals, attempt: int, error: Exception) -> None:
        logger.warning(
            "distilling the committed turns %d to %d of %s failed, attempt %d: %s: %s",
            *(*ordinals, job.thread, attempt, type(error).__name__, error),
            extra={"action": "distillation_attempt_failed"},
        )
