"""A gate: many pass at once, until it is shut for something that must be alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio


class Gate:
    """Open when made. Those inside are waited for before it is shut, those outside wait until it opens."""

    def __init__(self) -> None:
        self._changed = anyio.Condition()
        self._inside = 0
        self._shut = False

    @asynccontextmanager
    async def passing(self) -> AsyncIterator[None]:
        async with self._changed:
            while self._shut:
                await self._changed.wait()
            self._inside += 1
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                async with self._changed:
                    self._inside -= 1
                    self._changed.notify_all()

    @asynccontextmanager
    async def shut(self) -> AsyncIterator[None]:
        async with self._changed:
            while self._shut:
                await self._changed.wait()
            self._shut = True
        try:
            async with self._changed:
                while self._inside:
                    await self._changed.wait()
            yield
        finally:
            with anyio.CancelScope(shield=True):
                async with self._changed:
                    self._shut = False
                    self._changed.notify_all()
