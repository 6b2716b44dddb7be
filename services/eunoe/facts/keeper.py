"""Keeping the buckets those of the log: they are looked at before anybody is served, and again and again."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping

import anyio

from eunoe.facts.duty import Duty, Shared
from eunoe.facts.projector import Projector
from eunoe.facts.rebuild import Rebuild
from eunoe.facts.recovery import NEW, Recovery
from eunoe.facts.refilling import Apply
from eunoe.facts.store import FactStore
from eunoe.runtime.doors import Store, Stored
from eunoe.runtime.lasting import lasting
from eunoe.runtime.leaving import Leaving
from eunoe.schemas.errors import Busy

logger = logging.getLogger(__name__)

CHECK_SECONDS = 15.0  # seconds between two looks whether the buckets are still those that were filled
BUSY_SECONDS = 0.2  # seconds before a look whether somebody else is done with making them again


class Keeper(Duty):
    """Makes the buckets again where they do not belong to the log, and ends what others began who are gone."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._recovery = Recovery(shared.store, shared.clock)
        self.rebuild = Rebuild(shared.store, self._project, shared.clock)
        self._rebuilt = 0
        self._leaving = Leaving()
        shared.store.generations.changed.append(self._left)

    def loops(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        return {"the watch of the buckets waits": self._watch}

    def statistics(self) -> Mapping[str, int]:
        return {"rebuilt": self._rebuilt, "generation": self._shared.store.generations.current}

    async def project(self, *batch: Stored) -> None:
        """Apply records of one chain to the set in use.

        Where another comes into use meanwhile it is begun again: that one may have been made without what these
        records said, as after an erasure, and knows how far it has come.
        """
        while True:
            leaving = self._leaving
            with leaving.cancelling():
                await self._shared.projector.apply(*batch)
                return

    async def check(self) -> None:
        """Make the buckets again from the log where they do not belong to it; nobody is served meanwhile."""
        async with self._shared.gate.shut():
            await lasting("the facts wait", self._check)

    async def look(self) -> None:
        """One look at the buckets in use, and at what is left of those that were to replace them."""
        if await self._recovery.reason():
            await self.check()
        try:
            self._rebuilt += await self.rebuild.resume() is not None
        except Busy as busy:
            logger.info("the facts are left to somebody else: %s", busy, extra={"action": "rebuild_left"})

    async def _check(self) -> None:
        while reason := await self._recovery.reason():
            try:
                await self._make(reason)
            except Busy as busy:
                logger.info("the facts wait: %s", busy, extra={"action": "rebuild_awaited"})
                await anyio.sleep(BUSY_SECONDS)
        await self._recovery.settle()

    async def _make(self, reason: str) -> None:
        if reason == NEW:
            self._forget()
            await self._recovery.fill(self.project)
        else:
            logger.warning("making the facts again from the log: %s", reason, extra={"action": "facts_lost"})
            await self.rebuild.swap(reason)
        self._rebuilt += 1

    async def _watch(self) -> None:
        while True:
            await self.look()
            await anyio.sleep(CHECK_SECONDS)

    def _project(self, store: Store) -> Apply:
        return Projector(store, FactStore(store, self._shared.kinds)).apply

    def _left(self) -> None:
        self._forget()
        left, self._leaving = self._leaving, Leaving()
        left.tell()

    def _forget(self) -> None:
        self._shared.projector.forget()
        self._shared.facts.forget()
