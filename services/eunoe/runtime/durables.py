"""The durable consumers of the log, by the name of the worker that reads with them."""

from __future__ import annotations

from eunoe.runtime.doors import Consumer, Store
from eunoe.schemas import subjects

NAMES = ("extraction", "facts")  # in the order in which work flows from one to the next


def filters(space: str, name: str) -> list[str]:
    """What a worker reads of the log: extraction what happened, facts everything."""
    return {"extraction": [subjects.happened_filter(space)], "facts": subjects.log_subjects(space)}[name]


async def consumer(store: Store, name: str) -> Consumer:
    """The durable consumer of that worker."""
    return await store.log.consumer(name, filters(store.space, name))
