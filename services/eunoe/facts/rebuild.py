"""Making the facts again from the log, beside those in use: to compare the two, or to replace them.

What is made takes the place of what is there in steps, each of which a kill may follow: the other set of buckets is
filled from the log · the set in use is sealed, so that nobody writes to it any more · the other one catches up with
the log's end, and with that has all that anybody ever wrote to the old one · it gets its origins, with which it is in
use · everybody goes over to it · the old one is deleted. Before the origins the old set is in use, if only to be read;
a sealed one without successor is a reason to begin again. So neither a lost nor a half-made set is ever served.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import msgspec

from eunoe.facts import lease as leases
from eunoe.facts.comparison import STEADY_SECONDS, Comparison
from eunoe.facts.lease import Lease, Leased
from eunoe.facts.making import Making, Project
from eunoe.runtime.doors import Buckets, Clock, Documents, Store
from eunoe.runtime.tasks import task_group
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Busy, Conflict, EunoeError, Unreachable
from eunoe.schemas.requests import RebuildReply, RebuildRun

logger = logging.getLogger(__name__)

KEPT_SECONDS = 3600.0  # seconds for which it is kept why a run failed, with what it had made
RELEASE_SECONDS = 2.0  # seconds in which a run that ends early may say so


class Rebuild:
    """Runs over the buckets of one space. ``steady`` as in `Comparison`."""

    def __init__(self, store: Store, project: Project, clock: Clock, steady: float = STEADY_SECONDS) -> None:
        self._store = store
        self._project = project
        self._clock = clock
        self._steady = steady
        self._holder = secrets.token_hex(4)  # names this process among its replicas
        self._alone = anyio.Lock()  # who begins a run would meet who deletes what is left of the last one

    async def swap(self, reason: str) -> RebuildRun:
        """Make the facts again and let them replace those in use; returns when they have.

        Raises `Busy` while somebody else does so, `Unreachable` and `Denied` with what cannot be reached or done.
        """
        return await self.run(await self.begin(_wanted(reason)))

    async def begin(self, wanted: RebuildRun) -> Lease:
        """Take the lease for a run; raises `Busy` when somebody has it, or when the run with its id is done. One
        without an id goes on under that of a run that was to replace the facts, and whose holder is gone."""
        async with self._alone:
            return await self._begin(wanted)

    async def _begin(self, wanted: RebuildRun) -> Lease:
        generations = self._store.generations
        await generations.look()
        last = leases.read(await self._store.permanent.get(subjects.REBUILD_KEY))
        leases.refuse(last, self._clock)
        if last and not last.over:
            last = await self._finish(last)
        if last and (last.id, last.phase) == (wanted.id, "done"):
            raise Busy("that run is done")
        made = await generations.prepare()
        before = leases.read(await made["permanent"].get(subjects.REBUILD_KEY))
        if not wanted.id and before and not before.over and not before.check:
            wanted = msgspec.structs.replace(wanted, id=before.id, by=before.by)
        run = msgspec.structs.replace(
            wanted,
            id=wanted.id or secrets.token_hex(6),
            holder=self._holder,
            started=self._clock.now(),
            generation=generations.current + 1,
            of=(await self._store.log.info()).count,
        )
        await self._unmoved(run)
        lease = await Lease.take(made["permanent"], run, self._clock)
        try:
            await self._unmoved(run)
        except Busy as busy:
            await lease.step(phase="failed", error=str(busy))
            raise
        if await _used(self._store.over(made)):
            await self._clear(lease)
        return lease

    async def run(self, lease: Lease) -> RebuildRun:
        """Do what a lease was taken for; what became of it is kept where `status` finds it, failures too."""
        check, reason = lease.run.check, lease.run.reason
        what = "comparing the facts with the log" if check else "making the facts again from the log"
        logger.info("%s: %s", what, reason or "asked for", extra={"action": "facts_rebuild", "run": lease.run.id})
        async with _ending(lease), task_group() as tasks:
            tasks.start_soon(lease.keep)
            made = await self._made(lease)
            await (self._check(lease, made) if check else self._swap(lease, made))
            tasks.cancel_scope.cancel()
        run = lease.run
        logger.info(
            "%s is done: %d records, %d documents, %d differences",
            *(what, run.records, run.documents, run.differences),
            extra={"action": "facts_rebuilt", "run": run.id},
        )
        return run

    async def status(self) -> RebuildReply:
        """The run that goes on, or the last one."""
        other = await self._store.generations.other("permanent")
        found = [other, self._store.permanent] if other else [self._store.permanent]
        runs = [leases.read(await bucket.get(subjects.REBUILD_KEY)) for bucket in found]
        run = max((run for run in runs if run), key=lambda one: one.started, default=None)
        if run is None:
            return RebuildReply(state="none")
        if run.phase == "done":
            return RebuildReply(state="done", run=run)
        if run.phase == "failed":
            return RebuildReply(state="failed", run=run)
        return RebuildReply(state="lost" if self._lost(run) else "running", run=run)

    async def resume(self) -> RebuildRun | None:
        """Bring to an end what somebody began who is gone, and delete what is left over; returns a run that was
        brought to its end. Raises `Busy` when somebody else does so first."""
        async with self._alone:
            found = await self._resumed()
        return await self.run(found) if isinstance(found, Lease) else found

    async def _resumed(self) -> RebuildRun | Lease | None:
        """The run that was finished, the lease for one that is to be done again, or neither."""
        generations = self._store.generations
        in_use = await generations.look()
        last = leases.read(await self._store.permanent.get(subjects.REBUILD_KEY))
        if last and leases.held(last, self._clock):
            return None
        if last and not last.over:
            return await self._finish(last)
        if in_use.left and in_use.whole:
            await generations.drop()
            return None
        other = await generations.other("permanent")
        left = leases.read(await other.get(subjects.REBUILD_KEY)) if other else None
        if left is None or other is None or leases.held(left, self._clock):
            return None
        return await self._left(other, left)

    async def _finish(self, last: RebuildRun) -> RebuildRun:
        """Do what is missing of a run whose set is in use: the one before it goes."""
        lease = await Lease.take(self._store.permanent, last, self._clock)
        await self._store.generations.drop()
        await lease.step(phase="done")
        return lease.run

    async def _left(self, other: Documents, left: RebuildRun) -> Lease | None:
        """What replaces the facts is begun again; what only compared them goes, and what failed long ago."""
        if not left.over and not left.check:
            return await self._begin(_wanted(left.reason))
        if not left.over or self._clock.now() - left.changed > KEPT_SECONDS * 1000:
            await Lease.take(other, left, self._clock)
            await self._store.generations.drop()
        return None

    def _lost(self, run: RebuildRun) -> bool:
        return not run.over and not leases.held(run, self._clock)

    async def _unmoved(self, run: RebuildRun) -> None:
        """Raise `Busy` where another set came into use since this run was to be its successor's: what seemed to be the
        other set may be in use. With the lease of the other set held, none comes any more."""
        await self._store.generations.look()
        if self._store.generations.current != run.generation - 1:
            raise Busy("the facts were made again meanwhile; ask again")

    async def _clear(self, lease: Lease) -> None:
        """What is left of another run is not gone on with: the log may have been another."""
        try:
            await self._store.generations.clear()
        except Conflict as conflict:
            raise Busy(str(conflict)) from None
        await lease.again()

    async def _made(self, lease: Lease) -> Making:
        made = await self._store.generations.prepare()
        leased: Buckets = {scope: Leased(bucket, lease) for scope, bucket in made.items()}
        return Making(self._store.over(leased), lease, self._project)

    async def _swap(self, lease: Lease, made: Making) -> None:
        """Writers wait from the seal until what is left to come is in the new set, so that must be little."""
        generations = self._store.generations
        await made.nearly()
        await lease.step(phase="sealing")
        await generations.seal()
        await lease.step(phase="catching up")
        await made.catch_up()
        await lease.step(phase="swapping")
        await generations.replicated()
        await made.mark()
        if (await generations.look()).generation != lease.run.generation:
            raise Unreachable("the facts were made, and are not in use yet; it is begun again")
        await lease.step(phase="dropping")
        await generations.drop()
        await lease.step(phase="done", documents=await made.count())

    async def _check(self, lease: Lease, made: Making) -> None:
        await made.catch_up()
        await lease.step(phase="comparing")
        found = await Comparison(self._store, made.store, made.catch_up, self._steady).run()
        lease.tell(documents=found.documents, differences=found.count, differing=found.first)
        lease.sure()
        done = msgspec.structs.replace(lease.run, phase="done", expires_at=0)
        await self._store.permanent.put(subjects.REBUILD_KEY, msgspec.json.encode(done))
        await lease.step(phase="dropping")
        await self._store.generations.drop()
        lease.run = done


def _wanted(reason: str) -> RebuildRun:
    """A run that nobody asked for by name."""
    return RebuildRun(v=limits.SCHEMA_VERSION, id="", holder="", reason=reason)


@asynccontextmanager
async def _ending(lease: Lease) -> AsyncIterator[None]:
    """Say of a run that ends early why, so that another need not wait until its lease expires."""
    try:
        yield
    except BaseException as error:
        reason = str(error) if isinstance(error, EunoeError) else f"it was stopped ({type(error).__name__})"
        with anyio.move_on_after(RELEASE_SECONDS, shield=True):
            try:
                lease.sure()
                await lease.step(phase="failed", error=reason)
            except EunoeError as failure:
                logger.info("the end of a run is not told: %s", failure, extra={"action": "rebuild_untold"})
        raise


async def _used(made: Store) -> bool:
    """Whether there is anything in a set of buckets but the lease."""
    for scope in subjects.BUCKETS:
        async for entry in made.bucket(scope).scan():
            if entry.key != subjects.REBUILD_KEY:
                return True
    return False
