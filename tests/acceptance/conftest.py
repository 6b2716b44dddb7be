"""A fleet in a space of its own on the session's server, and a person's client of it; modules may have their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.testing import NatsServer


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    mapping = {"tools": ["search"], "each": "hits.*", "subject": "note", "name": "{title}", "value": "{text}"}
    return Settings(
        url=nats_server.url, space=space, data=tmp_path, role="person", principal="ada", mappings=(mapping,)
    )


@pytest.fixture
async def fleet(settings: Settings) -> AsyncIterator[Fleet]:
    async with running(settings) as fleet:
        yield fleet


@pytest.fixture
async def memory(settings: Settings, fleet: Fleet) -> AsyncIterator[Memory]:
    async with Memory.connect(settings=settings) as memory:
        yield memory
