"""Distilling a thread up to a turn, range by range, each in one record; what fails for good holds up no later turn."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

import anyio
import msgspec

from eunoe.distillation import rules
from eunoe.distillation.appending import Appender
from eunoe.distillation.drawing import Drawing
from eunoe.distillation.letters import Letters
from eunoe.distillation.outage import Outage
from eunoe.distillation.progress import Progress, Standing
from eunoe.distillation.reading import Reader
from eunoe.distillation.room import Room
from eunoe.distillation.rules import Ordinals
from eunoe.distillation.trying import tried
from eunoe.facts import efforts
from eunoe.models import effort
from eunoe.runtime import dead_letters
from eunoe.runtime.doors import Clock, Store, Stored
from eunoe.runtime.tries import logged
from eunoe.schemas.distilled_events import Distilled, Effort
from eunoe.schemas.errors import Busy
from eunoe.schemas.events import Event
from eunoe.schemas.jobs import DistilJob

logger = logging.getLogger(__name__)

_job = msgspec.json.Decoder(DistilJob)


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


@dataclass(frozen=True, slots=True)
class _Piece:
    """A range of a thread as it is, and what attempts at it took that failed."""

    standing: Standing
    ordinals: Ordinals
    spent: list[Effort] = field(default_factory=list)


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
        killed = None if dared else await self._killed(standing, last)
        while ordinals := rules.following(standing.state.distilled, last):
            if self._doors.stopping.is_set():
                raise Busy("this worker stops; the rest of the job goes on elsewhere")
            if killed is not None:
                (passed, reason), killed = killed, None
                after = await self._pass_over(_Piece(standing, passed), reason)
            else:
                after = await self._range(_Piece(standing, ordinals), job, message)
            if after is None:
                standing = await self._doors.progress.of(job.thread) or standing
            elif after.state.distilled < last:
                standing = await self._doors.progress.reflected(after)
            else:
                return

    async def again(self, job: DistilJob, message: Stored) -> None:
        """Distil again the ranges of a job from which nothing could be drawn, and whatever else of it is not distilled;
        what fails again is raised."""
        room = Room(self._doors.stopping, self._doors.outage)
        while (standing := await self._doors.progress.of(job.thread)) is not None:
            last = await self._doors.reader.ordinal(standing.head, job.up_to)
            ordinals = rules.failed(standing.state.undistilled, last)
            if ordinals is None:
                return await self.up_to(job, message, dared=True)
            try:
                await self._draw(_Piece(standing, ordinals), job, again=True)
            except Exception as error:
                if not (await self._doors.outage.waited(error) or await room.waited(error)):
                    raise
        return None

    async def _killed(self, standing: Standing, last: int) -> tuple[Ordinals, str] | None:
        """The turns that are passed over, and why, as a job that asked for them ended whoever worked on it: no others
        than its letter has done again."""
        letter = await self._doors.letters.killed(standing.thread, standing.state.distilled_at)
        if letter is None:
            return None
        asked = await self._doors.reader.ordinal(standing.head, _job.decode(letter.payload).up_to)
        ordinals = rules.following(standing.state.distilled, min(asked, last))
        return (ordinals, letter.reason) if ordinals else None

    async def _range(self, piece: _Piece, job: DistilJob, message: Stored) -> Standing | None:
        """One range, as often as it may be tried, and then without what it says. Where the thread is then; None where
        that is to be looked at."""
        done: list[Standing | None] = []

        async def work() -> None:
            done.append(await self._draw(piece, job))

        failure = await tried(work, partial(self._tell, piece), self._doors.outage, self._doors.stopping)
        if failure is not None:
            return await self._give_up(piece, message, *failure)
        return done[0] if done else None

    async def _draw(self, piece: _Piece, job: DistilJob, *, again: bool = False) -> Standing | None:
        standing = piece.standing
        found, after = await self._doors.drawing.read(standing, piece.ordinals, again=again)
        return await self._append(piece, await self._doors.drawing.events(standing, found, after, job.window))

    async def _give_up(self, piece: _Piece, message: Stored, attempts: int, error: Exception) -> Standing | None:
        """Lay the job aside for people, and only then go on without this range."""
        reason = f"{type(error).__name__}: {error}"
        store, now, (first, last) = self._doors.store, self._doors.clock.now(), piece.ordinals
        await dead_letters.write(store, self._worker, message, attempts, reason, now, f"{first}-{last}")
        return await self._pass_over(piece, reason)

    async def _pass_over(self, piece: _Piece, reason: str) -> Standing | None:
        standing = piece.standing
        logger.error(
            "nothing is drawn from the committed turns %d to %d of %s; `eunoe distillations` says why",
            *(*piece.ordinals, standing.thread),
            extra={"action": "distillation_failed", "chain": standing.head.header.chain},
        )
        return await self._append(piece, await self._doors.drawing.failed(standing, piece.ordinals, reason))

    async def _append(self, piece: _Piece, events: tuple[Event, ...]) -> Standing | None:
        events = efforts.added(events, piece.spent)
        reply = await self._doors.appender.append(piece.standing, events)
        if reply is None:
            self._counts["raced"] += 1
            return None
        if not reply.duplicate:
            self._count(events)
        return piece.standing.after(reply.position, events)

    def _count(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Distilled):
                self._counts["ranges"] += 1
                self._counts["facts"] += event.facts
                self._counts["set_aside"] += len(event.set_aside)
                self._counts["dropped"] += event.dropped
                self._counts["failed"] += bool(event.failed)

    def _tell(self, piece: _Piece, attempt: int, error: Exception) -> None:
        piece.spent.append(effort.wasted(error))
        logger.warning(
            "distilling the committed turns %d to %d of %s failed, attempt %d: %s: %s",
            *(*piece.ordinals, piece.standing.thread, attempt, type(error).__name__, logged(error)),
            extra={"action": "distillation_attempt_failed"},
        )
