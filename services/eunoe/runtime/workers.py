"""The workers by name, and a fleet of them running in this process: started together, drained in order."""

from __future__ import annotations

import importlib
import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import anyio
from anyio.abc import TaskStatus

from eunoe.runtime import durables, topology
from eunoe.runtime.connection import Connection, connect
from eunoe.runtime.doors import Clock, Store, SystemClock, Worker
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.remote import RemoteAuditor
from eunoe.runtime.requester import Requester
from eunoe.runtime.service import Service
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid, Unreachable
from eunoe.schemas.subjects import Caller

logger = logging.getLogger(__name__)

KINDS = {
    "audit": "AuditWorker",
    "extraction": "ExtractionWorker",
    "facts": "FactsWorker",
    "composition": "CompositionWorker",
}
NAMES = tuple(KINDS)
STOP_ORDER = ("composition", "extraction", "facts", "audit")  # audit last: the others append through it
SETTLE_SECONDS = 0.02  # seconds between two looks at what is pending


@dataclass
class Post:
    """One worker at work: its connection, and the events that end it."""

    name: str
    worker: Worker
    connection: Connection
    jetstream: JetStream
    stop: anyio.Event = field(default_factory=anyio.Event)
    stopped: anyio.Event = field(default_factory=anyio.Event)


class Fleet:
    """Workers running in this process."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self.posts: dict[str, Post] = {}

    @property
    def ready(self) -> bool:
        """Whether every worker is connected."""
        return all(post.connection.connected for post in self.posts.values())

    def statistics(self) -> dict[str, Mapping[str, int]]:
        """The counts of each worker, by name."""
        return {name: post.worker.statistics() for name, post in self.posts.items()}

    async def settle(self, seconds: float = limits.DRAIN_SECONDS) -> bool:
        """Wait until every durable consumer of a running worker has handled all there is; False when time is up."""
        with anyio.move_on_after(seconds):
            for name in durables.NAMES:
                if post := self.posts.get(name):
                    while any(await durables.pending(post.jetstream, self._settings.space, name)):  # noqa: ASYNC110  # a consumer sets no event
                        await anyio.sleep(SETTLE_SECONDS)
            return True
        return False

    async def serve(self, name: str, *, task_status: TaskStatus[None]) -> None:
        """Run one worker until it is told to stop, and drain it."""
        settings = self._settings
        caller = Caller("worker", name)
        async with await connect(
            settings.url, caller=caller, user=settings.user, password=settings.password.get_secret_value(), name=name
        ) as connection:
            store = await topology.ensure(connection, settings.space, replicas=settings.replicas)
            requester = await Requester.open(connection)
            worker = self._make(name, store, RemoteAuditor(requester, settings.space, caller))
            post = self.posts[name] = Post(name, worker, connection, JetStream(requester))
            try:
                await self._work(post, task_status)
            finally:
                post.stopped.set()

    async def stop(self) -> None:
        """Stop and drain the workers, each within `DRAIN_SECONDS`, the ones that others need last."""
        for name in sorted(self.posts, key=STOP_ORDER.index):
            post = self.posts[name]
            post.stop.set()
            with anyio.move_on_after(limits.DRAIN_SECONDS) as late:
                await post.stopped.wait()
            if late.cancelled_caught:
                logger.warning("%s does not drain in time", name, extra={"action": "drain_late"})

    def _make(self, name: str, store: Store, auditor: RemoteAuditor) -> Worker:
        kind: Any = getattr(importlib.import_module(f"eunoe.{name}.worker"), KINDS[name])
        if name == "audit":
            return cast("Worker", kind(store, self._settings, self._clock))
        return cast("Worker", kind(store, auditor, self._settings, self._clock))

    async def _work(self, post: Post, task_status: TaskStatus[None]) -> None:
        worker, space = post.worker, self._settings.space
        service = Service(post.connection, space, post.name, worker.handlers(), statistics=worker.statistics)
        async with task_group() as loops:
            loops.start_soon(worker.run)
            loops.start_soon(topology.guard, post.connection, space)
            loops.start_soon(_broken, post)
            async with task_group() as requests:
                await requests.start(service.run)
                task_status.started()
                logger.info("%s runs", post.name, extra={"action": "worker_started"})
                await post.stop.wait()
                requests.cancel_scope.cancel()
            loops.cancel_scope.cancel()
        await worker.drain()
        logger.info("%s is drained", post.name, extra={"action": "worker_drained"})


@asynccontextmanager
async def running(settings: Settings, names: Iterable[str] = NAMES, clock: Clock | None = None) -> AsyncIterator[Fleet]:
    """Workers at the server of ``settings.url``, running while the context is open, drained when it ends.

    A worker that fails ends the context with its reason: there is no fleet with a part missing.
    """
    fleet = Fleet(settings, clock or SystemClock())
    async with task_group() as tasks:
        for name in checked(names):
            await tasks.start(fleet.serve, name)
        yield fleet
        await fleet.stop()
        tasks.cancel_scope.cancel()


def checked(names: Iterable[str]) -> list[str]:
    """Names of workers, each once, in the order of `NAMES`; ``all`` stands for every one. Raises `Invalid`."""
    wanted = set(names)
    for name in sorted(wanted - {"all", *NAMES}):
        raise Invalid(f"there is no worker {name!r}; known are {', '.join(NAMES)}, and all")
    return [name for name in NAMES if name in wanted or "all" in wanted]


async def _broken(post: Post) -> None:
    await post.connection.wait_closed()
    raise Unreachable(f"the connection of {post.name} was closed: {post.connection.last_error or 'no reason given'}")
