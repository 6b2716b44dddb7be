"""Compositions, from client to worker to client: warm and cold, stored and not, one thread and very many."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence
from functools import partial

from benchmarks import asking, threads
from benchmarks.asking import OWN, PROMPT, SHARED, WINDOW
from benchmarks.cold import cold, copied
from benchmarks.place import Place, Result, apart, median_ms, resident, settle, timed
from eunoe.client import Memory
from eunoe.client.thread import Thread
from eunoe.schemas import limits, subjects
from eunoe.schemas.events import Usage
from eunoe.schemas.requests import AppendRequest

ROUNDS = 10  # the threads are measured in turns, so that a slow moment of the machine hits all of them
WORKERS = "audit facts"  # beside composition, which has processes of its own
COMPOSED = 50  # turns of a thread that is composed as an agent does it, with a recipe for each
REPLICAS = 2


async def contexts(here: Place, lengths: Sequence[int], many: int, count: int) -> list[Result]:
    """Threads of each length, and ``many`` short ones, with facts in every scope: all that is measured of them. But
    where many are composed at once, the server has a core of its own."""
    await fill(here, lengths, many)
    asked = [f"turns-{length}" for length in lengths]
    found = await cold(here, asked, "nobody has a recipe of it")
    with apart(here):
        async with asking.composition(here), asking.agent(here) as memory:
            found += await warm(memory, lengths, count)
            found += await stored(here, memory, count)
            for name in asked:
                await _stored(asking.thread(memory, name), 1)
            for number in range(1, COMPOSED + 1):
                await _worked(asking.thread(memory, "composed"), number)
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
        await threads.write(here, name, turns, asking.session(name))
        await threads.state(here, "thread", name, "note", OWN)
        await threads.state(here, "session", asking.session(name), "service", OWN)
    await threads.state(here, "permanent", "shared", "entity", SHARED)
    await settle(here, ("facts",))


async def warm(memory: Memory, lengths: Sequence[int], count: int) -> list[Result]:
    """Contexts of threads that a worker holds; the longest against the shortest."""
    times: dict[int, list[float]] = {length: [] for length in lengths}
    for _ in range(ROUNDS):
        for length in lengths:
            ask = partial(asking.ask, asking.thread(memory, f"turns-{length}"))
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
            seconds += await _stored(asking.thread(memory, "stored"), max(count // ROUNDS, 1))
    ratio = statistics.median(seconds) / statistics.median(appends)
    return [
        Result("warm context with its recipe stored, p50", median_ms(seconds), "ms"),
        Result("warm context with its recipe stored, p99", _share(seconds, 0.99) * 1000, "ms"),
        Result("  against an append by itself", ratio, "x"),
    ]


async def at_once(here: Place, many: int) -> list[Result]:
    """As many threads composed at once by two workers: how many a second, first cold and then warm, and the memory."""
    two = asking.composition(here), asking.composition(here)
    async with two[0] as one, two[1] as other, asking.agent(here) as memory:
        named = [asking.thread(memory, f"many-{number}") for number in range(many)]
        for _ in range(2 * REPLICAS):
            await asking.ask(asking.thread(memory, "warmed"))
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
    await asyncio.gather(*map(asking.ask, named))
    return len(named) / (time.perf_counter() - start)


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


def _share(seconds: Sequence[float], share: float) -> float:
    return sorted(seconds)[int(len(seconds) * share)]
