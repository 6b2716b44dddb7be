"""A request before it is composed, with everything that its assessment looks at. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from eunoe.composition import contents, renderings
from eunoe.composition.assessing.naming import LOOKED_AT
from eunoe.composition.contents import Item
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.known import Known
from eunoe.composition.place import Place
from eunoe.composition.remembered import Remembered
from eunoe.composition.words import of_request
from eunoe.schemas.context import Assessment
from eunoe.schemas.events import ToolCall
from eunoe.schemas.requests import ThreadState

TURNS_LOOKED_AT = 16  # newest committed turns that are looked at for the tools that the task took
FACTS_NAMED = 30  # facts that a model may choose from


@dataclass(frozen=True, slots=True)
class Brief:
    """``turn`` asks for ``text``, which is the entry ``entry`` at a position in the log (0: it is not there).

    ``before`` are the tools that the last committed turn called, ``working`` those called since the task was set, and
    in the turn itself. ``task`` is None where there is none. ``facts`` are those that may bear on the request, ``made``
    what was decided earlier in the same turn, which only its own agent hears of, ``state`` the thread's.
    """

    turn: int
    text: str
    place: Place
    entry: int = 0
    position: int = 0
    before: tuple[str, ...] = ()
    working: tuple[str, ...] = ()
    task: Known | None = None
    facts: tuple[Known, ...] = ()
    made: Assessment | None = None
    state: ThreadState | None = None

    @property
    def fixed(self) -> bool:
        """Whether the task is not a model's to change."""
        return self.task is not None and self.task.source != "model"


def brief(fold: Fold, opened: Turn | None, prompt: str, place: Place, remembered: Remembered) -> Brief:
    """The request of an open turn, else ``prompt``; the fold has `enough`."""
    turn = opened.number if opened else fold.last + 1
    item = _request(opened) if opened else None
    text = contents.text(item.event) if item else prompt
    task = task_of(remembered)
    turns = list(islice(fold.committed(), TURNS_LOOKED_AT))
    since = task.shown.position if task else fold.upto
    made = fold.assessed[1] if fold.assessed else None
    return Brief(
        turn=turn,
        text=text,
        place=place,
        entry=item.entry if item else 0,
        position=item.position if item else 0,
        before=tuple(dict.fromkeys(_called(turns[0]))) if turns else (),
        working=tuple(dict.fromkeys(_working(opened, turns, since))),
        task=task,
        facts=_facts(text, remembered),
        made=made.assessment if made and made.turn == turn and _its_own(opened, place) else None,
        state=remembered.state,
    )


def task_of(remembered: Remembered) -> Known | None:
    """The task in force, the strongest one."""
    return next((fact for fact in remembered.now if fact.task), None)


def enough(fold: Fold, task: Known | None) -> bool:
    """Whether the fold reaches back to the last committed turn, and to where the task was set, or far enough."""
    newest = list(islice(fold.committed(), TURNS_LOOKED_AT))
    if fold.complete or len(newest) == TURNS_LOOKED_AT:
        return True
    if task is None or not newest:
        return bool(newest)
    return any(item.position <= task.shown.position for item in newest[-1].items[:1])


def _its_own(opened: Turn | None, place: Place) -> bool:
    """Whether the facts that a request is for are those of the agent whose turn it is: others' may be in what was
    decided."""
    return opened is not None and opened.agent == place.agent


def _request(opened: Turn) -> Item | None:
    entry = renderings.request_entry(opened)
    return next((item for item in opened.items if item.entry == entry), None)


def _working(opened: Turn | None, turns: list[Turn], since: int) -> Iterator[str]:
    for turn in reversed(turns):
        yield from _called(turn, since)
    if opened is not None:
        yield from _called(opened)


def _called(turn: Turn, since: int = 0) -> Iterator[str]:
    """The tools that a turn called after a position in the log."""
    return (item.event.tool for item in turn.items if isinstance(item.event, ToolCall) and item.position > since)


def _facts(text: str, remembered: Remembered) -> tuple[Known, ...]:
    """The facts that share words with a request, and then the others in their order."""
    none: frozenset[str] = frozenset()
    near = remembered.earlier.bearing(of_request(text[:LOOKED_AT]), none, frozenset())
    found = {fact.id: fact for fact in (*near, *islice(remembered.earlier, FACTS_NAMED))}
    return tuple(found.values())[:FACTS_NAMED]
