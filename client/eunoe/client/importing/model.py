"""What a reader yields: turns, problems, and lines that are kept aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from eunoe.schemas.events import FactRecorded, HappenedEvent

Format = Literal["openai", "claude_code", "swe_agent", "eunoe"]
FORMATS: tuple[Format, ...] = ("openai", "claude_code", "swe_agent", "eunoe")


@dataclass(frozen=True, slots=True)
class Turn:
    """Events of one turn, from `TurnOpened` to how it ended (an export's come record by record).

    ``suffix`` sets its thread apart from the file's first; ``chain`` names it outright instead. ``key`` is
    the turn's name, unique in its thread and file, empty for events of no turn. ``line`` is where it
    begins: the line of the file, or the number of the message in a file that is one JSON value.
    ``committed``: the turn happened (so did what belongs to no turn).
    """

    suffix: str
    key: str
    events: tuple[HappenedEvent | FactRecorded, ...]
    line: int
    chain: str = ""
    committed: bool = True


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read as it stands. ``kept``: it went in all the same, as the reason says.

    ``message`` instead of ``line`` is where it is in a file that is one JSON value: the number of the message.
    """

    line: int
    reason: str
    kept: bool = False
    message: int = 0


@dataclass(frozen=True, slots=True)
class Aside:
    """A line that is part of the format and no part of the conversation (a summary, a note of the program)."""

    line: int
    kind: str


Item = Turn | Problem | Aside
