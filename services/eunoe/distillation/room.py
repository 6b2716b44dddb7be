"""Waiting until a provider has room for a piece of work, which it refuses though it answers a small question."""

from __future__ import annotations

import logging
import random

import anyio

from eunoe.distillation.outage import Outage, pause
from eunoe.runtime.backoff import backoff
from eunoe.schemas import limits
from eunoe.schemas.errors import ModelFailed

logger = logging.getLogger(__name__)

FIRST_SECONDS = 1.0  # seconds before a refused piece is asked for again, doubled each time
LONGEST_SECONDS = 60.0  # seconds that no wait exceeds: what providers allow, they allow by the minute


class Room:
    """The waits of one piece of work, told to the model's ``outage``. Once ``stopping`` is set, it waits no more."""

    def __init__(self, stopping: anyio.Event, outage: Outage) -> None:
        self._stopping = stopping
        self._outage = outage
        self._refused = 0

    async def waited(self, error: Exception) -> bool:
        """Whether a failure was that more is asked than the provider allows, and a while has passed since; False from
        `limits.REFUSALS` on, as it may be that this piece alone is too much.

        Raises `Busy` once this worker stops.
        """
        if not isinstance(error, ModelFailed) or error.detail.get("reason") != "rate_limited":
            return False
        if self._refused >= limits.REFUSALS:
            return False
        self._refused += 1
        wait = backoff(self._refused, first=FIRST_SECONDS, longest=LONGEST_SECONDS, jitter=random.random())
        if self._refused & (self._refused - 1) == 0:
            logger.warning(
                "refused for the %d. time; asked again in %.1f s: %s",
                *(self._refused, wait, error),
                extra={"action": "model_refused"},
            )
        self._outage.crowded += 1
        try:
            await pause(wait, self._stopping)
        finally:
            self._outage.crowded -= 1
        return True
