"""The turns that a context may show word for word, and what they measure. Pure.

A turn of which everything that was said was erased has nothing to show: it is left out, and only counted.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from eunoe.composition import renderings
from eunoe.composition.budget import anchored
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.rounds import Step, tool_rounds
from eunoe.composition.showing import Renderings, left_marker, step_pieces
from eunoe.schemas import limits
from eunoe.schemas.context import Rendering
from eunoe.schemas.events import Prompt, Response

NO_TURN = limits.LAST_NUMBER + 1  # comes after every turn
LEAST_TOKENS = 1  # what a turn that says nothing counts for, so that a past of none else is not read to its beginning


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
    """The turns from the mark on, as many as a window can need, and all that are kept, whether it can hold them or not:
    what they need is said."""
    turns: list[Turn] = []
    sizes: list[int] = []
    erased: list[int] = []
    reach, oldest, kept, since = 0, 0, oldest_kept(inputs.fold, settings.keep), start(inputs, settings)
    way = (settings.output, settings.manner.format, settings.manner.memory_tool, settings.counter.name)
    for turn in inputs.fold.committed(since):
        if full(reach, inputs, settings) and turn.number < kept:
            break
        oldest = turn.number
        if is_erased(turn):
            erased.append(oldest)
            reach += LEAST_TOKENS
            continue
        turns.append(inputs.kept.get(oldest, turn))
        sizes.append(_past_size(turns[-1], settings, way, whole=oldest >= kept))
        reach += max(sizes[-1], LEAST_TOKENS)
    first = oldest if full(reach, inputs, settings) else since or _first(inputs, oldest, len(turns) + len(erased))
    return Literal(turns[::-1], sizes[::-1], tuple(erased[::-1]), first, reach)


def full(reach: int, inputs: Inputs, settings: Settings) -> bool:
    """Whether turns that count for so many tokens are more than a window holds, also where its provider counts fewer
    of them."""
    return anchored(reach, min(inputs.anchor, 0)) > settings.window


def start(inputs: Inputs, settings: Settings) -> int:
    """The oldest turn that may be literal, 0 where none is marked: turns that are kept come back from before the
    mark."""
    if not inputs.mark or not settings.keep:
        return inputs.mark
    return min(inputs.mark, oldest_kept(inputs.fold, settings.keep))


def oldest_kept(fold: Fold, keep: int) -> int:
    """The oldest of the ``keep`` newest committed turns; beyond every turn for none."""
    newest = [turn.number for turn, _ in zip(fold.committed(), range(keep), strict=False)] if keep else []
    return newest[-1] if newest else NO_TURN


def of_past(turn: Turn, settings: Settings, *, whole: bool) -> Renderings:
    """How a turn that is over is shown; ``whole``: with everything that was said in it, as far as it was read."""
    found = renderings.after(turn, settings.output, settings.manner.memory_tool)
    if not whole:
        return found
    said = {item.entry for item in turn.items if isinstance(item.event, Prompt | Response) and not item.event.blob}
    return tuple(rendering for rendering in found if rendering.entry not in said)


def is_erased(turn: Turn) -> bool:
    """Whether something was said in a turn, and all of it was erased."""
    key = "erased"
    found: bool | None = turn.cache.get(key)
    if found is None:
        found = turn.cache[key] = bool(turn.items) and all(item.event.erased for item in turn.items)
    return found


def size(turn: Turn, shown: Renderings, drop: int, settings: Settings, *, live: bool = False) -> int:
    """Tokens of a turn without its ``drop`` oldest tool rounds."""
    weights = _weights(turn, shown, settings, live)
    if not drop:
        return sum(weights.values())
    gone = tool_rounds(turn.steps)[:drop]
    marker = settings.weigh(settings.manner.shape.derived(left_marker(turn, gone, settings.manner)))
    return sum(weights.values()) - sum(weights[step.first] for step in gone) + marker


def _past_size(turn: Turn, settings: Settings, way: Hashable, *, whole: bool) -> int:
    """Tokens of a turn that is over; ``way`` is everything in the settings that they depend on. A large window has
    hundreds of them, and asks for each several times a request."""
    key = ("past", way, whole)
    found: int | None = turn.cache.get(key)
    if found is None:
        found = turn.cache[key] = size(turn, of_past(turn, settings, whole=whole), 0, settings)
    return found


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
