"""Distilling beside conversations: whether what was said is drawn before it leaves, and how much can be kept up with.

The pace is ten times an ordinary one: a turn of 600 tokens each half second, for one each five seconds, and a model
that takes 0.3 seconds, for one that takes three. What Eunoe itself takes is not scaled, so this is the harder case.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import msgspec

from benchmarks.model import MODEL, model
from benchmarks.place import Place, Result, busy, place, serving, settle
from eunoe.client import Memory
from eunoe.client.thread import Thread
from eunoe.runtime import topology
from eunoe.runtime.connection import connect
from eunoe.runtime.doors import Store
from eunoe.schemas import subjects
from eunoe.schemas.context import Recipe
from eunoe.schemas.events import Prompt, Response, TurnCommitted, TurnOpened
from eunoe.schemas.jobs import DistilJob
from eunoe.schemas.requests import ThreadState
from eunoe.schemas.subjects import Caller

WORKERS = "audit extraction facts composition"  # beside distillation, which has a process of its own
WINDOW = 8192  # tokens
TURNS = 30  # of each conversation
AT_ONCE = 4  # conversations
PACE_SECONDS = 0.5  # from the beginning of a turn to that of the next
THINKS_SECONDS = 0.3  # that the model takes
EACH = 4  # turns of each of many threads, all of which are distilled at once
REPLY = "It is as it was the last time, and nothing has to be done about that part of it before the end. "

_state = msgspec.json.Decoder(ThreadState)
_encode = msgspec.json.Encoder().encode


@dataclass
class Told:
    """What contexts of one thread told: when each turn was named first as one that leaves next, how many left, which
    of them before everything was drawn, and how long the longest request took (seconds)."""

    named: dict[int, float] = field(default_factory=dict)
    left: int = 0
    pending: set[int] = field(default_factory=set)
    longest: float = 0.0

    def take(self, recipe: Recipe, asked: float) -> None:
        for first, last in recipe.ahead:
            self.named.update({turn: asked for turn in range(first, last + 1) if turn not in self.named})
        self.left = max(self.left, recipe.left)
        self.pending |= set(recipe.pending)
        self.longest = max(self.longest, time.perf_counter() - asked)


class Reached:
    """When the documents of threads reflected that turns were distilled."""

    def __init__(self) -> None:
        self._times: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self.ready = asyncio.Event()

    async def follow(self, store: Store) -> None:
        async with store.thread.watch([subjects.states_filter()]) as changes:
            self.ready.set()
            async for change in changes:
                state = _state.decode(change.value) if change.value is not None else None
                if state is not None:
                    self._times[state.thread].append((state.distilled, time.perf_counter()))

    def since(self, thread: str, named: Mapping[int, float]) -> Iterable[float]:
        """Seconds from when turns were named until they were distilled, of those that are."""
        for turn, asked in named.items():
            at = next((at for distilled, at in self._times[thread] if distilled >= turn), None)
            if at is not None:
                yield at - asked


def said(number: int) -> tuple[Prompt, Response]:
    """What is said in a turn of about 600 tokens, with things that rules can draw."""
    asked = (
        f"Please look at part {number} and say what you find there. The ticket is OPS-{4000 + number}. "
        f"Remember that part {number} goes to room {number % 7}. We decided to ship it on Friday."
    )
    return Prompt(content=asked), Response(content=f"Part {number} is there. {REPLY * 22}")


async def beside(threads: int) -> list[Result]:
    """Conversations at their pace, distilled by rules and by a model; and so many threads at once, by rules."""
    async with place(WORKERS) as here, serving(here, "distillation") as worker:
        found = await conversations(here, worker, "rules")
        found += await many(here, worker, threads)
    with model(THINKS_SECONDS) as url:
        settings = {"model": f"openai:{MODEL}", "model_url": url, "model_key": "none"}
        async with place(WORKERS) as here, serving(here, "distillation", **settings) as worker:
            return found + await conversations(here, worker, f"a model of {THINKS_SECONDS:g} s")


async def conversations(here: Place, worker: int, by: str) -> list[Result]:
    """Some conversations at once; what left them undistilled, and how long distilling took."""
    names = [f"talk-{number}" for number in range(AT_ONCE)]
    spent = busy(worker)
    async with _store(here) as store, _following(store) as reached, _memory(here) as memory:
        apart = PACE_SECONDS / AT_ONCE
        told = await asyncio.gather(*(_talk(memory.thread(name), at * apart) for at, name in enumerate(names)))
        await settle(here)
        jobs = sum([len((await memory.thread(name).distillations()).distillations) for name in names])
        waited = [one for name, told_of in zip(names, told, strict=True) for one in reached.since(name, told_of.named)]
    spent = busy(worker) - spent
    left, pending = sum(one.left for one in told), sum(len(one.pending) for one in told)
    assert left > AT_ONCE, "turns left the contexts"
    return [
        Result(f"turns that left {AT_ONCE} conversations of {TURNS}, distilled by {by}", left),
        Result("  before everything was drawn from them", pending, at_most=0),
        Result("  from the request that names a turn to its facts, p50", statistics.median(waited) * 1000, "ms"),
        Result("  the longest", max(waited) * 1000, "ms"),
        Result("  ranges that were distilled", jobs),
        Result("  processor time of the worker for each", spent / jobs * 1000, "ms"),
        Result("  the longest request for a context", max(one.longest for one in told) * 1000, "ms"),
    ]


async def many(here: Place, worker: int, threads: int) -> list[Result]:
    """A job of each of very many threads at once, as if turns left all of them: how many turns a second are distilled,
    until their facts are in the documents."""
    names, turns = [f"many-{number}" for number in range(threads)], threads * EACH
    async with _store(here) as store, _memory(here) as memory:
        await asyncio.gather(*(_write(memory.thread(name)) for name in names))
        await settle(here)
        spent, start = busy(worker), time.perf_counter()
        await asyncio.gather(*(_submit(store, name) for name in names))
        await settle(here, ("distillation", "facts"))
        seconds, spent = time.perf_counter() - start, busy(worker) - spent
        for name in names:
            entry = await store.thread.get(subjects.state_key(name))
            assert entry is not None, name
            assert _state.decode(entry.value).distilled == EACH, name
    return [
        Result(f"{EACH} turns of each of {threads} threads, distilled at once by rules", turns / seconds, "/s"),
        Result("  processor time of the worker for each turn", spent / turns * 1000, "ms"),
    ]


async def _talk(thread: Thread, after: float) -> Told:
    """A conversation at its pace, with a context for each turn, that begins after so many seconds."""
    told, start = Told(), time.perf_counter() + after
    for number in range(1, TURNS + 1):
        await asyncio.sleep(max(start + (number - 1) * PACE_SECONDS - time.perf_counter(), 0.0))
        prompt, response = said(number)
        async with thread.turn(prompt.content) as turn:
            asked = time.perf_counter()
            told.take((await turn.context(window=WINDOW)).recipe, asked)
            await turn.append(response)
    return told


async def _write(thread: Thread) -> None:
    for number in range(1, EACH + 1):
        await thread.append(TurnOpened(), *said(number), TurnCommitted(), turn=f"k{number}")


async def _submit(store: Store, thread: str) -> None:
    job = DistilJob(thread=thread, up_to=EACH, position=0, window=WINDOW)
    await store.jobs.submit(subjects.job(store.space, "distil", thread), _encode(job))


@asynccontextmanager
async def _following(store: Store) -> AsyncIterator[Reached]:
    """What is reached, from now on."""
    reached = Reached()
    following = asyncio.create_task(reached.follow(store))
    try:
        await reached.ready.wait()
        yield reached
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


@asynccontextmanager
async def _store(here: Place) -> AsyncIterator[Store]:
    async with await connect(here.url, caller=Caller("worker", "bench")) as connection:
        yield await topology.ensure(connection, "default")


def _memory(here: Place) -> AbstractAsyncContextManager[Memory]:
    return Memory.connect(here.url, role="caller", principal="bench")
