"""The loop of every worker that consumes the log or jobs: take, handle in order, acknowledge, retry, at last lay aside.

Messages with the same key are handled in order, those with different keys at once. A handler may take
several messages of a key together; when it fails with them, they are handled one by one, so that the one
that fails is known. It is tried again where it stands, and its successors wait for it; what is in hand is
kept from being delivered elsewhere. A transient failure (nothing can be reached) is waited out for ever;
any other becomes a dead letter after `limits.ATTEMPTS`.
"""

from __future__ import annotations

import logging
import random
from collections import deque
from collections.abc import Callable, Mapping
from itertools import islice, takewhile

import anyio
from anyio.abc import TaskGroup

from eunoe.runtime import draining
from eunoe.runtime.backoff import FIRST_SECONDS, backoff
from eunoe.runtime.doors import Clock, Consumer, Delivery, Store, Stored
from eunoe.runtime.tasks import task_group
from eunoe.runtime.tries import Done, Handle, Tries, told, transient
from eunoe.schemas import limits
from eunoe.schemas.errors import EunoeError

logger = logging.getLogger(__name__)

FETCH_SECONDS = 5.0  # seconds one fetch waits for a message
ALIVE_SECONDS = 5.0  # seconds between two signs of life for what is in hand
ACK_WAIT_SECONDS = 30.0  # seconds after which what a killed worker had in hand of the log is delivered again
CAREFUL_SECONDS = 5.0  # seconds beyond those in which it surely comes
GIVE_BACK_SECONDS = 2.0  # seconds in which jobs are given back that were not done when a worker had to stop
PACE_SECONDS = 0.02  # seconds between two fetches in the long run, so that one brings several
BURST = 64  # fetches that come at once after a quiet time: what a turn of one thread brings is not kept waiting
FETCH = 256  # messages that one fetch brings at most
LOW_BYTES = 16 * limits.MIB  # bytes in hand over which nothing is fetched; one fetch brings as much again at most


