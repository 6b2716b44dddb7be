"""Workers running in this process: started together, watched, and drained in order."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskStatus

from eunoe.runtime import draining, durables, roster, topology
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Clock, SystemClock, Worker
from eunoe.runtime.draining import Draining
from eunoe.runtime.guard import Guard
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.login import login
from eunoe.runtime.remaking import Remaking
from eunoe.runtime.remote import RemoteAuditor
from eunoe.runtime.requester import Requester
from eunoe.runtime.service import Service
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import limits
from eunoe.schemas.errors import Denied, Unreachable
from eunoe.schemas.subjects import Caller

logger = logging.getLogger(__name__)

LAST_SECONDS = 2.0  # seconds of those for draining that are left to the worker that stops last
CLOSE_SECONDS = 2.0  # seconds that a worker may take to leave once it has drained, or should have
SETTLE_SECONDS = 0.02  # seconds between two looks at what is pending
OUTAGE = "outage"  # whether the model does not answer, in the statistics of those that ask one


@dataclass(frozen=True, slots=True)
class Post:
    """One worker at work. ``stop`` tells it to end, and ``draining`` by when."""

    name: str
    worker: Worker
    requester: Requester
    service: Service
    guard: Guard
    draining: Draining
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
        """The counts of each worker by name: its own, and those of how it is asked and answers."""
        return {name: post.service.statistics() for name, post in self.posts.items()}

    async def settle(self, seconds: float = limits.DRAIN_SECONDS) -> bool:
        """Wait until every durable consumer of a running worker has handled all there is; False when time is up. Jobs
        that wait for a model which does not answer are not waited for."""
        with anyio.move_on_after(seconds):
            while await self._anything():  # noqa: ASYNC110  # a consumer sets no event
                await anyio.sleep(SETTLE_SECONDS)
            return True
        return False

    async def serve(self, name: str, *, task_status: TaskStatus[None]) -> None:
        """Run one worker until it is told to stop, and drain it."""
        ended = self._ended[name] = anyio.Event()
        draining.current.set(Draining())
        try:
            async with login(self._settings, Caller("worker", name), name) as connection:
                self.posts[name] = post = await self._post(name, connection)
                await self._work(post, task_status)
        finally:
            ended.set()

    async def stop(self) -> None:
        """Stop and drain the workers, all of them within `DRAIN_SECONDS`, the one that the others need last."""
        end = anyio.current_time() + limits.DRAIN_SECONDS
        last = [name for name in self.posts if name == roster.STOPS_LAST]
        await self._stop([name for name in self.posts if name not in last], end - LAST_SECONDS if last else end)
        await self._stop(last, end)

    async def _stop(self, names: Sequence[str], end: float) -> None:
        for name in names:
            self.posts[name].draining.until(end)
            self.posts[name].stop.set()
        with anyio.CancelScope(deadline=end + CLOSE_SECONDS):
            for name in names:
                await self._ended[name].wait()
        for name in names:
            if not self._ended[name].is_set():
                logger.warning("%s does not drain in time", name, extra={"action": "drain_late"})

    async def _anything(self) -> bool:
        """Whether any of them has something to do, in the order in which work flows from one to the next."""
        for name in durables.NAMES:
            post = self.posts.get(name)
            if post and not post.worker.statistics().get(OUTAGE) and await self._busy(post):
                return True
        return False

    async def _busy(self, post: Post) -> bool:
        jetstream, space = JetStream(post.requester), self._settings.space
        return any(
            [*await durables.pending(jetstream, space, post.name), *await durables.again(jetstream, space, post.name)]
        )

    async def _post(self, name: str, connection: Connection) -> Post:
        space = self._settings.space
        store = await topology.ensure(connection, space, replicas=self._settings.replicas)
        slot = (await store.generations.look()).slot
        before = await topology.identity(connection, space, slot)  # before anything is read into memory
        requester = await Requester.open(connection)
        auditor = RemoteAuditor(requester, space, connection.caller)
        remake = Remaking(requester, space, connection.caller)
        worker = roster.make(name, store, auditor, remake, self._settings, self._clock)
        guard = Guard(connection, store, before)
        service = Service(connection, space, name, worker.handlers(), statistics=worker.statistics, sure=guard.sure)
        return Post(name, worker, requester, service, guard, draining.current.get())

    async def _work(self, post: Post, task_status: TaskStatus[None]) -> None:
        async with task_group() as loops:
            loops.start_soon(post.worker.run)
            loops.start_soon(post.guard.run)
            loops.start_soon(_closed, post)
            loops.start_soon(_denied, post)
            async with task_group() as requests:
                await requests.start(post.service.run)
                task_status.started()
                logger.info("%s runs", post.name, extra={"action": "worker_started"})
                await post.stop.wait()
                requests.cancel_scope.cancel()
            loops.cancel_scope.cancel()
        with anyio.CancelScope(deadline=post.draining.end + CLOSE_SECONDS) as scope:
            await post.worker.drain()
        if scope.cancelled_caught:
            logger.warning("%s is not drained, as time is up", post.name, extra={"action": "drain_late"})
        else:
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

    def hear(kind: str, subject: str) -> bool:
        if kind == "subscription" or subject.startswith("$js.ack."):
            about.append(f"{kind} {subject}")
            heard.set()
        return False

    post.connection.hooks.denied.append(hear)
    await heard.wait()
    raise Denied(
        f"the server denies {post.name} what it needs ({about[0]}); give its user what `eunoe ops permissions` prints"
    )
