"""Every door of one space, in memory."""

from __future__ import annotations

from eunoe.runtime.doors import Clock, Store
from eunoe.runtime.kept_log import KeptLog
from eunoe.testing.generations import MemoryGenerations
from eunoe.testing.log import MemoryJobs, MemoryLog


def memory_store(space: str = "test", clock: Clock | None = None) -> Store:
    """A fresh store in memory; ``clock`` (default: the machine's) stamps messages and times redeliveries."""
    generations = MemoryGenerations(clock)
    return Store(
        space=space,
        log=KeptLog(MemoryLog(clock), space),
        jobs=MemoryJobs(clock),
        dead=MemoryLog(clock),
        blobs=MemoryLog(clock, latest_only=True),
        permanent=generations.documents["permanent"],
        session=generations.documents["session"],
        thread=generations.documents["thread"],
        generations=generations,
    )
