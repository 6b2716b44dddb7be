"""Workers running in this process: started together, watched, and drained in order."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskStatus

from eunoe.runtime import durables, roster, topology
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Clock, SystemClock, Worker
from eunoe.runtime.guard import Guard
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.login import login
from eunoe.runtime.remote import RemoteAuditor
from eunoe.runtime.requester import Requester
from eunoe.runtime.service import Service
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import limits
from eunoe.schemas.errors import Denied, Unreachable
from eunoe.schemas.subjects import Caller

logger = logging.getLogger(__name__)

SETTLE_SECONDS = 0.02  # seconds between two looks at what is pending


@dataclass(frozen=True, slots=True)
class Post:
    """One worker at work. ``stop`` tells it to end."""

    name: str
    worker: Worker
    requester: Requester
    stop: anyio.Event = field(default_factory=anyio.Event)

    @property
    def connection(self) -> Connection:
        return self.requester.connection


class Fleet:
    """Workers running in this process."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._ended: dict[str, anyio.Event] = {}
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
                    while await self._busy(post):  # noqa: ASYNC110  # a consumer sets no event
                        await anyio.sleep(SETTLE_SECONDS)
            return True
        return False

    async def serve(self, name: str, *, task_status: TaskStatus[None]) -> None:
        """Run one worker until it is told to stop, and drain it."""
        ended = self._ended[name] = anyio.Event()
        try:
            async with login(self._settings, Caller("worker", name), name) as connection:
                self.posts[name] = post = await self._post(name, connection)
                await self._work(post, task_status)
        finally:
            ended.set()

    async def stop(self) -> None:
        """Stop and drain the workers, each within `DRAIN_SECONDS`, the ones that others need last."""
        for name in sorted(self.posts, key=roster.STOP_ORDER.index):
            self.posts[name].stop.set()
            with anyio.move_on_after(limits.DRAIN_SECONDS) as late:
                await self._ended[name].wait()
            if late.cancelled_caught:
                logger.warning("%s does not drain in time", name, extra={"action": "drain_late"})

    async def _busy(self, post: Post) -> bool:
        return any(await durables.pending(JetStream(post.requester), self._settings.space, post.name))

    async def _post(self, name: str, connection: Connection) -> Post:
        space = self._settings.space
        store = await topology.ensure(connection, space, replicas=self._settings.replicas)
        requester = await Requester.open(connection)
        auditor = RemoteAuditor(requester, space, connection.caller)
        return Post(name, roster.make(name, store, auditor, self._settings, self._clock), requester)

    async def _work(self, post: Post, task_status: TaskStatus[None]) -> None:
        worker, space = post.worker, self._settings.space
        guard = Guard(post.connection, space)
        service = Service(
            post.connection, space, post.name, worker.handlers(), statistics=worker.statistics, sure=guard.sure
        )
        async with task_group() as loops:
            loops.start_soon(worker.run)
            loops.start_soon(guard.run)
            loops.start_soon(_closed, post)
            loops.start_soon(_denied, post)
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
async def running(
    settings: Settings, names: Iterable[str] = roster.NAMES, clock: Clock | None = None
) -> AsyncIterator[Fleet]:
    """Workers at the server of ``settings.url``, running while the context is open, drained when it ends.

    A worker that fails ends the context with its reason: there is no fleet with a part missing.
    """
    fleet = Fleet(settings, clock or SystemClock())
    async with task_group() as tasks:
        for name in roster.checked(names):
            await tasks.start(fleet.serve, name)
        yield fleet
        await fleet.stop()
        tasks.cancel_scope.cancel()


async def _closed(post: Post) -> None:
    await post.connection.wait_closed()
    raise Unreachable(f"the connection of {post.name} was closed: {post.connection.last_error or 'no reason given'}")


async def _denied(post: Post) -> None:
    """End a worker that may not hear requests or acknowledge messages: it would seem to run, and do nothing."""
    heard = anyio.Event()
    about: list[str] = []

    def hear(kind: str, subject: str) -> None:
        if kind == "subscription" or subject.startswith("$js.ack."):
            about.append(f"{kind} {subject}")
            heard.set()

    post.connection.hooks.denied.append(hear)
    await heard.wait()
    raise Denied(
        f"the server denies {post.name} what it needs ({about[0]}); give its user what `eunoe ops permissions` prints"
    )
