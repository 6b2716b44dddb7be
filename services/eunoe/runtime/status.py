"""How a space is doing: who runs, what waits, what was laid aside, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eunoe.runtime import durables
from eunoe.runtime.doors import Store
from eunoe.runtime.durables import Durable
from eunoe.runtime.faults import DEFAULT_SPACE as DEFAULT_SPACE
from eunoe.runtime.faults import WorkerStatus, faults
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.remote import Running, discover
from eunoe.runtime.requester import Requester
from eunoe.runtime.roster import NAMES

CONFLICTS = "conflicts"  # the count of lost races, in a worker's statistics
FAILED = "failed"  # the count of what could not be derived, in the statistics of the workers that derive
SET_ASIDE = "set_aside"  # the count of what was no fact in an answer, in the statistics of the worker that distils
WAITING_SINCE = "waiting_since"  # since when the model does not answer, in the statistics of those that ask one
_DERIVING = ("extraction", "distillation", "summarising")


@dataclass(frozen=True, slots=True)
class Status:
    """A space as it is now. ``jobs`` were asked for and are not done; ``kinds`` says how many of which kind, and how
    many are to do something again. ``wrong`` has a line for each thing that is not well, with the way out."""

    space: str
    url: str
    records: int
    dead: int
    jobs: int
    workers: tuple[WorkerStatus, ...]
    kinds: Mapping[str, int] = field(default_factory=dict)
    wrong: tuple[str, ...] = field(default=())


async def status(requester: Requester, store: Store) -> Status:
    """Ask the workers and the store; raises what the doors raise when the store cannot be read."""
    jetstream = JetStream(requester)
    running = await discover(requester.connection, store.space)
    found = {name: await durables.look(jetstream, store.space, name) for name in durables.NAMES}
    workers = tuple(of_worker(name, running, found.get(name, Durable())) for name in NAMES)
    dead, jobs = (await store.dead.info()).count, await store.jobs.waiting()
    return Status(
        space=store.space,
        url=requester.connection.url,
        records=(await store.log.info()).count,
        dead=dead,
        jobs=jobs,
        workers=workers,
        kinds=await durables.jobs(jetstream, store.space, jobs),
        wrong=tuple(faults(workers, dead, store.space)),
    )


def of_worker(name: str, running: Sequence[Running], found: Durable) -> WorkerStatus:
    """One kind of worker, from what its running ones say and what waits for it."""
    mine = [one for one in running if one.worker == name]
    outages = [one.statistics.get(WAITING_SINCE, 0) for one in mine]
    return WorkerStatus(
        name=name,
        running=len(mine),
        waiting=found.waiting,
        in_hand=found.in_hand,
        requests=sum(requests for one in mine for requests, _ in one.verbs.values()),
        errors=sum(errors for one in mine for _, errors in one.verbs.values()),
        conflicts=sum(one.statistics.get(CONFLICTS, 0) for one in mine),
        failed=sum(one.statistics.get(FAILED, 0) for one in mine) if name in _DERIVING else 0,
        set_aside=sum(one.statistics.get(SET_ASIDE, 0) for one in mine) if name == "distillation" else 0,
        outage=min(filter(None, outages), default=0),
        wrong=found.wrong,
    )
