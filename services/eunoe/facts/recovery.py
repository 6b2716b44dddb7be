"""Buckets that do not belong to this log any more are made again from it, before anybody reads them.

The three buckets are filled together and say so: each holds the same `Origin`. One that lost it was
emptied or replaced. A bucket that names positions beyond the log's end was filled from records that the
log has lost.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Protocol

import msgspec

from eunoe.facts import document
from eunoe.runtime.doors import Documents, Entry, Store, Stored
from eunoe.runtime.tasks import each
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Conflict
from eunoe.schemas.facts import Document, Mark, Origin
from eunoe.schemas.requests import ThreadState

logger = logging.getLogger(__name__)


class Apply(Protocol):
    """Applies records of one chain, in order."""

    async def __call__(self, *batch: Stored) -> None: ...


NEW = "the buckets are new, and the log is not"
_TOGETHER = 512  # records that are applied together when the facts are made again
_BYTES = 16 * limits.MIB  # bytes after which no more of them are read
_WIDTH = 32  # chains at once
_TAIL = 1_024  # newest revisions of a bucket that are looked at: what came from a lost tail was written last


class Recovery:
    """Checks the buckets of one space, and makes them again."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def reason(self) -> str:
        """Why the buckets must be made again; empty when they are what the log says."""
        for scope in subjects.BUCKETS:
            named = await self._named(self._store.bucket(scope))
            last = (await self._store.log.info()).last  # after what is named: others append and project meanwhile
            if named > last:
                return f"the {scope} bucket names position {named}, and the log ends at {last}"
        origins = await self._origins()
        if None not in origins and len(set(origins)) == 1:
            return ""
        if not (await self._store.log.info()).last:
            return ""
        return NEW if not any(origins) else "a bucket was emptied or replaced"

    async def settle(self) -> None:
        """Give the buckets one origin, when the log is empty and so are they."""
        if None in await self._origins():
            await self._mark()

    async def rebuild(self, apply: Apply, reason: str) -> int:
        """Empty the buckets and apply every record of the log again; returns how many there were.

        New buckets hold nothing but what a replica brings in now, or one that was killed brought in, so they
        are not emptied: it goes on from there.
        """
        level = logging.INFO if reason == NEW else logging.WARNING
        logger.log(level, "making the facts again from the log: %s", reason, extra={"action": "facts_rebuild"})
        if reason != NEW:
            await self._empty()
        count = 0
        async with aclosing(_batches(self._store.log.scan())) as batches:
            async for batch in batches:
                await each(_chains(batch), lambda chain: apply(*chain), _WIDTH)
                count += len(batch)
        await self._mark()
        logger.log(level, "made the facts again from %d records", count, extra={"action": "facts_rebuilt"})
        return count

    async def _origins(self) -> list[str | None]:
        found = [await self._store.bucket(scope).get(subjects.ORIGIN_KEY) for scope in subjects.BUCKETS]
        return [msgspec.json.decode(entry.value, type=Origin).id if entry else None for entry in found]

    async def _mark(self) -> None:
        """Of replicas that start at once, the first to mark the first bucket names the origin of all."""
        origin = Origin(v=limits.SCHEMA_VERSION, id=secrets.token_hex(8))
        data = msgspec.json.encode(origin)
        try:
            await self._store.permanent.put(subjects.ORIGIN_KEY, data, expect=0)
        except Conflict:
            entry = await self._store.permanent.get(subjects.ORIGIN_KEY)
            data = entry.value if entry else data
        for bucket in (self._store.session, self._store.thread):
            await bucket.put(subjects.ORIGIN_KEY, data)

    async def _named(self, bucket: Documents) -> int:
        revision = await bucket.revision()
        highest = 0
        async for entry in bucket.scan(["fact.>", "state.*", "mark.*"], after=max(0, revision - _TAIL)):
            highest = max(highest, _position(entry))
        return highest

    async def _empty(self) -> None:
        """States go after documents: while one is there, another replica takes its records for applied. Origins go
        last: without them the buckets are new."""
        buckets = [self._store.bucket(scope) for scope in subjects.BUCKETS]
        for bucket in buckets:
            async for entry in bucket.scan():
                if not entry.key.startswith(("state.", "mark.", subjects.ORIGIN_KEY)):
                    await bucket.delete(entry.key)
        for filters in (["state.*", "mark.*"], [subjects.ORIGIN_KEY]):
            for bucket in buckets:
                async for entry in bucket.scan(filters):
                    await bucket.delete(entry.key)


async def _batches(found: AsyncIterator[Stored]) -> AsyncGenerator[list[Stored], None]:
    """Messages as they come, several at a time, in bounded memory."""
    batch: list[Stored] = []
    size = 0
    async for stored in found:
        batch.append(stored)
        size += len(stored.data)
        if len(batch) == _TOGETHER or size > _BYTES:
            yield batch
            batch, size = [], 0
    yield batch


def _chains(batch: list[Stored]) -> list[list[Stored]]:
    found: dict[str, list[Stored]] = {}
    for stored in batch:
        found.setdefault(subjects.chain_of(stored.subject), []).append(stored)
    return list(found.values())


def _position(entry: Entry) -> int:
    if entry.key.startswith("fact."):
        return document.highest(msgspec.json.decode(entry.value, type=Document))
    if entry.key.startswith("state."):
        return msgspec.json.decode(entry.value, type=ThreadState).position
    return msgspec.json.decode(entry.value, type=Mark).position
