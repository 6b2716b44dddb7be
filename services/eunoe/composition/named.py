"""What was asked in the turns that an outline names, read from the log where it is not folded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from eunoe.composition import outline
from eunoe.composition.fold import Fold
from eunoe.composition.outline import Asked
from eunoe.runtime.doors import Log, Stored
from eunoe.schemas import limits, records
from eunoe.schemas.context import LeftTurn
from eunoe.schemas.errors import Damaged
from eunoe.schemas.events import Event, Prompt


@dataclass(slots=True)
class _Held:
    """What was read of one thread since the erasure at that position."""

    erasures: int
    asked: dict[int, Asked] = field(default_factory=dict)


class Named:
    """Reads the prompts of named turns in one gathered get. What it read for threads that are folded it keeps, as long
    as nothing is erased."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._held: OrderedDict[str, _Held] = OrderedDict()

    async def of(self, fold: Fold, turns: Iterable[LeftTurn]) -> dict[int, Asked]:
        """What was asked in turns of a thread, by their numbers; nothing for those whose prompt is gone."""
        wanted = [one for one in turns if one.position]
        held = self._of(fold)
        folded = {one.turn: turn for one in wanted if one.turn >= fold.base and (turn := fold.turns.get(one.turn))}
        there = {number: said for number, turn in folded.items() if (said := outline.asked_in(turn))}
        missing = [one for one in wanted if one.turn not in there and one.turn not in held.asked]
        if missing:
            held.asked |= await self.read(missing)
        held.asked = {one.turn: held.asked[one.turn] for one in wanted if one.turn in held.asked}
        return held.asked | there

    async def read(self, turns: Iterable[LeftTurn]) -> dict[int, Asked]:
        """The same as the log has it."""
        wanted = [one for one in turns if one.position]
        places = sorted({one.position for one in wanted})
        stored = await self._log.get(places) if places else []
        events = {one.seq: _events(one) for one in stored if one is not None}
        found = {one.turn: _prompt(events.get(one.position, ()), one.turn) for one in wanted}
        return {turn: outline.asked(prompt) for turn, prompt in found.items() if prompt is not None}

    def _of(self, fold: Fold) -> _Held:
        held = self._held.get(fold.chain)
        if held is None or held.erasures != fold.erasures:
            held = self._held[fold.chain] = _Held(fold.erasures)
        self._held.move_to_end(fold.chain)
        if len(self._held) > limits.FOLDED_THREADS:
            self._held.popitem(last=False)
        return held


def _events(stored: Stored) -> tuple[Event, ...]:
    """The events of a record; none of one that cannot be read, which is then named without its prompt."""
    try:
        return records.read(stored.seq, stored.data).events
    except Damaged:
        return ()


def _prompt(events: Iterable[Event], turn: int) -> Prompt | None:
    return next((event for event in events if isinstance(event, Prompt) and event.turn == turn), None)
