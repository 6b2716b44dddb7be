"""What a stream's information says of the servers that keep it."""

from __future__ import annotations

from typing import Any

import pytest

from eunoe.runtime import streams


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({}, False),
        ({"cluster": {"leader": "n0"}}, False),
        ({"cluster": {"replicas": [{"name": "n1", "current": True}]}}, False),
        ({"cluster": {"replicas": [{"name": "n1", "current": True}, {"name": "n2", "current": False}]}}, True),
        ({"cluster": {"replicas": [{"name": "n1", "current": True, "lag": 3}]}}, True),
        ({"cluster": {"replicas": [{"name": "n1", "current": False, "lag": 3, "offline": True}]}}, False),
    ],
    ids=["one server", "no other", "all current", "one not current", "one that lags", "one that is away"],
)
def test_who_is_behind(info: dict[str, Any], expected: bool) -> None:
    """A server that is away is not waited for: it may never come back."""
    assert streams.behind(info) is expected
