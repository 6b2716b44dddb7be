"""The documents of the owners that are asked for, held in memory and kept up to date by one watch of their bucket.

An owner that is not held is read once; from then on the watch brings what changes. When the watch was
interrupted, or another generation of the bucket came into use, everything that is held may have missed
something: it is dropped, and read again when it is asked for. Until the watch is there, documents are read
each time.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import anyio.lowlevel
import msgspec

from eunoe.composition.owned import Owned
from eunoe.composition.owners import Held, Owners
from eunoe.runtime import revisions
from eunoe.runtime.backoff import backoff
from eunoe.runtime.doors import Change, Documents, Entry
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Busy, Damaged, EunoeError, OutcomeUnknown, Unreachable
from eunoe.schemas.facts import Document, Identity

logger = logging.getLogger(__name__)

OWNED = ("fact.", "state.", "session.", "summary.")  # how the keys begin of what an owner has
WATCHED = (*(f"{kind}>" for kind in OWNED), "mark.>", subjects.ORIGIN_KEY, subjects.REBUILD_KEY)
"""What is written last, also of what no owner has: so the watch comes as far as the bucket is."""
AT_ONCE = 64  # documents taken in before others get their turn, some milliseconds
PATIENCE_SECONDS = 0.02  # seconds that a read waits for what the watch is about to bring, before it reads that itself


Whole = Callable[[Collection[Identity]], Awaitable[Mapping[Identity, Document]]]
"""Reads documents with their whole history."""


@dataclass(frozen=True, slots=True)
class Reflected:
    """An owner, and the revision of its bucket that it reflects at least."""

    owned: Owned
    upto: int


class Following:
    """The owners of one bucket, in ``most`` bytes of memory."""

    def __init__(
        self, bucket: Documents, new: Callable[[str], Owned], whole: Whole, most: int = limits.HELD_FACTS_BYTES
    ) -> None:
        self._bucket = bucket
        self._new = new
        self._whole = whole
        self._owners = Owners(new, most)
        self._upto = 0
        self._live = False
        self._moved = anyio.Event()
        self._counts = {"loaded": 0, "caught_up": 0, "changes": 0, "dropped": 0}

    def statistics(self) -> dict[str, int]:
        return {**self._counts, "owners": len(self._owners), "bytes": self._owners.size}

    async def run(self) -> None:
        """Follow the bucket until cancelled."""
        attempt = 0
        while True:
            try:
                await self._follow()
            except (Busy, Damaged, OutcomeUnknown, Unreachable) as error:
                logger.info("the facts are read anew: %s", error, extra={"action": "facts_dropped"})
            finally:
                attempt = 1 if self._live else attempt + 1
                self._drop()
            await anyio.sleep(backoff(attempt))

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[Callable[[], Awaitable[int]]]:
        """Ask for the revision of the bucket's last write (0 while nothing is held), while other things are read."""
        if self._live:
            async with self._bucket.asking() as revision:
                yield revision
        else:
            yield _nothing_held

    def lacks(self, owner: str) -> bool:
        """Whether an owner is still to be read before it is known."""
        held = self._owners.named_by(subjects.state_key(owner))
        return self._live and not (held and held.loaded)

    async def prepare(self, owner: str) -> None:
        """Read an owner that is asked for in a moment, where it is not known yet."""
        if not self._live:
            return
        held = self._owners.hold(owner)
        async with held.lock:
            if not held.loaded:
                await self._load(held)

    async def of(self, owner: str, revision: int = 0, position: int = 0, now: int = 0) -> Reflected:
        """The owner as it is known, as of ``now`` (ms UTC); where that is older than ``revision`` of the bucket, or
        than ``position`` of the log in a thread's state, what came since is read."""
        if not self._live or revisions.generation(revision) > revisions.generation(self._upto):
            return await self._read(owner, now)
        held = self._owners.hold(owner)
        if not held.loaded or self._behind(held, revision, position):
            async with held.lock:
                await self._refresh(held, revision, position)
            if held.dropped and held.upto < revision:  # dropped while it was waited for
                return await self._read(owner, now)
        held.owned.at(now)
        upto = self._reached(held)
        if held.owned.lacking:
            await self._complete(held.owned)
            self._owners.measure(held)
        self._owners.tidy()
        return Reflected(held.owned, upto)

    async def _follow(self) -> None:
        self._upto = await self._bucket.revision()
        self._live = True
        async with self._bucket.watch(WATCHED, after=self._upto, resume=False) as changes:
            async for change in changes:
                self._take(change)

    def _take(self, change: Change) -> None:
        self._upto = change.revision
        self._moved.set()
        self._moved = anyio.Event()
        if not change.key.startswith(OWNED):
            return
        held = self._owners.named_by(change.key)
        if held is None:
            return
        self._counts["changes"] += 1
        try:
            held.owned.take(change.key, change.value, change.revision)
        except (msgspec.DecodeError, EunoeError) as error:
            logger.error("%s cannot be read: %s", change.key, error, extra={"action": "document_damaged"})
            self._owners.forget(held)
        else:
            self._owners.measure(held)

    def _drop(self) -> None:
        self._counts["dropped"] += self._owners.clear()
        self._live, self._upto = False, 0

    async def _read(self, owner: str, now: int) -> Reflected:
        """The owner as its documents are now, of which nothing is kept."""
        owned = self._new(owner)
        owned.at(now)
        found = await self._bucket.find(_filters(owner), fence=await self._bucket.revision())
        await _take(owned, found.entries)
        await self._complete(owned)
        return Reflected(owned, found.upto)

    async def _complete(self, owned: Owned) -> None:
        """Read what left documents that cannot tell what holds now: few have so much that holds for a time."""
        if lacking := owned.lacking:
            owned.complete(lacking, await self._whole(lacking.keys()))

    async def _refresh(self, held: Held, revision: int, position: int) -> None:
        if not held.loaded:
            await self._load(held)
        with anyio.move_on_after(PATIENCE_SECONDS):
            while not held.dropped and self._behind(held, revision, position):
                await self._moved.wait()
        if not held.dropped and self._behind(held, revision, position):
            await self._catch_up(held)

    async def _load(self, held: Held) -> None:
        """Read the owner at least as far as the watch is: what the watch brings meanwhile, it takes already."""
        fence = self._upto
        try:
            found = await self._bucket.find(_filters(held.owned.owner), fence=fence)
        except BaseException:
            self._owners.forget(held)
            raise
        await _take(held.owned, found.entries)
        held.upto, held.loaded = max(found.upto, fence), True
        self._counts["loaded"] += 1
        self._owners.measure(held)

    async def _catch_up(self, held: Held) -> None:
        """Read what the watch is still to bring; a deletion waits for the watch."""
        last = await self._bucket.revision()
        async for entry in self._bucket.scan(_filters(held.owned.owner), after=self._reached(held)):
            held.owned.take(entry.key, entry.value, entry.revision)
        held.upto = max(held.upto, last)
        self._counts["caught_up"] += 1
        self._owners.measure(held)

    def _behind(self, held: Held, revision: int, position: int) -> bool:
        return self._reached(held) < revision or held.owned.position < position

    def _reached(self, held: Held) -> int:
        """The revision that an owner reflects: what the watch has brought, while it still follows that one."""
        return held.upto if held.dropped else max(held.upto, self._upto)


async def _nothing_held() -> int:
    return 0


async def _take(owned: Owned, entries: Sequence[Entry]) -> None:
    """Take in many documents; other requests get their turn between them."""
    for number, entry in enumerate(entries, start=1):
        owned.take(entry.key, entry.value, entry.revision)
        if number % AT_ONCE == 0:
            await anyio.lowlevel.checkpoint()


def _filters(owner: str) -> Sequence[str]:
    keys = subjects.state_key(owner), subjects.session_key(owner), subjects.summary_key(owner)
    return subjects.facts_of(owner), *keys
