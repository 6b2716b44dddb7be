"""Seeing to it, while a worker runs, that the streams of its space stay the ones they were.

A bucket that was removed and made again answers every read, with nothing. So from the first sign that one may
be another (the server tells that a stream was deleted, or the connection was lost and made again) until that
is known, nothing is answered; and a worker whose streams are others ends. Buckets that a newer generation
replaced are none: the documents go over to that one, and the worker goes on.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from eunoe.runtime import topology
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Store
from eunoe.runtime.topology import Identity
from eunoe.schemas import subjects
from eunoe.schemas.errors import Damaged, EunoeError, OutcomeUnknown, Unreachable

logger = logging.getLogger(__name__)

LOOK_SECONDS = 15.0  # seconds between two looks at who the streams are, when nothing gives a sign
AGAIN_SECONDS = 0.5  # seconds before the next look, when there is doubt and the last one got no answer


class Guard:
    """Watches over one worker's connection that the streams of its store stay the ones they were ``before``."""

    def __init__(self, connection: Connection, store: Store, before: Identity, *, every: float = LOOK_SECONDS) -> None:
        self._connection = connection
        self._store = store
        self._before = before
        self._generation = store.generations.current
        self._every = every
        self._doubt = False
        self._found: EunoeError | None = None
        self._sign = anyio.Event()
        self._settled = anyio.Event()

    async def run(self) -> None:
        """Watch for ever, also while the server cannot be asked.

        Raises `Damaged` when one was removed or made again: what a worker keeps in memory is of the old one.
        """
        try:
            async with self._signs():
                while True:
                    await self._look()
                    with anyio.move_on_after(AGAIN_SECONDS if self._doubt else self._every):
                        await self._sign.wait()
        finally:
            self._found = self._found or Unreachable("this worker stops; ask again")
            self._settled.set()

    async def sure(self) -> None:
        """Return once the streams are known to be the old ones; raises `Damaged` when they are not."""
        while self._doubt:
            if self._found is not None:
                raise self._found
            await self._settled.wait()

    async def _look(self) -> None:
        self._sign = anyio.Event()
        try:
            others = await self._others()
        except (OutcomeUnknown, Unreachable) as error:
            logger.info("the streams cannot be looked at now: %s", error, extra={"action": "guard_waits"})
            return
        if others:
            self._doubtful()
            self._found = Damaged(f"{', '.join(others)} was removed or made again while this worker ran; restart it")
            raise self._found
        if not self._sign.is_set():
            self._doubt = False
            self._settled.set()

    async def _others(self) -> list[str]:
        """The streams that are not the ones they were; of buckets, those of the generation in use count."""
        while True:
            in_use = await self._store.generations.look()
            now = await topology.identity(self._connection, self._store.space, in_use.slot)
            if in_use.generation != self._generation and in_use.generation == self._store.generations.current:
                self._before = topology.replaced(self._before, now, self._store.space)
                self._generation = in_use.generation
            others = topology.changed(self._before, now)
            if not others or (await self._store.generations.look()).generation == in_use.generation:
                return others

    def _doubtful(self, *_: object) -> None:
        if not self._doubt:
            self._doubt = True
            self._settled = anyio.Event()
        self._sign.set()

    @asynccontextmanager
    async def _signs(self) -> AsyncIterator[None]:
        """Hear of deleted streams and of reconnects."""
        client, hooks = self._connection.client, self._connection.hooks
        heard = [await client.subscribe_direct(one, self._doubtful) for one in subjects.deletions(self._store.space)]
        hooks.reconnected.append(self._doubtful)
        try:
            yield
        finally:
            hooks.reconnected.remove(self._doubtful)
            for subscription in heard:
                client.forget(subscription)
