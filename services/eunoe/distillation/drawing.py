"""Drawing from one range of a thread's turns: what is read for it, what a distiller is asked, what comes of it."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.distillation import drawn, rules
from eunoe.distillation.door import Distiller, Drawn, Turn
from eunoe.distillation.drawn import Range
from eunoe.distillation.known import KnownFacts
from eunoe.distillation.progress import Standing
from eunoe.distillation.reading import Reader
from eunoe.distillation.rules import Ordinals
from eunoe.facts.kinds import Kinds
from eunoe.facts.summary_store import SummaryStore
from eunoe.runtime.doors import Clock, Store
from eunoe.runtime.settings import Settings
from eunoe.runtime.tries import transient
from eunoe.schemas import limits
from eunoe.schemas.events import Event
from eunoe.summarising import batching, updating, waiting
from eunoe.summarising.updating import Update


class Drawing:
    """Draws from ranges of turns of one space."""

    def __init__(self, store: Store, settings: Settings, clock: Clock, reader: Reader, distiller: Distiller) -> None:
        self._kinds = Kinds(settings.kinds)
        self._settings = settings
        self._reader = reader
        self._distiller = distiller
        self._known = KnownFacts(store, self._kinds, clock)
        self._summaries = SummaryStore(store)

    async def read(
        self, standing: Standing, ordinals: Ordinals, *, again: bool = False
    ) -> tuple[Range, Sequence[Turn]]:
        """A range, and what was asked after it."""
        first, last = ordinals
        found = await self._reader.turns(standing.head, first, last + limits.DISTILLED_AFTER)
        turns, after = rules.split(found, last)
        return Range(standing.thread, first, last, turns, again), after

    async def events(self, standing: Standing, found: Range, after: Sequence[Turn], window: int) -> tuple[Event, ...]:
        """The record of a range. Where nothing was said in it nobody is asked, and the summary stays as it is.

        Raises `ModelFailed`.
        """
        by = self._distiller.by
        if not any(map(rules.speaks, found.turns)):
            return drawn.events(found, Drawn(), by, self._kinds)
        update = await self._update(standing, found, window)
        known = await self._known.of(found.thread, found.turns)
        given = await self._distiller.draw(rules.task(found.turns, after, self._known.kinds, known, update))
        return (*drawn.events(found, given, by, self._kinds), *rules.summary(update, given, by))

    async def failed(self, standing: Standing, ordinals: Ordinals, reason: str) -> tuple[Event, ...]:
        """The record of a range that is passed over; where its turns cannot be read, it names none. Raises what passes
        by itself."""
        try:
            found, _ = await self.read(standing, ordinals)
        except Exception as error:  # it may be this very reading that failed, and is told of already
            if transient(error):
                raise
            found = Range(standing.thread, *ordinals, turns=())
        return drawn.failed(found, reason, self._distiller.by)

    async def _update(self, standing: Standing, found: Range, window: int) -> Update | None:
        """The update of the summary that is due with a range, None where none is."""
        if self._settings.summary != "together" or found.again:
            return None
        document = await self._summaries.get(found.thread)
        covered = updating.covered(document)
        written = document.current.position if document.current else 0
        if written < standing.summary or not batching.due(covered, found.last):
            return None  # where what was written last is not reflected yet, the next range takes these turns along
        turns = found.turns if covered + 1 >= found.first else await self._waiting(standing, covered, found.last)
        wanted = [turn for turn in turns if turn.ordinal > covered]
        return updating.update(document, wanted, window or self._settings.window)

    async def _waiting(self, standing: Standing, covered: int, last: int) -> Sequence[Turn]:
        return await waiting.turns(self._reader, standing.head, covered, last)
