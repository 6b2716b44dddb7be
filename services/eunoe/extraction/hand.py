"""The records that were delivered together: what they hold need not be read again. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.runtime.chains import Head
from eunoe.runtime.doors import Stored
from eunoe.schemas import records
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.events import TurnCommitted, TurnOpened
from eunoe.schemas.records import Record


class Hand:
    """Records of one thread in hand: by their numbers, by the turns that they committed, and by those they opened.

    One that cannot be read is not among them: who needs it reads it from the log, and hears why.
    """

    def __init__(self, batch: Iterable[Stored]) -> None:
        self.positions: set[int] = set()
        self.records: dict[int, Record] = {}
        self.committing: dict[int, Record] = {}
        self._opening: dict[int, int] = {}
        for stored in batch:
            self.positions.add(stored.seq)
            try:
                self._take(records.read(stored.seq, stored.data))
            except EunoeError:
                continue

    def opening(self, turn: int) -> int:
        """The number of the record that opened a turn, 0 when it is not in hand."""
        return self._opening.get(turn, 0)

    def _take(self, record: Record) -> None:
        self.records[record.header.record] = record
        for event in record.events:
            if isinstance(event, TurnCommitted):
                self.committing[event.ordinal] = record
            elif isinstance(event, TurnOpened):
                self._opening[event.turn] = record.header.record


def as_head(record: Record) -> Head:
    """A record as the head of its chain."""
    return Head(record.header, record.position, record.hash)
