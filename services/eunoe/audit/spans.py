"""Numbers of turns and entries as ranges: whether they are in order, and what is in them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set

from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Spans
from eunoe.schemas.errors import Invalid


def check(found: Spans, what: str) -> None:
    """Raise `Invalid` unless the ranges are of numbers from 1, ascending, and none meets another."""
    last = 0
    for first, end in found:
        if not last < first <= end <= limits.LAST_NUMBER:
            raise Invalid(f"{what} are ascending ranges of numbers from 1, and {first} to {end} is out of order")
        last = end


def within(number: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= number <= last for first, last in ranges)


def any_within(numbers: Set[int], ranges: Iterable[tuple[int, int]]) -> bool:
    """Whether any of the numbers is in one of the ranges."""
    for first, last in ranges:
        if last - first < len(numbers):
            found = any(number in numbers for number in range(first, last + 1))
        else:
            found = any(first <= number <= last for number in numbers)
        if found:
            return True
    return False


def meet(some: Iterable[tuple[int, int]], others: Collection[tuple[int, int]]) -> bool:
    """Whether any range of one has a number in common with one of the others."""
    return any(first <= end and start <= last for first, last in some for start, end in others)
