"""The floor of a context, where that is larger than its window, and how the refusal says it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.schemas.errors import DoesNotFit


@dataclass(frozen=True, slots=True)
class Floor:
    """A context from which nothing more can leave, in tokens: ``alone`` are the request and the instructions, ``kept``
    the ``turns`` newest turns, which are kept, and ``total`` everything. ``needed`` is the window that it asks for."""

    window: int
    alone: int
    turns: int
    kept: int
    total: int
    needed: int


class Over(Exception):
    """A context that is larger than its window at its floor."""

    def __init__(self, floor: Floor) -> None:
        super().__init__(floor)
        self.floor = floor


def does_not_fit(floor: Floor, window: int) -> DoesNotFit:
    """The refusal of what would fit a ``window`` of so many tokens, and no smaller one."""
    parts = [f"the request and the instructions take {floor.alone:,} tokens of a window of {floor.window:,}"]
    rest = floor.total - floor.alone - floor.kept
    if floor.turns:
        parts.append(f"the last {_turns(floor.turns)} kept, {floor.kept:,}")
    if rest > floor.alone:
        parts.append(f"what the open turn cannot do without {rest:,}")
    ways = ["keep fewer turns"] if floor.turns else ["shorten them"] if len(parts) == 1 else []
    return DoesNotFit(
        f"{', '.join(parts)}, and the least that a context can be is {window:,}; "
        f"{' or '.join([*ways, 'use a larger window'])}",
        alone=floor.alone,
        floor=window,
        window=floor.window,
    )


def _turns(count: int) -> str:
    return "turn, which is" if count == 1 else f"{count} turns, which are"
