"""Keeping the buckets those of the log: they are looked at before anybody is served, and again and again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import anyio

from eunoe.facts.duty import Duty, Shared
from eunoe.facts.recovery import Recovery
from eunoe.runtime.lasting import lasting

CHECK_SECONDS = 15.0  # seconds between two looks whether the buckets are still those that were filled


class Keeper(Duty):
    """Makes the buckets again where they do not belong to the log."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._recovery = Recovery(shared.store)
        self._rebuilt = 0

    def loops(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        return {"the watch of the buckets waits": self._watch}

    def statistics(self) -> Mapping[str, int]:
        return {"rebuilt": self._rebuilt}

    async def check(self) -> None:
        """Make the buckets again from the log where they do not belong to it; nobody is served meanwhile."""
        async with self._shared.gate.shut():
            await lasting("the facts wait", self._check)

    async def _check(self) -> None:
        reason = await self._recovery.reason()
        if reason:
            self._shared.projector.forget()
            self._shared.facts.forget()
            await self._recovery.rebuild(self._shared.projector.apply, reason)
            self._rebuilt += 1
        else:
            await self._recovery.settle()

    async def _watch(self) -> None:
        while True:
            await anyio.sleep(CHECK_SECONDS)
            if await self._recovery.reason():
                await self.check()
