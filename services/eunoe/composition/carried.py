"""The state that a session carries, as a context shows it: whole and on one line, or not at all. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from eunoe.composition import marks
from eunoe.schemas.context import FactLine
from eunoe.schemas.facts import SessionRecord


@dataclass(frozen=True, slots=True)
class Carried:
    """What a session carries: where it was set, its line, and how many bytes that takes with the line feed."""

    shown: FactLine
    line: str
    bytes: int

    @property
    def held_back(self) -> Carried:
        """The same where there is no room for it: its note says how much it is."""
        note = f"{self.bytes:,} bytes, more than this context has room for"
        return _carried(msgspec.structs.replace(self.shown, note=note), "")


def carried(record: SessionRecord | None) -> Carried | None:
    """What a session carries, None for nothing."""
    if record is None or not record.state_id:
        return None
    _, position, index = record.state_order
    return _carried(FactLine(id=record.state_id, position=position, index=index), record.state)


def line(state: str, note: str) -> str:
    """``Session state: JSON`` on one line, or its note."""
    if note:
        return f"Session state: ({note})"
    try:
        compact = marks.unbroken(msgspec.json.format(state, indent=-1))
    except msgspec.DecodeError:  # what is no JSON is data all the same
        compact = marks.one_line(state)
    return f"Session state: {compact}"


def _carried(shown: FactLine, state: str) -> Carried:
    said = line(state, shown.note)
    return Carried(shown, said, len(said.encode()) + 1)
