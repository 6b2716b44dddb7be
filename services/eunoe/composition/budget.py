"""The arithmetic of a window: when turns leave, and how far. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eunoe.schemas import limits

TARGET_MIN = 0.1  # of the window
TARGET_MAX = 0.8  # of the window
HEADROOM_TURNS_MAX = 64  # turns


@dataclass(frozen=True, slots=True)
class Budget:
    """All in tokens but ``target``, a share of the window. ``prompt`` is the request's size, and ``headroom``
    what an average turn still needs."""

    window: int
    target: float
    prompt: int
    headroom: int

    @property
    def limit(self) -> int:
        """What the request, the context and an average turn may take together."""
        return int(self.window * limits.DUE_SHARE)

    @property
    def goal(self) -> int:
        """What the context may take beside the request once turns have left."""
        return min(share(self.window, self.target), self.limit - self.prompt - self.headroom)

    def due(self, used: int) -> bool:
        return used + self.prompt + self.headroom >= self.limit


def share(window: int, target: float) -> int:
    """Tokens of the window that a target comes to."""
    return int(window * min(target, limits.TARGET_SHARE_MAX))


def anchored(counted: int, anchor: int) -> int:
    """Tokens of a context that counts for so many, with what the anchor adds. It takes off half of them at most, since
    it was learnt from another context, which may have been many times as large."""
    return counted + max(anchor, -(counted // 2))


def facts_bytes(window: int) -> int:
    """Bytes of fact lines that a block may hold."""
    share = int(window * limits.FACTS_SHARE) * limits.BYTES_PER_TOKEN
    return min(max(share, limits.FACTS_BYTES_MIN), limits.FACTS_BYTES_MAX)


def outline_bytes(window: int) -> int:
    """Bytes of lines that name turns that left; those of the running summary may be as many beside them."""
    share = int(window * limits.SUMMARY_SHARE) * limits.BYTES_PER_TOKEN
    return max(share, limits.SUMMARY_BYTES_MIN)


def pinned_bytes(window: int) -> int:
    """Bytes of lines that pinned facts may take in a context, beside the others."""
    return int(window * limits.PINNED_SHARE) * limits.BYTES_PER_TOKEN


def headroom_most(window: int) -> int:
    """Tokens that headroom counts at most: a turn larger than that has its own older rounds referenced as it runs."""
    return int(window * limits.HEADROOM_SHARE)


def least(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """The least number from ``low`` to ``high`` that fits, ``high`` when none before it does."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle + 1, high)
    return low
