"""How long to wait before trying again. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from eunoe.schemas import limits

FIRST_SECONDS = 0.25  # seconds before the first retry
LONGEST_SECONDS = 8.0  # seconds that no wait exceeds


def backoff(
    attempt: int, *, first: float = FIRST_SECONDS, longest: float = LONGEST_SECONDS, jitter: float = 0.0
) -> float:
    """Seconds to wait after failed attempt number ``attempt`` (from 1): doubled each time, up to ``longest``.

    ``jitter`` (0 to 1) takes up to half of it away, so that many that failed together do not return together.
    """
    wait = min(longest, first * 2.0 ** min(max(attempt, 1) - 1, 30))
    return wait * (1 - jitter / 2)


def waits(*, first: float = FIRST_SECONDS, longest: float = LONGEST_SECONDS) -> Iterator[float]:
    """Seconds to wait after one failed attempt after the other, for ever."""
    return (backoff(attempt, first=first, longest=longest) for attempt in itertools.count(1))


def answer_within(attempt: int) -> float:
    """Seconds to wait for the answer to attempt number ``attempt`` (from 1) of what may be sent any number of times.

    The worker that had it in hand may have been killed, and nobody says so: another one would have answered soon.
    """
    return min(limits.RESEND_SECONDS * 2.0 ** min(max(attempt, 1) - 1, 30), limits.REQUEST_SECONDS)
