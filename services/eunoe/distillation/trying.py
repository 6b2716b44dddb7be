"""Trying a piece of work as often as it may be tried, where it may ask a model that does not answer for a while."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

import anyio

from eunoe.distillation.outage import Outage, pause
from eunoe.distillation.room import Room
from eunoe.runtime.backoff import FIRST_SECONDS, LONGEST_SECONDS, backoff
from eunoe.runtime.tries import transient
from eunoe.schemas import limits
from eunoe.schemas.errors import ModelFailed

Tell = Callable[[int, Exception], None]
"""Tells of a failure: which attempt it was, and why."""


async def tried(
    work: Callable[[], Awaitable[None]], tell: Tell, outage: Outage, stopping: anyio.Event
) -> tuple[int, Exception] | None:
    """None once the work is done, or an outage is over that it failed in: whoever asks looks anew how things are then.
    Else, after `limits.ATTEMPTS`, how often it was tried, and the last failure. Raises what passes by itself."""
    count, room = 0, Room(stopping, outage)
    while True:
        try:
            await work()
            return None
        except Exception as error:
            if transient(error):
                raise
            if await outage.waited(error):
                return None
            if await room.waited(error):
                continue
            count += 1
            tell(count, error)
            if count >= limits.ATTEMPTS:
                return count, error
            wait = _wait(count, error)
        await pause(wait, stopping)


def _wait(count: int, error: Exception) -> float:
    """Seconds until the next attempt; a model that answers badly mostly does so for a while."""
    first = limits.MODEL_AGAIN_SECONDS if isinstance(error, ModelFailed) else FIRST_SECONDS
    longest = limits.MODEL_AGAIN_SECONDS_MAX if isinstance(error, ModelFailed) else LONGEST_SECONDS
    return backoff(count, first=first, longest=longest, jitter=random.random())
