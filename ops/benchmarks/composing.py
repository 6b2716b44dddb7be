"""Compositions, from client to worker to client: warm and cold, stored and not, one thread and very many."""

from __future__ import annotations

import asyncio
import secrets
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

from benchmarks import threads
from benchmarks.place import Place, Result, median_ms, resident, serving, settle, timed
from eunoe.client import Memory
from eunoe.client.thread import Thread
from eunoe.schemas import limits, subjects
from eunoe.schemas.events import Usage
from eunoe.schemas.requests import AppendRequest
from eunoe.testing import RedisServer

WINDOW = 8192  # tokens
OWN = 100  # facts of each thread, and as many of its session
SHARED = 100  # facts that everyone sees
PROMPT = "Please go on with value number 7 of part 3, and say what is left to be done."
ROUNDS = 10  # the threads are measured in turns, so that a slow moment of the machine hits all of them
WORKERS = "audit facts"  # beside composition, which has processes of its own
COMPOSED = 50  # turns of a thread that is composed as an agent does it, with a recipe for each
STARTS = 5  # composition workers that are started one after the other, to see each thread for the first time
REPLICAS = 2


async def contexts(here: Place, lengths: Sequence[int], many: int, count: int) -> list[Result]:
    """Threads of each length, and ``many`` short ones, with facts in every scope: all that is measured of them."""
    await fill(here, lengths, many)
    asked = [f"turns-{length}" for length in lengths]
    found = await cold(here, asked, "nobody has a recipe of it")
    async with _serving(here), _memory(here) as memory:
        found += await warm(memory, lengths, count)
        found += await stored(here, memory, count)
        for name in asked:
            await _stored(_thread(memory, name), 1)
        for number in range(1, COMPOSED + 1):
            await _worked(_thread(memory, "composed"), number)
    await threads.extracted(here, "composed", lengths[0] + COMPOSED)
    await settle(here, ("facts",))
    found += await cold(here, asked, "with a stored recipe", at_most=15.0)
    found += await cold(here, ["composed"], "composed by an agent for fifty turns")
    return found + await copied(here, [*asked, "composed"]) + await at_once(here, many)


async def fill(here: Place, lengths: Sequence[int], many: int) -> None:
    """The threads, their facts and their sessions' facts, and what everyone sees."""
    short = lengths[0]
    named = [
        ("warmed", short),
        ("stored", short),
        ("composed", short),
        *((f"turns-{length}", length) for length in lengths),
    ]
    named += [(f"many-{number}", 20) for number in range(many)]
    for name, turns in named:
        await threads.write(here, name, turns, _session(name))
        await threads.state(here, "thread", name, "note", OWN)
        await threads.state(here, "session", _session(name), "service", OWN)
    await threads.state(here, "permanent", "shared", "entity", SHARED)
    await settle(here, ("facts",))


async def copied(here: Place, names: Sequence[str]) -> list[Result]:
    """The same where another worker put copies of the threads into a Redis."""
    with tempfile.TemporaryDirectory(prefix="eunoe-bench-redis-") as folder:
        redis = RedisServer(Path(folder))
        settings = {"redis_url": redis.start(), "redis_secret": secrets.token_hex(16)}
        try:
            async with _serving(here, **settings), _memory(here) as memory:
                for name in ("warmed", "stored", *names):
                    await _ask(_thread(memory, name))
            return await cold(here, names, "from a copy in Redis", at_most=15.0, **settings)
        finally:
            redis.stop()


async def cold(
    here: Place, names: Sequence[str], what: str, at_most: float | None = None, **settings: str
) -> list[Result]:
    """First contexts of workers that never saw these threads: nothing of them, nor of their sessions, is in memory.

    Two other threads were composed before, one of them with a recipe once there are any, so a worker has its code
    loaded, and what everyone sees is held by its watch.
    """
    times: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(STARTS):
        async with _serving(here, **settings), _memory(here) as memory:
            for name in ("warmed", "stored"):
                await _ask(_thread(memory, name))
            for name in names:
                times[name] += await timed(1, partial(_ask, _thread(memory, name)))
    return [
        Result(f"cold context of {name}, {what}", median_ms(took), "ms", at_most=at_most)
        for name, took in times.items()
    ]


