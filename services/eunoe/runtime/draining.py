"""Until when what stops may finish: one time for all that stop together, however many stages each of them has."""

from __future__ import annotations

from contextvars import ContextVar

import anyio

from eunoe.schemas import limits


class Draining:
    """A time by which all has to be finished that runs in tasks of `current`."""

    def __init__(self) -> None:
        self._end: float | None = None

    def until(self, end: float) -> None:
        """Fix the end, as a time of `anyio.current_time`."""
        self._end = end

    @property
    def end(self) -> float:
        """The end; where nobody fixed it, `DRAIN_SECONDS` from when it is asked first."""
        if self._end is None:
            self._end = anyio.current_time() + limits.DRAIN_SECONDS
        return self._end


current: ContextVar[Draining] = ContextVar("draining")
"""Set in the task of a worker, and so in all tasks that it starts."""


def end() -> float:
    """Until when the task that asks may finish what it has in hand."""
    return current.get(Draining()).end
