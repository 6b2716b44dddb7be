"""Who makes a set of buckets: one at a time over all replicas.

The lease is a document of the set that is made, changed by compare-and-set: who holds it renews it, and who finds it
expired takes it over. So it says, too, how far the run is. A holder that could not renew it in time, as a process
that was stopped for a while, writes nothing any more.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import msgspec

from eunoe.runtime.doors import Change, Clock, Documents, Entry, Found
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Busy, Conflict, OutcomeUnknown
from eunoe.schemas.requests import RebuildRun

logger = logging.getLogger(__name__)

LEASE_SECONDS = 20.0  # seconds without a renewal after which somebody else may take over
RENEW_SECONDS = 3.0  # seconds between two renewals
SURE_SECONDS = LEASE_SECONDS - limits.PUBLISH_SECONDS - 1.0
"""Seconds after a renewal from which its holder takes a lease for lost: what it began to write by then is sent, or
given up, before others take over."""

_encode = msgspec.json.encode
_run = msgspec.json.Decoder(RebuildRun)


def read(entry: Entry | None) -> RebuildRun | None:
    """The run that a document tells of; None for one that cannot be read, for it holds nobody back."""
    try:
        return _run.decode(entry.value) if entry else None
    except msgspec.DecodeError:
        return None


class Lease:
    """A lease that is held; made by `take`."""

    def __init__(self, bucket: Documents, run: RebuildRun, clock: Clock) -> None:
        self.run = run
        self._bucket = bucket
        self._clock = clock
        self._revision = 0
        self._until = 0.0
        self._lost = False
        self._writing = anyio.Lock()

    @classmethod
    async def take(cls, bucket: Documents, run: RebuildRun, clock: Clock) -> Lease:
        """Take the lease of a bucket, over the one that is expired or over; raises `Busy` when somebody has it."""
        lease = cls(bucket, run, clock)
        entry = await bucket.get(subjects.REBUILD_KEY)
        refuse(read(entry), clock)
        lease._revision = entry.revision if entry else 0
        await lease.renew()
        return lease

    def tell(self, **changes: Any) -> None:
        """Note how far the run is; the next renewal writes it down."""
        self.run = msgspec.structs.replace(self.run, **changes)

    async def step(self, **changes: Any) -> None:
        """Write down that the run begins with something, while the lease still holds."""
        self.tell(**changes)
        await self.renew()

    async def again(self) -> None:
        """Take it anew after the bucket was made anew."""
        self._revision = 0
        await self.renew()

    async def keep(self) -> None:
        """Renew it until cancelled; raises `Busy` when it is lost."""
        while True:
            await anyio.sleep(RENEW_SECONDS)
            await self.renew()

    async def renew(self) -> None:
        async with self._writing:
            begun = anyio.current_time()
            now = self._clock.now()
            expires = 0 if self.run.over else now + int(LEASE_SECONDS * 1000)
            self.run = msgspec.structs.replace(self.run, changed=now, expires_at=expires)
            try:
                self._revision = await self._written(_encode(self.run))
            except Conflict:
                self._lost = True
                raise Busy(f"the run {self.run.id} was taken over by somebody else") from None
            self._until = begun + SURE_SECONDS

    def sure(self) -> None:
        """Raises `Busy` when somebody else may hold it by now."""
        if self._lost or anyio.current_time() > self._until:
            self._lost = True
            raise Busy(f"the run {self.run.id} lost its lease: it was not renewed in time")

    async def _written(self, data: bytes) -> int:
        try:
            return await self._bucket.put(subjects.REBUILD_KEY, data, expect=self._revision)
        except OutcomeUnknown:
            entry = await self._bucket.get(subjects.REBUILD_KEY)
            if entry and entry.value == data:
                return entry.revision
            return await self._bucket.put(subjects.REBUILD_KEY, data, expect=self._revision)


def refuse(run: RebuildRun | None, clock: Clock) -> None:
    """Raise `Busy` for a run that goes on."""
    if run and held(run, clock):
        what = "checked" if run.check else "made again"
        raise Busy(f"the facts are being {what} already ({run.phase}, by {run.by or run.holder}); try again later")


def held(run: RebuildRun, clock: Clock) -> bool:
    """Whether somebody is at work on it."""
    return not run.over and run.expires_at > clock.now()


class Leased:
    """The `doors.Documents` of a bucket that is made: nothing is written without the lease."""

    def __init__(self, bucket: Documents, lease: Lease) -> None:
        self._bucket = bucket
        self._lease = lease

    async def get(self, key: str) -> Entry | None:
        return await self._bucket.get(key)

    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        self._lease.sure()
        return await self._bucket.put(key, value, expect=expect)

    async def delete(self, key: str, *, expect: int | None = None) -> int:
        self._lease.sure()
        return await self._bucket.delete(key, expect=expect)

    async def find(self, filters: Sequence[str], *, fence: int = 0) -> Found:
        return await self._bucket.find(filters, fence=fence)

    async def few(self, filters: Sequence[str]) -> Found | None:
        return await self._bucket.few(filters)

    def scan(self, filters: Sequence[str] = (), *, after: int = 0) -> AsyncIterator[Entry]:
        return self._bucket.scan(filters, after=after)

    def watch(
        self, filters: Sequence[str] = (), *, after: int = 0, resume: bool = True
    ) -> AbstractAsyncContextManager[AsyncIterator[Change]]:
        return self._bucket.watch(filters, after=after, resume=resume)

    async def revision(self) -> int:
        return await self._bucket.revision()

    def asking(self) -> AbstractAsyncContextManager[Callable[[], Awaitable[int]]]:
        return self._bucket.asking()
