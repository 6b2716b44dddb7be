"""The floor of a context, where that is larger than its window, and how the refusal says it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from eunoe.composition.larger import Larger
from eunoe.schemas.errors import DoesNotFit


@dataclass(frozen=True, slots=True)
class Floor:
    """A context from which nothing more can leave, in tokens: ``alone`` are the request and the instructions, ``kept``
    the ``turns`` newest turns, which are kept, ``opened`` the open turn beside its request, ``earlier`` and ``now`` the
    blocks, and ``total`` everything. ``needed`` is the window that it asks for."""

    window: int
    alone: int
    turns: int
    kept: int
    opened: int
    earlier: int
    now: int
    total: int
    needed: int

    @property
    def beside(self) -> int:
        """What takes room that is neither asked for nor kept."""
        return self.total - self.alone - self.kept


class Over(Exception):
    """A context that is larger than its window at its floor."""

    def __init__(self, floor: Floor) -> None:
        super().__init__(floor)
        self.floor = floor


def does_not_fit(floor: Floor, larger: Larger) -> DoesNotFit:
    """The refusal of what would fit a larger window."""
    alone = f"the request and the instructions take {floor.alone:,} tokens of a window of {floor.window:,}"
    parts = [alone, *_parts(floor)]
    return DoesNotFit(
        f"{', '.join(parts)}, and {enough(larger.window, least=larger.least)}; {_way(floor)}use a larger window",
        alone=floor.alone,
        floor=larger.window,
        least=larger.least,
        window=floor.window,
    )


def enough(window: int, *, least: bool) -> str:
    """How a window that is enough is named, and whether one token less would not be."""
    return f"the least that a context can be is {window:,}" if least else f"a window of {window:,} is enough"


def _parts(floor: Floor) -> Iterator[str]:
    """What takes room beside the request and the instructions."""
    if floor.turns:
        yield f"the last {_turns(floor.turns)} kept, {floor.kept:,}"
    if floor.opened:
        yield f"what the open turn cannot do without {floor.opened:,}"
    if floor.earlier:
        yield f"the earlier block at its least {floor.earlier:,}"
    if floor.now:
        yield f"the now block at its least {floor.now:,}"


def _way(floor: Floor) -> str:
    """What else would help than a larger window, where something does."""
    if floor.turns:
        return "keep fewer turns or "
    return "shorten the request or the instructions, or " if floor.beside <= floor.alone else ""


def _turns(count: int) -> str:
    return "turn, which is" if count == 1 else f"{count} turns, which are"
