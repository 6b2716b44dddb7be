"""The instructions in force from before what is folded: every record's header says where the newest ones are."""

from __future__ import annotations

from collections.abc import Iterator

from eunoe.composition.contents import Item, item_of
from eunoe.composition.fold import Fold
from eunoe.composition.walking import Walker
from eunoe.runtime.chains import Head
from eunoe.runtime.doors import Log
from eunoe.schemas import records
from eunoe.schemas.events import Instructions
from eunoe.schemas.records import Place, Record


class Instructed:
    """Finds instructions without reading what is between them."""

    def __init__(self, log: Log, walker: Walker) -> None:
        self._log = log
        self._walker = walker

    async def older(self, fold: Fold, turn: int, agent: str, given: int = 0) -> list[Item]:
        """The newest instructions before what is folded that hold for an agent in a turn: those given together, of no
        turn, of a committed one, or of that turn itself; only those of the turn ``given``, where one is named.
        """
        if fold.header is None:
            return []
        head, found = Head(fold.header, fold.position, ""), list[Item]()
        states = {known.turn: known.turn == turn for known in fold.header.open.values()}
        place = fold.header.instructed
        while place is not None:
            if place.record < fold.oldest and (record := await self._record(place)):
                if record.header.turns < given:
                    return found
                for item in reversed(_items(record)):
                    fits = item.giver in ("", agent) and (item.event.turn == given or not (given or found))
                    if fits and await self._holds(head, record, item, states):
                        found.insert(0, item)
                        given = item.event.turn
                if found and not given:
                    return found
            place = await self._before(head, min(place.record, fold.oldest))
        return found

    async def _holds(self, head: Head, record: Record, item: Item, states: dict[int, bool]) -> bool:
        turn = item.event.turn
        if turn and turn not in states:
            states[turn] = await self._committed(head, record.header.record, turn)
        return not turn or states[turn]

    async def _committed(self, head: Head, number: int, turn: int) -> bool:
        """How a turn that was open at a record ended, as the records after it say."""
        async for record in self._walker.forward(head, number):
            for closed in record.header.closed.values():
                if closed.turn == turn:
                    return closed.state == "committed"
        return False

    async def _before(self, head: Head, number: int) -> Place | None:
        """Where the newest instructions before a record are."""
        async for record in self._walker.backward(head, number - 1):
            place = record.header.instructed
            return place if place is None or place.position else Place(place.record, record.position)
        return None

    async def _record(self, place: Place) -> Record | None:
        """The record there; None for one that was erased."""
        stored = (await self._log.get([place.position]))[0]
        return records.read(stored.seq, stored.data) if stored else None


def _items(record: Record) -> list[Item]:
    given: Iterator[Instructions] = (event for event in record.events if isinstance(event, Instructions))
    return [item_of(event, record) for event in given]
