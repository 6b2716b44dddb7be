"""What was asked in the turns that an outline names, read from the log where it is not folded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import msgspec

from eunoe.composition import outline
from eunoe.composition.fold import Fold
from eunoe.composition.outline import Asked
from eunoe.composition.profiles import Profile
from eunoe.runtime.doors import Log, Stored
from eunoe.runtime.tasks import task_group
from eunoe.schemas import records
from eunoe.schemas.context import LeftTurn
from eunoe.schemas.errors import Damaged
from eunoe.schemas.events import Event, Prompt


class Named:
    """Reads the prompts of named turns in one gathered get. Those of a folded thread it keeps with the fold, which
    begins anew once anything of it is erased or lost."""

    def __init__(self, log: Log) -> None:
        self._log = log

    async def of(self, fold: Fold, turns: Iterable[LeftTurn]) -> dict[int, Asked]:
        """What was asked in turns of a thread, by their numbers; nothing for those whose prompt is gone."""
        wanted = [one for one in turns if one.position]
        there = _folded(fold, wanted)
        await self._take(fold, [one for one in wanted if one.turn not in there])
        fold.asked = {one.turn: fold.asked[one.turn] for one in wanted if one.turn in fold.asked}
        return fold.asked | there

    @asynccontextmanager
    async def ahead(self, fold: Fold, profile: Profile) -> AsyncIterator[None]:
        """Read what the last recipe of a profile names that is not known yet, while other things are read."""
        composed = fold.recipes.get(profile)
        named = composed.recipe.outline if composed else ()
        missing = [one for one in named if one.position and one.turn < fold.base and one.turn not in fold.asked]
        if not missing:
            yield
            return
        async with task_group() as tasks:
            tasks.start_soon(self._take, fold, missing)
            yield

    async def read(self, turns: Iterable[LeftTurn]) -> dict[int, Asked]:
        """The same as the log has it."""
        wanted = [one for one in turns if one.position]
        places = sorted({one.position for one in wanted})
        stored = await self._log.get(places) if places else []
        events = {one.seq: _events(one) for one in stored if one is not None}
        found = {one.turn: _prompt(events.get(one.position, ()), one.turn) for one in wanted}
        return {turn: outline.asked(prompt) for turn, prompt in found.items() if prompt is not None}

    async def _take(self, fold: Fold, wanted: Iterable[LeftTurn]) -> None:
        """Read those that are not known yet."""
        known = fold.asked  # not that of a fold that began anew meanwhile
        if missing := [one for one in wanted if one.turn not in known]:
            known.update(await self.read(missing))


def _folded(fold: Fold, wanted: Iterable[LeftTurn]) -> dict[int, Asked]:
    """What was asked in those of the turns that are folded."""
    turns = {one.turn: turn for one in wanted if one.turn >= fold.base and (turn := fold.turns.get(one.turn))}
    return {number: said for number, turn in turns.items() if (said := outline.asked_in(turn))}


def _events(stored: Stored) -> tuple[Event, ...]:
    """The events of a record; none of one that cannot be read, which is then named without its prompt."""
    try:
        return records.read_brief(stored.seq, stored.data, _is_passed_over).events
    except Damaged:
        return ()


def _is_passed_over(event: bytes | msgspec.Raw) -> bool:
    """Everything that is asked about: none of it is a prompt."""
    return True


def _prompt(events: Iterable[Event], turn: int) -> Prompt | None:
    return next((event for event in events if isinstance(event, Prompt) and event.turn == turn), None)
