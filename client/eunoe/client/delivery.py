"""When a request is sent again, and how long to wait before."""

from __future__ import annotations

from eunoe.schemas.errors import Busy, EunoeError, OutcomeUnknown, Unreachable, WorkerMissing

FIRST_SECONDS = 0.05  # seconds before the second attempt
LAST_SECONDS = 2.0  # seconds between attempts at most
PATIENCE_SECONDS = 30.0  # seconds that a caller waits for an append whose outcome is not known yet

RETRIED: tuple[type[EunoeError], ...] = (OutcomeUnknown, WorkerMissing, Busy, Unreachable)


def wait_before(attempt: int, share: float = 1.0) -> float:
    """Seconds before attempt ``attempt`` (the second is 2); ``share`` in [0, 1] spreads clients apart."""
    whole = min(FIRST_SECONDS * float(2 ** min(attempt - 2, 16)), LAST_SECONDS)
    return whole * (0.5 + share / 2)
