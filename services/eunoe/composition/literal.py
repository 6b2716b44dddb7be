"""The turns that a context may show word for word, and what they measure. Pure.

A turn of which everything that was said was erased has nothing to show: it is left out, and only counted.
"""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.composition import renderings
from eunoe.composition.fold import Turn
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.rounds import Step, tool_rounds
from eunoe.composition.showing import Renderings, left_marker, step_pieces
from eunoe.schemas.context import Rendering

ERASED_TOKENS = 1  # what an erased turn counts for, so that a past of nothing else is not read to its beginning


@dataclass(frozen=True, slots=True)
class Literal:
    """Turns, oldest first, with their sizes in tokens; ``first`` is the first turn that may be among them.

    ``erased`` are the turns from there on that have nothing to show, ``reach`` the tokens that all of them count for.
    """

    turns: list[Turn]
    sizes: list[int]
    erased: tuple[int, ...]
    first: int
    reach: int


def literal(inputs: Inputs, settings: Settings) -> Literal:
    """The turns from the mark on, as many as a window can need."""
    turns: list[Turn] = []
    sizes: list[int] = []
    erased: list[int] = []
    reach, oldest, more = 0, 0, False
    for turn in inputs.fold.committed(inputs.mark):
        if more := reach > settings.window:
            break
        oldest = turn.number
        if is_erased(turn):
            erased.append(oldest)
            reach += ERASED_TOKENS
            continue
        shown = renderings.after(turn, settings.output, settings.manner.memory_tool)
        turns.append(turn)
        sizes.append(size(turn, shown, 0, settings))
        reach += sizes[-1]
    first = oldest if more else inputs.mark or _first(inputs, oldest, len(turns) + len(erased))
    return Literal(turns[::-1], sizes[::-1], tuple(erased[::-1]), first, reach)


def is_erased(turn: Turn) -> bool:
    """Whether something was said in a turn, and all of it was erased."""
    return bool(turn.items) and all(item.event.erased for item in turn.items)


def size(turn: Turn, shown: Renderings, drop: int, settings: Settings, *, live: bool = False) -> int:
    """Tokens of a turn without its ``drop`` oldest tool rounds."""
    weights = _weights(turn, shown, settings, live)
    if not drop:
        return sum(weights.values())
    gone = tool_rounds(turn.steps)[:drop]
    marker = settings.weigh(settings.manner.shape.derived(left_marker(turn, gone, settings.manner)))
    return sum(weights.values()) - sum(weights[step.first] for step in gone) + marker


def _first(inputs: Inputs, oldest: int, count: int) -> int:
    """The mark of a context that has none yet: 1 while every committed turn is among the ``count`` looked at."""
    header = inputs.fold.header
    return oldest if oldest and header and header.committed > count else 1


def _weights(turn: Turn, shown: Renderings, settings: Settings, live: bool) -> dict[int, int]:
    """Tokens of each step of a turn, by its first entry."""
    key = ("weights", settings.manner, settings.counter.name, shown, live)
    found: dict[int, int] | None = turn.cache.get(key)
    if found is None:
        how = {rendering.entry: rendering for rendering in shown}
        found = turn.cache[key] = {step.first: _weight(turn, step, how, settings, live) for step in turn.steps}
    return found


def _weight(turn: Turn, step: Step, how: dict[int, Rendering], settings: Settings, live: bool) -> int:
    return settings.weigh(step_pieces(turn, step, how, settings.manner, live=live))
