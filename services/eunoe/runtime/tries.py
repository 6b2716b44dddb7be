"""Handling what a consumer brought: acknowledge it, try it again where it stands, and in the end lay it aside."""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import anyio

from eunoe.runtime import dead_letters
from eunoe.runtime.backoff import FIRST_SECONDS, backoff
from eunoe.runtime.doors import Clock, Delivery, Store, Stored
from eunoe.schemas import limits
from eunoe.schemas.errors import Conflict, EunoeError

logger = logging.getLogger(__name__)

WAITS_LONGER = 4  # waits in a row for what cannot be reached that are longer each time: 2 seconds at most
TRANSIENT = 3  # exit code of the errors that say that something cannot be reached


class Handle(Protocol):
    """Handles messages of one key, in order. All of them are acknowledged once it returns."""

    async def __call__(self, *messages: Stored) -> None: ...


Done = Callable[[Stored], Awaitable[bool]]
"""Whether what a message leads to is there already, told without handling it: by what ended its workers, none ends."""


class Tries:
    """How one worker handles deliveries, until ``stopping`` is set; ``counts`` says how that went.

    ``retry_seconds`` is the wait after a first failure, doubled after each further one. ``jobs``: what is given back as
    this worker stops waits anew, so that its deliveries to workers that were only stopped do not count. ``done`` is
    asked of a message that was delivered as often as it may be: after a kill of the server those that were
    acknowledged come again.
    """

    def __init__(
        self,
        store: Store,
        worker: str,
        handle: Handle,
        clock: Clock,
        retry_seconds: float = FIRST_SECONDS,
        *,
        jobs: bool = False,
        done: Done | None = None,
    ) -> None:
        self._jobs = jobs
        self._done = done
        self._store = store
        self._worker = worker
        self._handle = handle
        self._clock = clock
        self._retry_seconds = retry_seconds
        self.stopping = anyio.Event()
        self.counts = {"handled": 0, "failed": 0, "dead": 0}

    async def several(self, batch: list[Delivery]) -> bool:
        """Handle messages together, or give them back; False when that failed."""
        if self.stopping.is_set():
            for delivery in batch:
                await self._give_back(delivery)
            return True
        try:
            await self._handle(*[delivery.message for delivery in batch])
        except Exception as error:
            self._failed(batch[0], 1, error, len(batch))
            return False
        self.counts["handled"] += len(batch)
        for delivery in batch:
            await told(delivery.ack)
        return True

    async def one(self, delivery: Delivery) -> None:
        attempt, reason, why = delivery.attempts, dead_letters.ENDED, dead_letters.ENDED
        waited = 0
        if attempt > limits.ATTEMPTS and await self._is_done(delivery):
            self.counts["handled"] += 1
            return await told(delivery.ack)
        while attempt <= limits.ATTEMPTS:
            if self.stopping.is_set():
                return await self._give_back(delivery)
            try:
                await self._handle(delivery.message)
            except Exception as error:
                if self.stopping.is_set() and transient(error):
                    return await self._give_back(delivery)
                reason, why = f"{type(error).__name__}: {error}", f"{type(error).__name__}: {logged(error)}"
                self._failed(delivery, attempt, error, waited=waited)
                attempt += not transient(error)
                waited += 1
                pauses = max(attempt, min(waited, WAITS_LONGER))
                with anyio.move_on_after(backoff(pauses, first=self._retry_seconds, jitter=random.random())):
                    await self.stopping.wait()
            else:
                self.counts["handled"] += 1
                return await told(delivery.ack)
        return await self._lay_aside(delivery, attempt - 1, reason, why)

    async def _is_done(self, delivery: Delivery) -> bool:
        """Whether there is nothing left to do of it, as far as that can be told."""
        try:
            return self._done is not None and await self._done(delivery.message)
        except Exception as error:
            logger.warning(
                "whether position %d is done is not known: %s",
                *(delivery.message.seq, logged(error)),
                extra={"action": "message_unknown"},
            )
            return False

    async def cut_off(self, deliveries: Sequence[Delivery]) -> None:
        """Give back the jobs that were in hand when there was no more time: their worker was stopped, not killed."""
        for delivery in deliveries if self._jobs else ():
            await self._give_back(delivery)

    def _failed(self, delivery: Delivery, attempt: int, error: Exception, count: int = 1, *, waited: int = 0) -> None:
        """Count a failure, and tell it: of one that only waits, the first, second, fourth, eighth … time."""
        self.counts["failed"] += 1
        if transient(error) and waited & (waited + 1):
            return
        more = f" and {count - 1} more together" if count > 1 else ""
        logger.warning(
            "%s failed on position %d%s, attempt %d: %s: %s",
            *(self._worker, delivery.message.seq, more, attempt, type(error).__name__, logged(error)),
            extra={"action": "message_failed"},
            exc_info=None if isinstance(error, EunoeError) else error,
        )

    async def _give_back(self, delivery: Delivery) -> None:
        """Let somebody else have it: a job as if nobody had tried it, unless another has taken its place."""
        message = delivery.message
        try:
            if self._jobs:
                await self._store.jobs.submit(message.subject, message.data, instead=message.seq)
                return await told(delivery.ack)
        except Conflict:
            logger.info("another job has taken the place of this one", extra={"action": "job_replaced"})
        except EunoeError as error:
            logger.warning("a job is given back as it is: %s", error, extra={"action": "job_not_renewed"})
        return await told(delivery.nak)

    async def _lay_aside(self, delivery: Delivery, attempts: int, reason: str, why: str) -> None:
        """Write the dead letter, and only then let go of the message; ``why`` is the reason as logs may have it."""
        try:
            await dead_letters.write(self._store, self._worker, delivery.message, attempts, reason, self._clock.now())
        except EunoeError as error:
            logger.error("no dead letter could be written: %s", error, extra={"action": "dead_letter_failed"})
            return await told(delivery.nak)
        self.counts["dead"] += 1
        position = delivery.message.seq
        logger.error("%s laid position %d aside: %s", self._worker, position, why, extra={"action": "dead_letter"})
        return await told(delivery.term)


def logged(error: Exception) -> str:
    """What logs may say of a failure."""
    return error.logged if isinstance(error, EunoeError) else str(error)


def transient(error: Exception) -> bool:
    return isinstance(error, EunoeError) and error.exit_code == TRANSIENT


async def told(signal: Callable[[], Awaitable[None]]) -> None:
    """Tell the server, if it is there; what it does not hear is delivered again, and handled as before."""
    try:
        await signal()
    except (EunoeError, OSError) as error:
        logger.warning("an acknowledgement was not sent: %s", error, extra={"action": "ack_failed"})
