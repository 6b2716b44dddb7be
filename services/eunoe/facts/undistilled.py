"""The ranges of a thread's turns from which nothing could be drawn: the fold of what its records say of them. Pure.

None is forgotten, so that each can be distilled again: those that failed long ago lose their reasons, and neighbours
among these become one range.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eunoe.facts.values import cut
from eunoe.schemas import limits
from eunoe.schemas.events import Distilled

Range = tuple[int, int, str]
"""The ordinals of the first and of the last turn, and why nothing was drawn from them."""


def fold(known: tuple[Range, ...], events: Iterable[Distilled]) -> tuple[Range, ...]:
    """The ranges after one more record: turns that are distilled after all leave them, and a range that fails again has
    a new reason."""
    for event in events:
        reason, about = cut(event.failed, limits.VALUE_LENGTH), (event.first, event.last)
        if event.again and reason:
            known = tuple((*about, reason) if one[:2] == about else one for one in known)
        elif event.again:
            known = tuple(_without(known, *about))
        elif reason:
            known = (*known, (*about, reason))
    return _bounded(known)


def _without(known: Iterable[Range], first: int, last: int) -> Iterator[Range]:
    for start, end, reason in known:
        if start < first:
            yield start, min(end, first - 1), reason
        if end > last:
            yield max(start, last + 1), end, reason


def _bounded(known: tuple[Range, ...]) -> tuple[Range, ...]:
    old, new = known[: -limits.FAILED_IN_STATE], known[-limits.FAILED_IN_STATE :]
    merged: list[Range] = []
    for first, last, _ in old:
        if merged and merged[-1][1] + 1 == first:
            first, *_ = merged.pop()
        merged.append((first, last, ""))
    return (*merged[-limits.UNDISTILLED_IN_STATE :], *new)
