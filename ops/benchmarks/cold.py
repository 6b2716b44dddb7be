"""First contexts of workers that never saw their threads."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks import asking
from benchmarks.place import Place, Result, apart, median_ms, timed
from eunoe.runtime import topology
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.connection import connect
from eunoe.runtime.doors import Store
from eunoe.schemas import subjects
from eunoe.schemas.events import ContextComposed
from eunoe.schemas.subjects import Caller
from eunoe.testing import RedisServer

STARTS = 5  # composition workers that are started one after the other, to see each thread for the first time
NEWEST = 192  # records of a thread, more than any of these contexts reads
HELD = ("warmed", "stored")  # threads that each worker composes before, the second one with a recipe once there are any


async def cold(
    here: Place, names: Sequence[str], what: str, at_most: float | None = None, **settings: str
) -> list[Result]:
    """Contexts of workers in which nothing of these threads, nor of their sessions, is in memory.

    A worker has its code loaded, from two other threads, and what everyone sees is held by its watch. It reads a
    thread's newest records, those that its last outline names, and 200 facts. The store has them in its memory: what it
    has to read from its disk for that is read before, and measured by itself. It reads a block of a stream at a time,
    some megabytes, whoever asks and for however little of it. It has a core of its own meanwhile.
    """
    times: dict[str, list[float]] = {name: [] for name in names}
    bare: list[float] = []
    async with await connect(here.url, caller=Caller("worker", "bench")) as connection:
        store = await topology.ensure(connection, "default")
        for _ in range(STARTS):
            with apart(here):
                await _started(here, store, times, bare, settings)
    return [
        *(
            Result(f"cold context of {name}, {what}", median_ms(took), "ms", at_most=at_most)
            for name, took in times.items()
        ),
        Result(f"  the store's own reading of one of them before, bare, p50 of {len(bare)}", median_ms(bare), "ms"),
        Result("  the longest of these", max(bare) * 1000, "ms"),
    ]


async def copied(here: Place, names: Sequence[str]) -> list[Result]:
    """The same where another worker put copies of the threads into a Redis."""
    with tempfile.TemporaryDirectory(prefix="eunoe-bench-redis-") as folder:
        redis = RedisServer(Path(folder))
        settings = {"redis_url": redis.start(), "redis_secret": secrets.token_hex(16)}
        try:
            async with asking.composition(here, **settings), asking.agent(here) as memory:
                for name in (*HELD, *names):
                    await asking.ask(asking.thread(memory, name))
            return await cold(here, names, "from a copy in Redis", at_most=15.0, **settings)
        finally:
            redis.stop()


async def _started(
    here: Place, store: Store, times: Mapping[str, list[float]], bare: list[float], settings: Mapping[str, str]
) -> None:
    """Start a worker, and time the store's bare reading of each thread, and then its first context."""
    async with asking.composition(here, **settings), asking.agent(here) as memory:
        for name in HELD:
            await asking.ask(asking.thread(memory, name))
        for name, took in times.items():
            bare += await timed(1, partial(_read, store, name))
            took += await timed(1, partial(asking.ask, asking.thread(memory, name)))


async def _read(store: Store, name: str) -> None:
    """A thread's newest records, those that recipes in them name, its facts, and its session's."""
    reader = ChainReader(store.log, store.space)
    head = await reader.head(subjects.thread_chain(name))
    assert head is not None
    last = head.header.record
    newest = await reader.records(await reader.positions(head, last - NEWEST + 1, last))
    recipes = [event.recipe for record in newest for event in record.events if isinstance(event, ContextComposed)]
    await store.log.get(sorted({one.position for recipe in recipes for one in recipe.outline if one.position}))
    await store.thread.find([subjects.facts_of(name)])
    await store.session.find([subjects.facts_of(asking.session(name))])
