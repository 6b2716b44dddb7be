"""What was left of records when events of them were erased, and whether a copy of one has more than that. Pure."""

from __future__ import annotations

from eunoe.runtime.doors import Stored
from eunoe.schemas import records
from eunoe.schemas.events import RecordKept

_MARKS = (b'"erased"', b"[erased]")  # what the bytes of a record hold of which something was erased


class Copies:
    """The events that are erased, of the records that were looked at."""

    def __init__(self) -> None:
        self._erased: dict[int, set[int]] = {}

    def note(self, stored: Stored) -> bool:
        """Look at one record; whether any of its events was erased before."""
        if not any(mark in stored.data for mark in _MARKS):
            return False
        salts = records.open_wire(stored.data).salts
        self._erased[stored.seq] = {index for index, salt in enumerate(salts) if not salt}
        return bool(self._erased[stored.seq])

    def more(self, event: RecordKept) -> bool:
        """Whether what was left of a record has more than may be left of it now: a worker that was slow may have
        appended it when others had gone on."""
        return any(event.events[index].salt for index in self._erased.get(event.position, ()))
