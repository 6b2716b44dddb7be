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

_DOES = {
    "unreachable": "cannot be reached",
    "rate_limited": "has no room for a request",
    "server": "fails",
    "timeout": "does not answer in time",
    "rejected": "takes no request",
}
"""What a model does, by the reason of its failure."""

Probe = Callable[[], Awaitable[None]]
"""Asks the model one tiny question; raises `ModelFailed` where it gives no answer."""


class Outage:
    """The outages of one model. ``since`` is when the one began that lasts (ms UTC), 0 while there is none.
    ``crowded`` counts the pieces of work that wait until its provider has room for them.

    ``probe`` is None where no model is asked; ``model`` is its name. Once ``stopping`` is set, nobody waits any more.
    """

    def __init__(self, probe: Probe | None, clock: Clock, stopping: anyio.Event, model: str = "") -> None:
        self._probe = probe
        self._model = model
        self._clock = clock
        self._stopping = stopping
        self._one = anyio.Lock()
        self._over = 0  # outages that are over
        self._reason = ""  # of the outage that lasts
        self.since = 0
        self.crowded = 0

    def statistics(self) -> dict[str, int]:
        return {"outage": int(self.since > 0), "waiting_since": self.since}

    def said(self) -> str:
        """Why work waits, such as ``the model openai:gpt-5-mini cannot be reached``; empty while none does."""
        reason = self._reason if self.since else "rate_limited" if self.crowded else ""
        return f"the model {self._model}".rstrip() + f" {_DOES.get(reason, 'does not answer')}" if reason else ""

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
            self._fails(error)
            return False
        if self.since:
            logger.warning("the model answers again, and work goes on", extra={"action": "model_back"})
            self._over += 1
        self.since, self._reason = 0, ""
        return True

    def _fails(self, error: ModelFailed) -> None:
        """Once it begins, and whenever it has another reason, the log says why."""
        before, self._reason = self._reason, str(error.detail.get("reason") or "unknown")
        if not self.since:
            self.since = self._clock.now()
            logger.warning("waiting for the model: %s", error, extra={"action": "model_outage"})
        elif self._reason != before:
            logger.warning("still waiting for the model, as now %s", error, extra={"action": "model_outage"})


async def pause(seconds: float, stopping: anyio.Event) -> None:
    """Wait; raises `Busy` once this worker stops, so that what is in hand goes back to be done by another one."""
    with anyio.move_on_after(seconds):
        await stopping.wait()
    if stopping.is_set():
        raise Busy("this worker stops; what it had in hand goes on elsewhere")
