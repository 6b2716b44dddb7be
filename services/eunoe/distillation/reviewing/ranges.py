"""Reviewing one range of turns into one record: as often as it may be tried, and then without what failed."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio

from eunoe.distillation.appending import Appender
from eunoe.distillation.drawn import Range
from eunoe.distillation.outage import Outage
from eunoe.distillation.progress import Standing
from eunoe.distillation.reading import Reader
from eunoe.distillation.reviewing import recording
from eunoe.distillation.reviewing.deriving import Reviewer
from eunoe.distillation.reviewing.laid_aside import LaidAside
from eunoe.distillation.reviewing.records import Part, Place, parts
from eunoe.distillation.reviewing.tally import Tally
from eunoe.distillation.rules import Ordinals
from eunoe.distillation.trying import tried
from eunoe.facts import efforts
from eunoe.models import effort
from eunoe.runtime.doors import Stored
from eunoe.runtime.review_settings import Review
from eunoe.runtime.tries import logged, transient
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.events import Event, Reviewed

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Made:
    """What the parts of a range came to so far, and what attempts took that failed."""

    parts: dict[Place, tuple[Event, ...]] = field(default_factory=dict)
    spent: list[Effort] = field(default_factory=list)

    def together(self, nothing: Mapping[Place, tuple[Event, ...]] | None = None) -> tuple[Event, ...]:
        """The events of all parts; ``nothing`` of those that came to none."""
        parts = {**(nothing or {}), **self.parts}
        return efforts.added([event for events in parts.values() for event in events], self.spent)


class Ranges:
    """Reviews ranges, each as often as it may be tried; ``review`` says where they write."""

    def __init__(
        self,
        *,
        reader: Reader,
        reviewer: Reviewer,
        review: Review,
        aside: LaidAside,
        appender: Appender,
        outage: Outage,
        stopping: anyio.Event,
        tally: Tally,
    ) -> None:
        self._reader = reader
        self._reviewer = reviewer
        self._review = review
        self._aside = aside
        self._appender = appender
        self._outage = outage
        self._stopping = stopping
        self._tally = tally

    async def do(self, standing: Standing, ordinals: Ordinals, message: Stored) -> None:
        """One range, as often as it may be tried, and then without what failed."""
        made = _Made()
        if killed := await self._aside.killed(standing, ordinals):
            passed, reason = killed
            await self._pass_over(standing, await self._read(standing, passed), made, reason)
            return
        found = await self._read(standing, ordinals)
        work = partial(self._made, standing, found, made)
        failure = await tried(work, partial(self._tell, found, made), self._outage, self._stopping)
        if failure is None:
            return
        attempts, error = failure
        reason = f"{type(error).__name__}: {error}"
        await self._aside.lay(found, message, attempts, reason)
        await self._pass_over(standing, found, made, reason)

    async def again(self, standing: Standing, review: Reviewed) -> None:
        """Review that part of a range again of which nothing came."""
        found = await self._read(standing, (review.first, review.last))
        for part in self._parts(found):
            same = recording.nothing(part)
            if (same.agent, same.turns) == (review.agent, review.turns):
                await self._append(standing, await self._reviewer.review(part))

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

    async def _append(self, standing: Standing, events: Sequence[Event]) -> None:
        reply = await self._appender.append(standing, tuple(events))
        if reply is None:
            self._tally.counts["raced"] += 1
        elif not reply.duplicate:
            self._tally.count(events)

    def _tell(self, found: Range, made: _Made, attempt: int, error: Exception) -> None:
        made.spent.append(effort.wasted(error))
        logger.warning(
            "reviewing the committed turns %d to %d of %s failed, attempt %d of %d: %s: %s",
            *(found.first, found.last, found.thread, attempt, limits.ATTEMPTS, type(error).__name__, logged(error)),
            extra={"action": "review_attempt_failed"},
        )
