"""Waiting aside: a request that only waits for something to become known holds no place among those at work.

A worker handles so many requests at once. One that waits inside `beside` leaves its place to the next meanwhile, so
that however many wait, the others go on. When it has waited it goes on at once, also where every place is taken again.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import anyio

from eunoe.schemas import limits

_LOOK_SECONDS = 0.02  # seconds between two looks, while little time was waited
_LOOK_SHARE = 0.1  # of the time that was waited: seconds between two looks, so that long waits cost little


class Places:
    """``limit`` places for those at work, each under a scope of its own; ``left`` is called when one of them leaves its
    place to wait aside."""

    def __init__(self, limit: int, left: Callable[[], None]) -> None:
        self._limit = limit
        self._left = left
        self._scopes: set[anyio.CancelScope] = set()
        self._end = math.inf
        self.aside = 0

    @property
    def active(self) -> int:
        """Those at work, more than there are places while some come back from waiting."""
        return len(self._scopes) - self.aside

    @property
    def free(self) -> bool:
        return self.active < self._limit

    @property
    def crowded(self) -> bool:
        """Whether one that ends should leave its place to nobody."""
        return self.active > self._limit

    def take(self) -> anyio.CancelScope:
        scope = anyio.CancelScope(shield=True, deadline=self._end)
        self._scopes.add(scope)
        return scope

    def leave(self, scope: anyio.CancelScope) -> None:
        self._scopes.discard(scope)

    def end_by(self, end: float) -> None:
        """Cancel whatever is at work, or waits, at that time of `anyio.current_time`."""
        self._end = end
        for scope in self._scopes:
            scope.deadline = end

    @contextmanager
    def lent(self) -> Iterator[bool]:
        """Leave a place to the next meanwhile; False where too many do so already, and it is kept."""
        if self.aside >= limits.WAITING_ASIDE:
            yield False
            return
        self.aside += 1
        try:
            self._left()
            yield True
        finally:
            self.aside -= 1


current: ContextVar[Places | None] = ContextVar("places", default=None)
"""Those of the service whose request a task handles; None where nobody counts."""


@contextmanager
def beside() -> Iterator[bool]:
    """Do something that is mostly waiting, with the place left to others; False where it has to be kept, since
    `limits.WAITING_ASIDE` others wait already. Not to be nested."""
    places = current.get()
    if places is None:
        yield True
        return
    with places.lent() as lent:
        yield lent


@contextmanager
def waiting(seconds: float) -> Iterator[None]:
    """Wait aside for what becomes known inside, ``seconds`` at most and never over `limits.WAIT_SECONDS`; not at all
    where too many wait already, so that what there is has to do."""
    with beside() as lent, anyio.move_on_after(max(0.0, min(seconds, limits.WAIT_SECONDS)) if lent else 0.0):
        yield


async def until(found: Callable[[], Awaitable[bool]], seconds: float) -> None:
    """Wait aside, as in `waiting`, for something that is not so yet: it is looked at soon, and less often the longer
    that takes."""
    begun = anyio.current_time()
    with waiting(seconds):
        while True:
            await anyio.sleep(max(_LOOK_SECONDS, _LOOK_SHARE * (anyio.current_time() - begun)))
            if await found():
                return
