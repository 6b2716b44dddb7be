"""Whether the model answers at all: while it does not, work waits, and nothing of it counts as having failed."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import anyio

from eunoe.runtime.backoff import waits
from eunoe.runtime.doors import Clock
from eunoe.schemas.errors import Busy, ModelFailed

logger = logging.getLogger(__name__)

MAY_PASS = frozenset({"unreachable", "rate_limited", "server", "timeout", "rejected"})
"""Reasons of a `ModelFailed` that may be those of an outage: with a key that has expired, any question is rejected."""

Probe = Callable[[], Awaitable[None]]
"""Asks the model one tiny question; raises `ModelFailed` where it gives no answer."""


class Outage:
    """The outages of one model. ``since`` is when the one began that lasts (ms UTC), 0 while there is none.

    ``probe`` is None where no model is asked. Once ``stopping`` is set, nobody waits any more.
    """

    def __init__(self, probe: Probe | None, clock: Clock, stopping: anyio.Event) -> None:
        self._probe = probe
        self._clock = clock
        self._stopping = stopping
        self._one = anyio.Lock()
        self._over = 0  # outages that are over
        self.since = 0

    def statistics(self) -> dict[str, int]:
        return {"outage": int(self.since > 0), "waiting_since": self.since}

    async def waited(self, error: Exception) -> bool:
        """Whether a failure was that of an outage, which is over now; raises `Busy` when it is not over by the time
        that this worker stops."""
        if self._probe is None or not isinstance(error, ModelFailed) or error.detail.get("reason") not in MAY_PASS:
            return False
        over = self._over
        async with self._one:  # one asks, for all that wait
            if self._over != over:
                return True
            if not self.since and await self._answers(self._probe):
                return False
            await self._wait(self._probe)
        return True

    async def _wait(self, probe: Probe) -> None:
        for seconds in waits():
            if not self.since:
                return
            await pause(seconds, self._stopping)
            if await self._answers(probe):
                return

    async def _answers(self, probe: Probe) -> bool:
        try:
            await probe()
        except ModelFailed as error:
            if not self.since:
                self.since = self._clock.now()
                logger.warning("waiting for the model: %s", error, extra={"action": "model_outage"})
            return False
        if self.since:
            logger.info("the model answers again", extra={"action": "model_back"})
            self._over += 1
        self.since = 0
        return True


async def pause(seconds: float, stopping: anyio.Event) -> None:
    """Wait; raises `Busy` once this worker stops, so that what is in hand goes back to be done by another one."""
    with anyio.move_on_after(seconds):
        await stopping.wait()
    if stopping.is_set():
        raise Busy("this worker stops; what it had in hand goes on elsewhere")
