"""A client with an outbox on disk, as the body of a process that may be killed at any moment."""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import anyio

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.schemas.events import Prompt, TurnCommitted, TurnOpened


def keep_talking(saying: Connection, settings: Settings, outbox: Path, names: Sequence[str]) -> None:
    """Say a turn for each name in the thread ``t``, and tell of each that was taken into keeping."""

    async def talk() -> None:
        async with Memory.connect(settings=settings, outbox=outbox) as memory:
            for name in names:
                await memory.thread("t").append(TurnOpened(), Prompt(content=name), TurnCommitted(), turn=name)
                saying.send(name)

    anyio.run(talk)
