"""Times of transcripts: offsets respected, naive ones UTC, numbers told apart by size."""

from __future__ import annotations

import pytest

from eunoe.client.importing.times import parse

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-01T12:00:00Z", NOON),
        ("2026-01-01T12:00:00", NOON),
        ("2026-01-01T21:00:00+09:00", NOON),
        ("2026-01-01T04:00:00.250-08:00", NOON + 250),
        ("2026-01-01", NOON - 12 * 3_600_000),
        (1_767_268_800, NOON),
        (1_767_268_800.25, NOON + 250),
        (1_767_268_800_000, NOON),
        ("yesterday", None),
        ("", None),
        (None, None),
        (True, None),
        (-5, None),
        (0, None),
        (10**300, None),
        (float("nan"), None),
        ("1969-12-31T23:59:59Z", None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_times(value: object, expected: int | None) -> None:
    """What is no time at or after 1970 is none."""
    assert parse(value) == expected
