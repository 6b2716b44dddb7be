"""Reading and deleting facts: a view of three scopes, the list of a fleet, and a scope that goes."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from dataclasses import replace
from typing import Any, cast

from benchmarks import threads
from benchmarks.place import Place, Result, median_ms, resident, settle, timed
from eunoe.client import Memory
from eunoe.facts.kinds import Kinds
from eunoe.facts.lookup import Lookup
from eunoe.facts.reading import Reading
from eunoe.facts.viewing import Viewing
from eunoe.facts.visibility import Viewer
from eunoe.runtime import topology
from eunoe.runtime.connection import connect
from eunoe.runtime.doors import Documents, Store, SystemClock
from eunoe.schemas import limits, subjects
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactsRequest
from eunoe.schemas.subjects import Caller

CALLER = threads.CALLER
ASKED: Any = {"thread": "view", "session": "view"}
VIEW: tuple[tuple[Scope, str, str], ...] = (
    ("thread", "view", "note"),
    ("session", "view", "service"),
    ("permanent", "shared", "entity"),
)
ROUNDS = 10
VIEW_GETS = 150.0  # KV gets that a view of 300 facts may take as long as: half of one a fact
LISTED_THREADS = 100


async def view(here: Place, count: int) -> list[Result]:
    """300 facts of a thread, its session and everyone, against one KV get; and the round trips that it takes."""
    for scope, owner, subject in VIEW:
        await threads.state(here, scope, owner, subject, 100)
    await settle(here)
    async with await connect(here.url, caller=Caller("worker", "bench")) as connection:
        store = await topology.ensure(connection, "default")
        counted, calls = _counted(store)
        lookup, kinds, clock = Lookup(counted, Kinds(), SystemClock()), Kinds(), SystemClock()
        reading = Reading(counted, lookup, Viewing(lookup, kinds, clock), clock)
        request, viewer = FactsRequest(**ASKED, limit=300), Viewer(CALLER, "view", "view")
        found = (await reading.list(request, viewer)).facts
        assert len(found) == 300, Counter(fact.identity.scope for fact in found)
        trips = max(calls.values())
        gets, reads, asks = [], [], []
        async with Memory.connect(here.url, role=CALLER.role, principal=CALLER.principal) as memory:
            for _ in range(ROUNDS):
                gets += await timed(count // ROUNDS, lambda: store.thread.get(subjects.fact_key("view", "note", "n1")))
                reads += await timed(count // ROUNDS, lambda: reading.list(request, viewer))
                asks += await timed(count // ROUNDS, lambda: memory.facts(**ASKED, limit=300))
    one = statistics.median(gets)
    return [
        Result("one KV get", median_ms(gets), "ms"),
        Result("a view of 300 facts over three scopes, read", median_ms(reads), "ms"),
        Result("  against one KV get", statistics.median(reads) / one, "x", at_most=VIEW_GETS),
        Result("  round trips to one bucket", trips, "", at_most=1),
        Result("  asked of the worker and answered", median_ms(asks), "ms"),
    ]


async def deletion(here: Place, count: int) -> list[Result]:
    """Deleting everything of an owner: until every read reflects it."""
    await threads.state(here, "permanent", "gone", "entity", count)
    await settle(here)
    async with Memory.connect(here.url, role="person", principal="bench") as memory:
        start = time.perf_counter()
        done = await memory.delete_scope("permanent", "gone")
        seconds = time.perf_counter() - start
        assert done.facts == count, done
    return [Result(f"deleting a scope of {count:,} facts", seconds, "s", at_most=1.0)]


async def listing(here: Place, count: int) -> list[Result]:
    """A list of every thread's facts, page by page: what the workers hold after the first page and after the last."""
    before = await _total(here)
    for number in range(LISTED_THREADS):
        await threads.state(here, "thread", f"list-{number}", "note", count // LISTED_THREADS)
    await settle(here)
    seen, cursor, start, first = 0, "", time.perf_counter(), 0.0
    async with Memory.connect(here.url, role="person", principal="bench") as memory:
        while True:
            page = await memory.facts(scope="thread", limit=limits.PAGE_FACTS, cursor=cursor)
            seen, cursor = seen + len(page.facts), page.cursor
            first = first or resident(here.workers)
            if not cursor:
                break
    seconds = time.perf_counter() - start
    assert seen == before + count, (seen, before, count)
    return [
        Result(f"listing {seen:,} facts in pages", seen / seconds, "facts/s"),
        Result(
            "  resident memory of the workers, last page less first", resident(here.workers) - first, "MiB", at_most=32
        ),
    ]


async def _total(here: Place) -> int:
    seen, cursor = 0, ""
    async with Memory.connect(here.url, role="person", principal="bench") as memory:
        while True:
            page = await memory.facts(scope="thread", limit=limits.PAGE_FACTS, cursor=cursor)
            seen, cursor = seen + len(page.facts), page.cursor
            if not cursor:
                return seen


class _Counted:
    """A bucket whose round trips are counted, under its name."""

    def __init__(self, name: str, inner: Documents, calls: Counter[str]) -> None:
        self._name = name
        self._inner = inner
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        self._calls[self._name] += 1
        return getattr(self._inner, name)


def _counted(store: Store) -> tuple[Store, Counter[str]]:
    calls: Counter[str] = Counter()
    permanent, session, thread = (
        cast("Documents", _Counted(scope, store.bucket(scope), calls)) for scope in ("permanent", "session", "thread")
    )
    return replace(store, permanent=permanent, session=session, thread=thread), calls