class Pump:
    """One worker's consumption. ``key`` says what must stay in order, such as the chain of a message.

    ``together`` is how many messages ``handle`` takes at most; those that were delivered before come alone.
    ``concurrency`` is how many keys are handled at once. In hand are at most twice ``fetch`` messages: few of what
    takes long, so that other workers have some too.
    ``retry_seconds`` is the wait after a first failure, doubled after each further one. ``ack_wait`` is the consumer's.
    ``jobs``: they are jobs; ``done``: see `Tries`.
    """

    def __init__(
        self,
        store: Store,
        worker: str,
        handle: Handle,
        *,
        key: Callable[[Stored], str],
        clock: Clock,
        together: int = 1,
        concurrency: int = 32,
        retry_seconds: float = FIRST_SECONDS,
        ack_wait: float = ACK_WAIT_SECONDS,
        fetch: int = FETCH,
        jobs: bool = False,
        done: Done | None = None,
    ) -> None:
        self._worker = worker
        self._careful_seconds = ack_wait + CAREFUL_SECONDS
        self._fetch = fetch
        self._tries = Tries(store, worker, handle, clock, retry_seconds, jobs=jobs, done=done)
        self._key = key
        self._together = together
        self._lanes: dict[str, deque[Delivery]] = {}
        self._scopes: set[anyio.CancelScope] = set()
        self._room = anyio.Semaphore(concurrency)
        self._bytes = 0
        self._due = 0.0
        self._progress = anyio.Event()

    def statistics(self) -> Mapping[str, int]:
        """Messages handled, tries that failed, messages laid aside, and messages in hand now."""
        return {**self._tries.counts, "in_hand": self._in_hand()}

    @property
    def stopping(self) -> anyio.Event:
        """Set once nothing more is begun: what would go on for long ends where that is safe."""
        return self._tries.stopping

    async def run(self, consumer: Consumer) -> None:
        """Consume until cancelled; then finish what is being handled, give back the rest, and return."""
        async with task_group() as lanes:
            lanes.start_soon(self._keep_alive)
            try:
                await self._careful(consumer, lanes)
                await self._consume(consumer, lanes)
            finally:
                with anyio.CancelScope(shield=True):
                    await self._finish(consumer)
                lanes.cancel_scope.cancel()

    async def _consume(self, consumer: Consumer, lanes: TaskGroup) -> None:
        while True:
            if self._in_hand() > self._fetch or self._bytes > LOW_BYTES:
                await self._progress.wait()
                continue
            count = await self._round(consumer, lanes, self._fetch)
            if 0 < count < self._fetch:
                await self._pace()

    async def _pace(self) -> None:
        now = anyio.current_time()
        self._due = max(self._due, now - BURST * PACE_SECONDS) + PACE_SECONDS
        await anyio.sleep(max(0.0, self._due - now))

    async def _careful(self, consumer: Consumer, lanes: TaskGroup) -> None:
        """After a predecessor was killed: one message at a time, so that the one that kills workers is counted
        alone, and those that were in hand beside it are not laid aside with it. One that waits longer than that for
        something holds up no other."""
        until = anyio.current_time() + self._careful_seconds
        while anyio.current_time() < until and (await self._unacknowledged(consumer)):
            await self._round(consumer, lanes, 1)
            with anyio.CancelScope(deadline=until):
                await self._idle()

    async def _unacknowledged(self, consumer: Consumer) -> int:
        try:
            return (await consumer.pending())[1]
        except EunoeError as error:
            _refuse_fatal(error)
            await anyio.sleep(backoff(1))
            return 1

    async def _round(self, consumer: Consumer, lanes: TaskGroup, room: int) -> int:
        """One fetch; returns how many messages it brought."""
        try:
            deliveries = await consumer.fetch(room, FETCH_SECONDS)
        except EunoeError as error:
            _refuse_fatal(error)
            logger.warning("%s takes nothing: %s", self._worker, error, extra={"action": "fetch_failed"})
            await anyio.sleep(backoff(3, jitter=random.random()))
            return 0
        for delivery in deliveries:
            self._queue(delivery, lanes)
        return len(deliveries)

    def _queue(self, delivery: Delivery, lanes: TaskGroup) -> None:
        key = self._key(delivery.message)
        self._bytes += len(delivery.message.data)
        lane = self._lanes.get(key)
        if lane is not None:
            lane.append(delivery)
            return
        self._lanes[key] = deque([delivery])
        lanes.start_soon(self._lane, key)

    async def _lane(self, key: str) -> None:
        """Handle the messages of one key, shielded: only `_finish` ends what is being handled."""
        lane = self._lanes[key]
        with anyio.CancelScope(shield=True) as scope:
            self._scopes.add(scope)
            try:
                await self._through(lane)
            finally:
                self._scopes.discard(scope)
                del self._lanes[key]
                self._bytes -= sum(len(left.message.data) for left in lane)
                self._tell()

    async def _through(self, lane: deque[Delivery]) -> None:
        alone = 0  # messages at the front of which one failed
        while lane:
            async with self._room:
                batch = [lane[0]] if alone else self._fresh(lane)
                if len(batch) == 1:
                    await self._tries.one(batch[0])
                elif not await self._tries.several(batch):
                    alone = len(batch)
                    continue
            alone = max(0, alone - 1)
            for delivery in batch:
                self._bytes -= len(delivery.message.data)
                lane.popleft()
            self._tell()

    def _fresh(self, lane: deque[Delivery]) -> list[Delivery]:
        """The first message, and with it those behind it, if none of them was ever delivered before."""
        fresh = list(takewhile(lambda delivery: delivery.attempts == 1, islice(lane, self._together)))
        return fresh or [lane[0]]

    async def _keep_alive(self) -> None:
        """While a message waits or is handled, it is not delivered again."""
        with anyio.CancelScope(shield=True) as scope:
            self._scopes.add(scope)
            while True:
                await anyio.sleep(ALIVE_SECONDS)
                for delivery in [delivery for lane in self._lanes.values() for delivery in lane]:
                    await told(delivery.in_progress)

    async def _finish(self, consumer: Consumer) -> None:
        self._tries.stopping.set()
        with anyio.move_on_after(GIVE_BACK_SECONDS):
            await consumer.close()  # else what is given back may come here again
        with anyio.CancelScope(deadline=draining.end()):
            await self._idle()
        cut_off = [delivery for lane in self._lanes.values() for delivery in lane]
        for scope in list(self._scopes):
            scope.cancel()
        with anyio.move_on_after(GIVE_BACK_SECONDS):
            await self._tries.cut_off(cut_off)

    async def _idle(self) -> None:
        """Wait until nothing is in hand."""
        while self._lanes:
            await self._progress.wait()

    def _in_hand(self) -> int:
        return sum(len(lane) for lane in self._lanes.values())

    def _tell(self) -> None:
        self._progress.set()
        self._progress = anyio.Event()


def _refuse_fatal(error: EunoeError) -> None:
    if not transient(error):
        raise error
