"""A store that is full for a while, or without a quorum: what waits for it is kept, and nothing is told as final."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from fullness import filled, limited

from eunoe.runtime import topology
from eunoe.runtime.connection import Connection, connect
from eunoe.runtime.doors import Store, Stored, SystemClock
from eunoe.runtime.guard import Guard
from eunoe.runtime.jetstream import Full
from eunoe.runtime.pump import Pump
from eunoe.schemas import subjects
from eunoe.schemas.errors import OutcomeUnknown, Unreachable
from eunoe.schemas.subjects import Caller
from eunoe.testing import NatsServer

WORKER = Caller("worker", "test")


@pytest.fixture
async def small(nats_server: NatsServer, tmp_path: Path) -> AsyncIterator[Connection]:
    server = limited(tmp_path / "nats")
    server.start()
    try:
        async with await connect(server.url, caller=WORKER) as opened:
            yield opened
    finally:
        server.stop()


async def put(store: Store, subject: str) -> int:
    """Append until there is room for it."""
    with anyio.fail_after(20):
        while True:
            try:
                return (await store.log.append(subject, bytes(200_000))).seq
            except Full:
                await anyio.lowlevel.checkpoint()


async def test_a_full_store_says_so_and_takes_the_next_when_there_is_room(small: Connection, space: str) -> None:
    """Log and documents: `Full`, an `Unreachable`, with the way out; once there is room the same writes are done."""
    store = await topology.ensure(small, space)
    subject = subjects.chain_subject(space, "thread.a", "log")
    async with filled(small):
        with pytest.raises(Full, match=f"the store is full and refused {subject}: .*Give it more space"):
            await store.log.append(subject, bytes(200_000))
        with pytest.raises(Unreachable, match="the store is full"):
            await store.thread.put("k", bytes(200_000), expect=0)

    assert await put(store, subject) == 1
    assert await store.thread.put("k", b"x", expect=0) == 1


async def test_a_pump_waits_for_a_full_store(small: Connection, space: str) -> None:
    """What a handler cannot write is tried again until there is room; it is no dead letter."""
    store = await topology.ensure(small, space)
    refusals = anyio.Event()
    done = anyio.Event()

    async def handle(*messages: Stored) -> None:
        try:
            await store.thread.put("k", bytes(200_000))
        except Full:
            refusals.set()
            raise
        done.set()

    subject = subjects.chain_subject(space, "thread.a", "log")
    await store.log.append(subject, b"x")
    consumer = await store.log.consumer("work", [subject])
    pump = Pump(store, "work", handle, key=lambda message: message.subject, clock=SystemClock(), retry_seconds=0.01)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            async with filled(small):
                tasks.start_soon(pump.run, consumer)
                await refusals.wait()
            await done.wait()
            tasks.cancel_scope.cancel()

    assert (await store.dead.info()).count == 0
    assert pump.statistics()["dead"] == 0


# A cluster of three


@pytest.fixture
def cluster(nats_server: NatsServer, tmp_path: Path) -> Iterator[list[NatsServer]]:
    """Three nodes that form a cluster."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(3)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        ports = [probe.getsockname()[1] for probe in probes]
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in ports)
    servers = [
        NatsServer(
            tmp_path / f"n{number}",
            extra=f'server_name: n{number}\ncluster {{ name: c, listen: "127.0.0.1:{port}", routes: [{routes}] }}',
        )
        for number, port in enumerate(ports)
    ]
    with ThreadPoolExecutor(3) as pool:
        try:
            list(pool.map(NatsServer.start, servers))
            yield servers
        finally:
            list(pool.map(NatsServer.stop, servers))


async def test_a_lost_quorum_is_waited_for(cluster: list[NatsServer], space: str) -> None:
    """Two of three nodes killed and started again: nothing between is told as final, and then it is written."""
    async with await connect(cluster[0].url, caller=WORKER) as opened:
        store = await topology.ensure(opened, space, replicas=3)
        subject = subjects.chain_subject(space, "thread.a", "log")
        await store.log.append(subject, b"1")
        guard = Guard(opened, store, await topology.identity(opened, space), every=0.05)
        async with anyio.create_task_group() as tasks:
            for server in cluster[1:]:
                server.kill()
            tasks.start_soon(guard.run)
            with pytest.raises((OutcomeUnknown, Unreachable)):
                await store.log.append(subject, b"2", expect=(subject, 1))
            for server in cluster[1:]:
                await anyio.to_thread.run_sync(server.start)
            with anyio.fail_after(30):
                assert await written(store, subject) in (2, 3)
            await guard.sure()
            tasks.cancel_scope.cancel()


async def written(store: Store, subject: str) -> int:
    while True:
        try:
            return (await store.log.append(subject, b"3")).seq
        except (OutcomeUnknown, Unreachable):
            await anyio.lowlevel.checkpoint()
