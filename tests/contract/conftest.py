"""The same cases run on the doors in memory and over a real JetStream."""

from __future__ import annotations

import pytest

from eunoe.runtime.doors import Store
from eunoe.testing import memory_store


@pytest.fixture(params=["memory", "jetstream"])
def doors(request: pytest.FixtureRequest, space: str) -> Store:
    """The doors of a fresh space, in memory and over JetStream in turn."""
    if request.param == "memory":
        return memory_store(space)
    found: Store = request.getfixturevalue("store")
    return found
