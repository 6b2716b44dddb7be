"""Times of transcripts as milliseconds since 1970-01-01T00:00:00Z."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_BELOW = 100_000_000_000  # a number under this counts seconds (until the year 5138), above it milliseconds


def parse(value: object) -> int | None:
    """Milliseconds UTC, or None for what is no time at or after 1970.

    Text is ISO 8601: its offset is respected, and a time without one is taken as UTC. A number is seconds
    or milliseconds since 1970, told apart by size.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _number(value)
    return _text(value) if isinstance(value, str) else None


def _number(value: float) -> int | None:
    if not 0 < value < 100_000_000_000_000:
        return None
    return round(value * 1000) if value < _SECONDS_BELOW else round(value)


def _text(value: str) -> int | None:
    try:
        moment = datetime.fromisoformat(value.strip())
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        found = (aware - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return None
    return found if found > 0 else None
