"""A disk that fails as a test says, and a client at the other end of the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from disks import Disk
from wires import Wire

from eunoe.client import Memory


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@pytest.fixture
async def memory(wire: Wire) -> AsyncIterator[Memory]:
    async with wire.memory() as memory:
        yield memory
