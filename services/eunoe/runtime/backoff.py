"""How long to wait before trying again. Pure."""

from __future__ import annotations

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
