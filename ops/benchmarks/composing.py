"""Compositions of threads of very different length."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from functools import partial

from benchmarks.place import Place, Result, median_ms, settle, timed
from eunoe.client import Memory
from eunoe.runtime.connection import connect
from eunoe.runtime.remote import RemoteAuditor
from eunoe.runtime.requester import Requester
from eunoe.schemas import limits, subjects
from eunoe.schemas.events import Event, Prompt, Response, ToolCall, ToolResult, TurnCommitted, TurnOpened
from eunoe.schemas.requests import AppendRequest
from eunoe.schemas.subjects import Caller

WINDOW = 8192  # tokens
LANES = 8


def turn(number: int) -> tuple[Event, ...]:
    """A turn of about 600 tokens with one tool call."""
    output = "\n".join(f"line {line} of turn {number}: all is well" for line in range(40))
    return (
        TurnOpened(),
        Prompt(content=f"Please look at part {number} and say what you find there."),
        ToolCall(call=f"c{number}", tool="bash", content=f'{{"command":"cat part-{number}.txt"}}'),
        ToolResult(call=f"c{number}", tool="bash", content=output, exit_status=0),
        Response(content=f"Part {number} has forty lines and nothing is wrong with it. " * 8),
        TurnCommitted(),
    )


async def fill(here: Place, thread: str, turns: int) -> None:
    """A thread of that many committed turns."""
    connection = await connect(here.url, caller=Caller("agent", "bench"))
    auditor = RemoteAuditor(await Requester.open(connection), "default", connection.caller)
    for n in range(1, turns + 1):
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer="fill", n=n, turn=f"k{n}", events=turn(n))
        await auditor.append(subjects.thread_chain(thread), request)
    await connection.close()


async def by_length(here: Place, lengths: Sequence[int], count: int) -> list[Result]:
    """A cold composition, then warm ones, for threads of each length; the longest against the shortest."""
    await asyncio.gather(*(fill(here, f"turns-{length}", length) for length in lengths))
    await settle(here)
    found: list[Result] = []
    medians: list[float] = []
    async with Memory.connect(here.url, role="agent", principal="bench") as memory:
        threads = {length: memory.thread(f"turns-{length}") for length in lengths}
        for length, thread in threads.items():
            cold = await timed(1, partial(thread.context, window=WINDOW))
            found.append(Result(f"cold context of {length:,} turns", median_ms(cold), "ms"))
        times: dict[int, list[float]] = {length: [] for length in lengths}
        for _ in range(10):
            for length, thread in threads.items():
                times[length] += await timed(count // 10, partial(thread.context, window=WINDOW))
    for length in lengths:
        medians.append(statistics.median(times[length]))
        found.append(Result(f"warm context of {length:,} turns, p50", median_ms(times[length]), "ms", at_most=5.0))
        p99 = sorted(times[length])[int(len(times[length]) * 0.99)]
        found.append(Result(f"warm context of {length:,} turns, p99", p99 * 1000, "ms"))
    name = f"  the longest ({lengths[-1]:,}) against the shortest ({lengths[0]:,})"
    return [*found, Result(name, medians[-1] / medians[0], "x", at_most=1.2)]
