"""A connection with the server, user and password of the settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from eunoe.runtime.connection import Connection, connect
from eunoe.runtime.settings import Settings
from eunoe.schemas.subjects import Caller


@asynccontextmanager
async def login(settings: Settings, caller: Caller, name: str = "eunoe") -> AsyncIterator[Connection]:
    """Connect as ``caller``; what `connect` raises. It is closed in the end, also by one who is cancelled."""
    connection = await connect(
        settings.url, caller=caller, user=settings.user, password=settings.password.get_secret_value(), name=name
    )
    try:
        yield connection
    finally:
        with anyio.CancelScope(shield=True):
            await connection.close()
