"""A set of buckets while it is made: filled from the log as far as that goes, and given its origins."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import msgspec

from eunoe.facts.comparison import OWN
from eunoe.facts.lease import Lease
from eunoe.facts.refilling import Apply, refill
from eunoe.runtime.doors import Store
from eunoe.schemas import limits, subjects
from eunoe.schemas.facts import Origin

FEW = 256  # records that writers may wait for
ROUNDS = 16  # at most, each over what was appended during the one before, so that it ends under any load

Project = Callable[[Store], Apply]
"""What applies records to the documents of a store."""


class Making:
    """The buckets of ``store``, which are made under a lease."""

    def __init__(self, store: Store, lease: Lease, project: Project) -> None:
        self.store = store
        self._lease = lease
        self._apply = project(store)
        self._position = 0

    async def catch_up(self) -> int:
        """Apply what is in the log and not in the buckets; returns how far that went on, in positions."""
        before = self._position
        self._position = await refill(self.store.log, self._apply, start=before + 1, progress=self._progress)
        return self._position - before

    async def nearly(self) -> None:
        """Catch up until little is left to come."""
        for _ in range(ROUNDS):
            if await self.catch_up() <= FEW:
                return

    async def mark(self) -> None:
        """Give the buckets the origin of their generation, the permanent one last: with that they are in use."""
        origin = Origin(v=limits.SCHEMA_VERSION, id=secrets.token_hex(8), generation=self._lease.run.generation)
        for scope in reversed(subjects.BUCKETS):
            await self.store.bucket(scope).put(subjects.ORIGIN_KEY, msgspec.json.encode(origin))

    async def count(self) -> int:
        """How many documents there are, without what the set says of itself."""
        buckets = map(self.store.bucket, subjects.BUCKETS)
        return sum([1 for bucket in buckets async for entry in bucket.scan() if entry.key not in OWN])

    def _progress(self, count: int) -> None:
        records = self._lease.run.records + count
        self._lease.tell(records=records, of=max(records, self._lease.run.of))