async def warm(memory: Memory, lengths: Sequence[int], count: int) -> list[Result]:
    """Contexts of threads that a worker holds; the longest against the shortest."""
    times: dict[int, list[float]] = {length: [] for length in lengths}
    for _ in range(ROUNDS):
        for length in lengths:
            ask = partial(_ask, _thread(memory, f"turns-{length}"))
            await ask()
            times[length] += await timed(max(count // ROUNDS, 1), ask)
    found: list[Result] = []
    for length, seconds in times.items():
        what = f"warm context of {length:,} turns and {2 * OWN + SHARED} facts"
        found.append(Result(f"{what}, p50", median_ms(seconds), "ms", at_most=3.0))
        found.append(Result(f"{what}, p99", _share(seconds, 0.99) * 1000, "ms", at_most=10.0))
    ratio = statistics.median(times[lengths[-1]]) / statistics.median(times[lengths[0]])
    return [
        *found,
        Result(f"  the longest ({lengths[-1]:,}) against the shortest ({lengths[0]:,})", ratio, "x", at_most=1.2),
    ]


async def stored(here: Place, memory: Memory, count: int) -> list[Result]:
    """What storing the recipe adds, against an append by itself."""
    chain, n = subjects.thread_chain("appended-to"), 0
    seconds, appends = [], []
    async with threads.auditing(here, threads.CALLER) as auditor:

        async def append() -> None:
            nonlocal n
            n += 1
            events = (Usage(input_tokens=n),) if n > 1 else threads.turn(1, "")[:1]
            request = AppendRequest(v=limits.SCHEMA_VERSION, producer="bench", n=n, turn="k", events=events)
            await auditor.append(chain, request)

        await append()
        for _ in range(ROUNDS):
            appends += await timed(max(count // ROUNDS, 1), append)
            seconds += await _stored(_thread(memory, "stored"), max(count // ROUNDS, 1))
    ratio = statistics.median(seconds) / statistics.median(appends)
    return [
        Result("warm context with its recipe stored, p50", median_ms(seconds), "ms"),
        Result("warm context with its recipe stored, p99", _share(seconds, 0.99) * 1000, "ms"),
        Result("  against an append by itself", ratio, "x"),
    ]


async def at_once(here: Place, many: int) -> list[Result]:
    """As many threads composed at once by two workers: how many a second, first cold and then warm, and the memory."""
    async with _serving(here) as one, _serving(here) as other, _memory(here) as memory:
        named = [_thread(memory, f"many-{number}") for number in range(many)]
        for _ in range(2 * REPLICAS):
            await _ask(_thread(memory, "warmed"))
        before = resident(one) + resident(other)
        first = await _rate(named)
        held = resident(one) + resident(other) - before
        await _rate(named)
        again = await _rate(named)
    return [
        Result(f"{many} threads composed at once by {REPLICAS} workers, cold", first, "/s"),
        Result("  again, most of them warm", again, "/s"),
        Result(f"  resident memory for {many} threads of 20 turns, {2 * OWN} facts each", held, "MiB", at_most=256),
    ]


async def _rate(named: Sequence[Thread]) -> float:
    """Contexts a second, of all these threads asked for at once; any that fails ends the benchmark."""
    start = time.perf_counter()
    await asyncio.gather(*map(_ask, named))
    return len(named) / (time.perf_counter() - start)


async def _ask(thread: Thread) -> None:
    context = await thread.context(window=WINDOW, prompt=PROMPT)
    assert len(context.recipe.earlier) > 1, "the facts are in the context"


async def _stored(thread: Thread, count: int) -> list[float]:
    """Seconds of contexts of one open turn, each logged before it is handed out."""
    async with thread.turn(PROMPT) as turn:
        return await timed(count, lambda: turn.context(window=WINDOW))


async def _worked(thread: Thread, number: int) -> None:
    """A turn as an agent works: a context for each call of its model, and what came of it."""
    said = threads.turn(number, thread.session)
    async with thread.turn(PROMPT) as turn:
        await turn.context(window=WINDOW)
        await turn.append(*said[2:4])
        await turn.context(window=WINDOW)
        await turn.append(said[4])


def _serving(here: Place, **settings: str) -> AbstractAsyncContextManager[int]:
    """A composition worker. Nothing is distilled here, and it is not to wait for that: what it looks at beyond the
    turns that it shows are those of which something is still to be drawn."""
    return serving(here, "composition", distiller="off", **settings)


def _memory(here: Place) -> AbstractAsyncContextManager[Memory]:
    return Memory.connect(here.url, role="agent", principal=threads.AGENT.principal)


def _thread(memory: Memory, name: str) -> Thread:
    return memory.thread(name, session=_session(name))


def _session(thread: str) -> str:
    return f"of-{thread}"


def _share(seconds: Sequence[float], share: float) -> float:
    return sorted(seconds)[int(len(seconds) * share)]
