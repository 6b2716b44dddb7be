"""What a distiller is given, and what it gives back: rules and models alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from eunoe.schemas.distilled_events import Distiller as By
from eunoe.schemas.distilled_events import Effort, SetAside

Speaker = Literal["person", "model"]


@dataclass(frozen=True, slots=True)
class Said:
    """One prompt or reply: its entry, where that is in the log, when it was said (ms UTC), by whom, and its words.

    Of one that is kept in pieces these are the head and the tail; records of memory in it are left out, and what looks
    like a secret is replaced.
    """

    entry: int
    position: int
    at: int
    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """One call of a tool: its entry, the tool, and its arguments as they were written."""

    entry: int
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A committed turn as a distiller sees it; ``at`` is when it was opened (ms UTC).

    ``entries`` are its first and its last one, 0 for none; ``others`` are those between them that it does not have: of
    another turn, or erased.
    """

    number: int
    ordinal: int
    at: int
    agent: str = ""
    session: str = ""
    preview: str = ""
    said: Sequence[Said] = ()
    called: Sequence[Called] = ()
    entries: tuple[int, int] = (0, 0)
    others: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """A fact that is in force already; ``tool``: a tool told it, and named it as tools do."""

    subject: str
    name: str
    value: str
    tool: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A subject kind that may be distilled, and what facts of it tell."""

    subject: str
    description: str


@dataclass(frozen=True, slots=True)
class Batch:
    """What the summary is to be updated with: its text so far (empty: there is none), the turns that are not in it, and
    the most bytes that it may have."""

    text: str
    turns: Sequence[Turn]
    size: int


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work: draw facts from ``turns``, in the order of their commits; prompts of the turns ``after`` them
    say newer values. ``batch``: update the summary too, None where it is not due."""

    turns: Sequence[Turn]
    kinds: Sequence[Kind]
    known: Sequence[Known] = ()
    after: Sequence[Turn] = ()
    batch: Batch | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One fact as a distiller gives it: who said it, in which turn, and in which of its entries (none: of that turn as
    a whole). ``at`` is when that was said (ms UTC), 0 for the turn's own time."""

    subject: str
    name: str
    value: str
    speaker: Speaker
    turn: int
    entries: tuple[int, ...] = ()
    at: int = 0


@dataclass(frozen=True, slots=True)
class Drawn:
    """What came of a task. ``summary`` is the updated text, None where it stays as it was: ``kept`` says why, where it
    was to be updated. ``dropped`` counts items over the limit."""

    items: Sequence[Item] = ()
    dropped: int = 0
    set_aside: Sequence[SetAside] = ()
    summary: str | None = None
    kept: str = ""
    effort: Effort = field(default_factory=Effort)


class Distiller(Protocol):
    """Draws facts from what was said, and updates the summary in the same go."""

    @property
    def by(self) -> By: ...

    async def draw(self, task: Task) -> Drawn:
        """Raises `ModelFailed` where nothing usable came back at all; with any usable item it does not."""
        ...

    async def close(self) -> None: ...


class Summariser(Protocol):
    """Updates a summary."""

    @property
    def by(self) -> By: ...

    async def update(self, batch: Batch) -> tuple[str, Effort]:
        """The updated text, in ``batch.size`` bytes; raises `ModelFailed` where there is none."""
        ...

    async def close(self) -> None: ...
