"""Whether the buckets in use belong to the log, and filling those that are new.

The three buckets are filled together and say so: each holds the same `Origin`. One that lost it was
emptied or replaced. A bucket that names positions beyond the log's end was filled from records that the
log has lost. A sealed one was to be replaced by a successor that is not there.
"""

from __future__ import annotations

import logging
import secrets

import msgspec

from eunoe.facts import document, summaries
from eunoe.facts import lease as leases
from eunoe.facts.refilling import Apply, refill
from eunoe.runtime.doors import Clock, Documents, Entry, InUse, Store, SystemClock
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Conflict
from eunoe.schemas.facts import Document, Mark, Origin
from eunoe.schemas.requests import SummaryDocument, ThreadState

logger = logging.getLogger(__name__)

NEW = "the buckets are new, and the log is not"
_POSITIONED = ("fact.>", "state.*", "summary.*", "mark.*")  # documents that say which records they come from
_TAIL = 1_024  # newest revisions of a bucket that are looked at: what came from a lost tail was written last


class Recovery:
    """Checks the buckets of one space, and fills new ones."""

    def __init__(self, store: Store, clock: Clock | None = None) -> None:
        self._store = store
        self._clock = clock or SystemClock()

    async def reason(self) -> str:
        """Why the buckets must be made again; empty when they are what the log says."""
        in_use = await self._store.generations.look()
        for scope in subjects.BUCKETS:
            named = await self._named(self._store.bucket(scope))
            last = (await self._store.log.info()).last  # after what is named: others append and project meanwhile
            if named > last:
                return f"the {scope} bucket names position {named}, and the log ends at {last}"
        if in_use.sealed and not await self._being_replaced():
            return "the buckets are sealed, and those that were to replace them are not there"
        if in_use.whole or not (await self._store.log.info()).last:
            return ""
        return NEW if in_use.new else "a bucket was emptied or replaced"

    async def settle(self) -> None:
        """Give the buckets one origin, when the log is empty and so are they."""
        in_use = await self._store.generations.look()
        if not in_use.whole:
            await self._mark(in_use)

    async def fill(self, apply: Apply) -> int:
        """Apply every record of the log to new buckets; returns the last position.

        They hold nothing but what a replica brings in now, or one that was killed brought in, so it goes on from there.
        """
        logger.info("making the facts from the log: %s", NEW, extra={"action": "facts_rebuild"})
        last = await refill(self._store.log, apply)
        await self._mark(await self._store.generations.look())
        logger.info("made the facts from the log up to %d", last, extra={"action": "facts_rebuilt"})
        return last

    async def _mark(self, in_use: InUse) -> None:
        """Of replicas that start at once, the first to mark the first bucket names the origin of all."""
        origin = Origin(v=limits.SCHEMA_VERSION, id=secrets.token_hex(8), generation=in_use.generation)
        data = msgspec.json.encode(origin)
        try:
            await self._store.permanent.put(subjects.ORIGIN_KEY, data, expect=0)
        except Conflict:
            entry = await self._store.permanent.get(subjects.ORIGIN_KEY)
            data = entry.value if entry else data
        for bucket in (self._store.session, self._store.thread):
            await bucket.put(subjects.ORIGIN_KEY, data)

    async def _being_replaced(self) -> bool:
        other = await self._store.generations.other("permanent")
        run = leases.read(await other.get(subjects.REBUILD_KEY)) if other else None
        return run is not None and leases.held(run, self._clock)

    async def _named(self, bucket: Documents) -> int:
        revision = await bucket.revision()
        highest = 0
        async for entry in bucket.scan(_POSITIONED, after=max(0, revision - _TAIL)):
            highest = max(highest, _position(entry))
        return highest


def _position(entry: Entry) -> int:
    if entry.key.startswith("fact."):
        return document.highest(msgspec.json.decode(entry.value, type=Document))
    if entry.key.startswith("state."):
        return msgspec.json.decode(entry.value, type=ThreadState).position
    if entry.key.startswith("summary."):
        return summaries.highest(msgspec.json.decode(entry.value, type=SummaryDocument))
    return msgspec.json.decode(entry.value, type=Mark).position
