"""The window in which a context fits that is over its own. Pure.

What a context takes is mostly the window that is enough, but nothing says so: in another window other things are shown,
and a counter may count the whole for more, or less, than its parts. So windows are tried, few of them, since each takes
a whole plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

TRIED = 8  # windows, where one of them is enough; of a context that takes more in each, as many as it takes
ASKED = 4  # of these are as large as the context asks for, after which each is twice the last or more


class Tried(NamedTuple):
    """Whether a context fits a window, and the tokens that it takes there, or would."""

    fits: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class Larger:
    """A ``window``, in tokens, that was tried and is enough. ``least``: so was one token less, and is not."""

    window: int
    least: bool


def larger(window: int, needed: int, attempt: Callable[[int], Tried]) -> Larger:
    """A window that is enough, where ``window`` is not, and the context asked for ``needed`` tokens there.

    The least one, if that is found in so many tries: what a context takes in one window is mostly what it needs.
    """
    small, large, tries = window, needed, 1
    while not (found := attempt(large)).fits:
        small, large = large, max(found.tokens, 2 * large if tries >= ASKED else 0)
        tries += 1
    nearest = True
    while tries < TRIED and small + 1 < large:
        if small < found.tokens < large - 1:
            guess = found.tokens
        else:
            guess, nearest = (large - 1 if nearest else (small + large) // 2), False
        found = attempt(guess)
        small, large = (small, guess) if found.fits else (guess, large)
        tries += 1
    return Larger(large, least=small + 1 == large)
