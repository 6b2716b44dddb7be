"""Which windows are tried for a context that does not fit its own, and what is said of the one that is enough."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eunoe.composition.larger import Larger, Tried, larger


def adds_up(window: int) -> Tried:
    """A context of 952 tokens, as its parts say."""
    return Tried(fits=window >= 952, tokens=952)


def counts_less(window: int) -> Tried:
    """One of 105 tokens, where its parts ask for 108 while it does not fit."""
    return Tried(window >= 105, 105 if window >= 105 else 108)


def asks_on(window: int) -> Tried:
    """One of 780 tokens that asks for one more in each window that is too small, and fills each that is not."""
    return Tried(window >= 780, window if window >= 780 else window + 1)


def has_a_gap(window: int) -> Tried:
    """One that fits 300 tokens, not 301 to 309, and from 310 on again."""
    return Tried(window == 300 or window >= 310, 300 if window >= 310 else 310)


@pytest.mark.parametrize(
    ("attempt", "window", "needed", "found", "tried"),
    [
        (adds_up, 256, 952, Larger(952, least=True), [952, 951]),
        (adds_up, 951, 952, Larger(952, least=True), [952]),
        (counts_less, 100, 108, Larger(105, least=True), [108, 105, 104]),
        (asks_on, 256, 257, Larger(1039, least=False), [257, 258, 259, 260, 520, 1040, 1039, 779]),
        (has_a_gap, 256, 310, Larger(300, least=True), [310, 300, 299]),
    ],
)
def test_few_windows_are_tried_and_one_that_is_enough_is_named(
    attempt: Callable[[int], Tried], window: int, needed: int, found: Larger, tried: list[int]
) -> None:
    """What the context asks for, what it took there, and one token less; then half way, eight in all. It is the least
    where one token less was tried and is not enough."""
    seen: list[int] = []

    def watched(size: int) -> Tried:
        seen.append(size)
        return attempt(size)

    assert larger(window, needed, watched) == found
    assert seen == tried
