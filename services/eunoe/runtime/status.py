"""How a space is doing: who runs, what waits, what was laid aside, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eunoe.runtime import durables
from eunoe.runtime.doors import Store
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.remote import Running, discover
from eunoe.runtime.requester import Requester
from eunoe.runtime.roster import NAMES
from eunoe.runtime.settings import Settings

CONFLICTS = "conflicts"  # the count of lost races, in a worker's statistics
DEFAULT_SPACE = str(Settings.model_fields["space"].default)
FAILED = "failed"  # the count of extractors that failed on a turn, in the statistics of extraction


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """One kind of worker: how many run, and of the messages that it consumes, those not yet delivered to any
    (``waiting``) and those delivered but not done (``in_hand``). Counts are sums over those that run, since
    they started; ``failed`` counts what extraction could not derive."""

    name: str
    running: int
    waiting: int = 0
    in_hand: int = 0
    requests: int = 0
    errors: int = 0
    conflicts: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """A space as it is now. ``jobs`` were asked for and are not done. ``wrong`` has a line for each thing that is not
    well, with the way out."""

    space: str
    url: str
    records: int
    dead: int
    jobs: int
    workers: tuple[WorkerStatus, ...]
    wrong: tuple[str, ...] = field(default=())


async def status(requester: Requester, store: Store) -> Status:
    """Ask the workers and the store; raises what the doors raise when the store cannot be read."""
    jetstream = JetStream(requester)
    running = await discover(requester.connection, store.space)
    waiting = {name: await durables.pending(jetstream, store.space, name) for name in durables.NAMES}
    workers = tuple(of_worker(name, running, waiting.get(name, (0, 0))) for name in NAMES)
    dead = (await store.dead.info()).count
    return Status(
        space=store.space,
        url=requester.connection.url,
        records=(await store.log.info()).count,
        dead=dead,
        jobs=await store.jobs.waiting(),
        workers=workers,
        wrong=tuple(faults(workers, dead, store.space)),
    )


def of_worker(name: str, running: Sequence[Running], pending: tuple[int, int]) -> WorkerStatus:
    """One kind of worker, from what its running ones say and what waits for it."""
    mine = [one for one in running if one.worker == name]
    return WorkerStatus(
        name=name,
        running=len(mine),
        waiting=pending[0],
        in_hand=pending[1],
        requests=sum(requests for one in mine for requests, _ in one.verbs.values()),
        errors=sum(errors for one in mine for _, errors in one.verbs.values()),
        conflicts=sum(one.statistics.get(CONFLICTS, 0) for one in mine),
        failed=sum(one.statistics.get(FAILED, 0) for one in mine) if name == "extraction" else 0,
    )


def faults(workers: Sequence[WorkerStatus], dead: int, space: str = DEFAULT_SPACE) -> list[str]:
    """What is wrong, a line each: a worker that does not run (with its backlog) or failed, and dead letters."""
    eunoe = "eunoe" if space == DEFAULT_SPACE else f"eunoe --space {space}"
    found = []
    for worker in workers:
        if not worker.running:
            backlog = worker.waiting + worker.in_hand
            waits = f", and {backlog} records wait for it" if backlog else ""
            found.append(f"{worker.name} does not run{waits}; start it with `{eunoe} serve {worker.name}`")
        if worker.failed:
            what = "extraction" if worker.failed == 1 else "extractions"
            where = f"`{eunoe} threads --json` says of which turns, and why (failed)"
            found.append(f"{worker.failed} {what} failed; {where}")
    if dead:
        found.append(f"{dead} records were laid aside as dead letters; a worker's log says why each failed")
    return found
