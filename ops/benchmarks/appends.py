"""Appends against the same bytes published bare with nats-py."""

from __future__ import annotations

import asyncio
import statistics
import time

import msgspec

import nats
from benchmarks.place import Place, Result, median_ms, timed
from eunoe.client import Memory
from eunoe.runtime.connection import connect
from eunoe.runtime.remote import RemoteAuditor
from eunoe.runtime.requester import Requester
from eunoe.schemas import limits, subjects
from eunoe.schemas.events import Prompt, Response, TurnOpened
from eunoe.schemas.requests import AppendRequest
from eunoe.schemas.subjects import Caller

CONTENT = "x" * 1000
ROUNDS = 20  # the three are measured in turns, so that a slow moment of the machine hits all of them
THREADS = 32


async def one_at_a_time(here: Place, count: int) -> list[Result]:
    """One awaited append of one event, against one awaited publish and one request of the same size."""
    bare = await nats.connect(here.url)
    stream = bare.jetstream()
    await stream.add_stream(name="bare", subjects=["bare.stream.>"])
    connection = await connect(here.url, caller=Caller("agent", "bench"))
    auditor = RemoteAuditor(await Requester.open(connection), "default", connection.caller)
    chain = subjects.thread_chain("bench-one")
    n = 0

    async def append() -> None:
        nonlocal n
        n += 1
        events = (Prompt(content=CONTENT),) if n > 1 else (TurnOpened(), Prompt(content=CONTENT))
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer="bench", n=n, turn="k", events=events)
        await auditor.append(chain, request)

    sample = AppendRequest(v=1, producer="bench", n=1, turn="k", events=(Prompt(content=CONTENT),))
    payload = msgspec.json.encode(sample)
    await append()
    publishes, echoes, appends, ratios = list[float](), list[float](), list[float](), list[float]()
    for _ in range(ROUNDS):
        published = await timed(count // ROUNDS, lambda: stream.publish("bare.stream.a", payload))
        echoed = await timed(count // ROUNDS, lambda: bare.request("bare.echo", payload))
        appended = await timed(count // ROUNDS, append)
        ratios.append(statistics.median(appended) / (statistics.median(published) + statistics.median(echoed)))
        publishes, echoes, appends = publishes + published, echoes + echoed, appends + appended
    await connection.close()
    await bare.close()
    return [
        Result("one bare awaited publish", median_ms(publishes), "ms"),
        Result("one bare request and reply", median_ms(echoes), "ms"),
        Result("one acknowledged append of one event", median_ms(appends), "ms"),
        Result("  against publish + request, p50 of the rounds", statistics.median(ratios), "x", at_most=1.3),
    ]


async def many_threads(here: Place, count: int) -> list[Result]:
    """Messages a second from 32 threads at once, against `gather` of as many bare publishes at once."""
    bare = await nats.connect(here.url)
    stream = bare.jetstream()
    payload = CONTENT.encode()

    async def publish(lane: int) -> None:
        for _ in range(count // THREADS):
            await stream.publish(f"bare.stream.{lane}", payload)

    async def speak(memory: Memory, lane: int) -> None:
        async with memory.thread(f"bench-{lane}").turn("begin") as turn:
            said = [turn.append(Response(content=CONTENT)) for _ in range(count // THREADS)]
            await asyncio.gather(*said)

    start = time.perf_counter()
    await asyncio.gather(*(publish(lane) for lane in range(THREADS)))
    plain = count / (time.perf_counter() - start)
    await bare.close()
    async with Memory.connect(here.url, role="agent", principal="bench") as memory:
        start = time.perf_counter()
        await asyncio.gather(*(speak(memory, lane) for lane in range(THREADS)))
        ours = count / (time.perf_counter() - start)
    return [
        Result("bare publishes from 32 tasks", plain, "/s"),
        Result("messages appended from 32 threads", ours, "/s"),
        Result("  against bare publishes", ours / plain, "x", at_least=0.6),
    ]
