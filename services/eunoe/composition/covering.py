"""What is said of turns that left, in one share of the window: the running summary, and a line for each turn that it
does not cover. Pure.

The summary comes first, but a turn that left after it is not to go unnamed for its sake: it is shortened while the
least lines of those turns have no room beside it, to half of the share and no further.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eunoe.composition import outline
from eunoe.composition import summary as summaries
from eunoe.composition.fold import Turn
from eunoe.composition.inputs import Inputs
from eunoe.composition.outline import Asked
from eunoe.composition.summary import Summary
from eunoe.schemas.context import LeftTurn

SUMMARY_SHARE_MIN = 1 / 2  # of the bytes for both: what turns that it does not cover leave to a summary


@dataclass(frozen=True, slots=True)
class Covering:
    """The summary as it is shown, and the turns that are named, oldest first."""

    summary: Summary | None = None
    outline: tuple[LeftTurn, ...] = ()


def covering(
    summary: Summary | None, turns: Sequence[LeftTurn], prompts: Mapping[int, Asked], size: int, *, named: bool
) -> Covering:
    """What ``size`` bytes of lines say of turns that left; ``named``: those that the summary does not cover have lines
    of their own."""
    waiting = tuple(one for one in turns if summary is None or not summary.covers(one.turn)) if named else ()
    least = outline.least(waiting, prompts)
    room = max(size - least, int(size * SUMMARY_SHARE_MIN))
    shown = summaries.within(summary, room) if summary else None
    if shown is None:
        return Covering(None, outline.within(turns, prompts, size) if named else ())
    return Covering(shown, outline.within(waiting, prompts, beside(shown, size)))


def beside(summary: Summary | None, size: int) -> int:
    """The bytes that a summary leaves to lines of turns."""
    return size - summary.bytes if summary else size


def uncovered(inputs: Inputs, turns: Iterable[Turn]) -> int:
    """How many committed turns the summary does not cover, without ``turns``."""
    header, last = inputs.fold.header, inputs.summarised
    return (header.committed if header else 0) - last - sum(turn.ordinal > last for turn in turns)
