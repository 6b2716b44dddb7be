"""A clock that moves when it is told to."""

from __future__ import annotations

START = 1_750_000_000_000  # ms UTC, a moment in June 2025


class ManualClock:
    """A `doors.Clock` for tests: it stands still until `advance` or `set` moves it."""

    def __init__(self, start: int = START) -> None:
        self._now = start

    def now(self) -> int:
        return self._now

    def advance(self, *, seconds: float = 0.0, ms: int = 0) -> int:
        """Move on, and return the new time (ms UTC)."""
        self._now += round(seconds * 1000) + ms
        return self._now

    def set(self, now: int) -> None:
        self._now = now
