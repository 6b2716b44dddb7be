"""Waiting for what an append needs to be known, without holding up the other appends to its chain."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from eunoe.runtime import aside
from eunoe.schemas.errors import EunoeError

HOLD_SECONDS = 0.1  # seconds that a chain is held while an append waits
LOOK_SECONDS = 0.005  # seconds between two looks


class NotYet(Exception):
    """Something is not known that is about to be: to be waited for apart, and then decided again.

    ``known`` looks; after ``seconds`` in all it is ``refusal``.
    """

    def __init__(self, refusal: EunoeError, known: Callable[[], Awaitable[bool]], seconds: float) -> None:
        super().__init__(str(refusal))
        self._refusal = refusal
        self._known = known
        self._seconds = seconds

    async def hold(self) -> None:
        """Return as soon as it is known; raises itself when that takes longer than a chain is held for."""
        if not await self._within(HOLD_SECONDS):
            raise self

    async def wait(self, since: float) -> None:
        """Return as soon as it is known; raises the refusal when its time is up, from ``since`` (the loop's) on."""
        with aside.beside():
            if await self._within(since + self._seconds - anyio.current_time()):
                return
        raise self._refusal

    async def _within(self, seconds: float) -> bool:
        if await self._known():
            return True
        with anyio.move_on_after(max(0.0, seconds)):
            while True:
                await anyio.sleep(LOOK_SECONDS)
                if await self._known():
                    return True
        return False
