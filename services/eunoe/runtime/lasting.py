"""Loops that a worker keeps going while the server is away."""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable

import anyio

from eunoe.runtime.backoff import backoff
from eunoe.schemas.errors import OutcomeUnknown, Unreachable, WorkerMissing

logger = logging.getLogger(__name__)

AWAY = (OutcomeUnknown, Unreachable, WorkerMissing)  # what passes by itself


async def lasting(what: str, attempt: Callable[[], Awaitable[None]]) -> None:
    """Do it to its end, beginning again each time that somebody who is needed is away; raises all else.

    That a connection is closed for good, and nothing can come back, is for whoever owns it to find.
    """
    failures = 0
    while True:
        try:
            return await attempt()
        except AWAY as error:
            failures += 1
            logger.warning("%s: %s; it goes on by itself", what, error, extra={"action": "waits"})
        await anyio.sleep(backoff(failures, jitter=random.random()))
