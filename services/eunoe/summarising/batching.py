"""Which turns a summary is due for, and in how many bytes. Pure.

Turns are counted by their ordinals, the order of their commits, in which a summary covers all up to the last one of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eunoe.composition import budget
from eunoe.distillation import door, words
from eunoe.schemas import limits


def size(window: int) -> int:
    """Bytes of a summary for contexts of so many tokens."""
    return min(budget.outline_bytes(window), limits.SUMMARY_BYTES_MAX)


def due(covered: int, last: int, least: int = limits.SUMMARY_BATCH) -> bool:
    """Whether so many turns or more wait: a summary goes to ``covered``, and may go to ``last``."""
    return last - covered >= max(least, 1)


def spans(covered: int, last: int) -> Iterator[tuple[int, int]]:
    """The turns that wait, the oldest first, in pieces of as many as one update takes."""
    step = limits.SUMMARY_BATCH_MAX
    return ((first, min(first + step - 1, last)) for first in range(covered + 1, last + 1, step))


def says(turn: door.Turn) -> bool:
    """Whether a turn adds anything to a summary."""
    return bool(turn.called) or any(words.speaks(said.text) for said in turn.said)


def taken(turns: Sequence[door.Turn]) -> Sequence[door.Turn]:
    """The turns of one update, of those that wait: none where none says anything, else all up to as many that do."""
    saying = [at for at, turn in enumerate(turns) if says(turn)][: limits.SUMMARY_BATCH_MAX]
    return turns[: saying[-1] + 1] if saying else ()
