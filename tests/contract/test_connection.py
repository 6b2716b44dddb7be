"""What the connection and its requests do on a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.lowlevel
import pytest
from nats.errors import FlushTimeoutError

from eunoe.runtime import topology
from eunoe.runtime.connection import Connection, connect
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.requester import NO_RESPONDERS, Requester
from eunoe.runtime.service import Service
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Denied, Misconfigured, OutcomeUnknown, TooLarge, Unreachable, WorkerMissing
from eunoe.schemas.subjects import Address, Caller
from eunoe.testing import NatsServer

T = TypeVar("T")
WORKER = Caller("worker", "test")
AGENT = Caller("agent", "ada")

PERMISSIONS = """
authorization { users = [
  { user: boss, password: secret }
  { user: ada, password: secret, permissions: {
      publish: ["eunoe.*.append.agent.ada.>"], subscribe: ["_INBOX_agent_ada.>"] } }
] }
"""


@asynccontextmanager
async def black_hole() -> AsyncIterator[str]:
    """A server that greets, answers pings, takes everything, and acknowledges nothing."""
    info = b'INFO {"server_id":"x","version":"2.15.1","max_payload":8388608,"headers":true,"proto":1}\r\n'

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(info)
        while data := await reader.read(65536):
            for _ in range(data.count(b"PING\r\n")):
                writer.write(b"PONG\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def retried(attempt: Callable[[], Awaitable[T]]) -> T:
    """The outcome of a write that is tried again, under the same key, while its outcome is unknown."""
    with anyio.fail_after(15):
        while True:
            try:
                return await attempt()
            except OutcomeUnknown:
                await anyio.lowlevel.checkpoint()


async def echo(address: Address, data: bytes) -> bytes:
    return data


async def test_nothing_there_is_unreachable() -> None:
    """Nobody listens: the first connection gives up after a few seconds and says how to start a server."""
    with pytest.raises(Unreachable, match="eunoe up"):
        await connect("nats://127.0.0.1:9", caller=WORKER)


@pytest.mark.parametrize("first", [True, False])
async def test_of_several_servers_one_is_enough(own_server: NatsServer, first: bool) -> None:
    """The first of the list is down, or the second: connected, and again once the server is back."""
    urls = ["nats://127.0.0.1:9", own_server.url]
    async with await connect(",".join(urls if first else reversed(urls)), caller=WORKER) as opened:
        jetstream = JetStream(await Requester.open(opened))
        assert await jetstream.api("INFO")
        own_server.kill()
        own_server.start()
        with anyio.fail_after(15):
            assert await jetstream.again("JetStream", lambda: jetstream.api("INFO"))


async def test_what_cannot_be_reached_is_said_without_its_password(own_server: NatsServer) -> None:
    """Neither the error nor the connection tells a password in the URL."""
    with pytest.raises(Unreachable, match=r"no server can be reached at nats://\*\*\*@127\.0\.0\.1:9 ") as refused:
        await connect("nats://u:secret@127.0.0.1:9", caller=WORKER)
    async with await connect(own_server.url.replace("//", "//u:secret@"), caller=WORKER) as opened:
        assert opened.url == own_server.url.replace("//", "//***@")

    assert "secret" not in str(refused.value)
    assert str(refused.value).endswith("or none: then the one of `eunoe up` on this machine is found.")


async def test_a_wrong_password_is_denied(tmp_path: Path) -> None:
    """A refused user is told so at once, not as an absent server."""
    server = NatsServer(tmp_path, extra=PERMISSIONS)
    server.start()
    try:
        with pytest.raises(Denied, match="password"):
            await connect(server.url, caller=WORKER, user="boss", password="wrong")
    finally:
        server.stop()


async def test_too_small_messages_are_misconfigured(tmp_path: Path) -> None:
    """A server whose messages are too small is refused with the line to set."""
    server = NatsServer(tmp_path, max_payload=1024 * 1024)
    server.start()
    try:
        with pytest.raises(Misconfigured, match=f"max_payload: {limits.MAX_PAYLOAD}"):
            await connect(server.url, caller=WORKER)
    finally:
        server.stop()


async def test_headers_count_towards_the_limit(connection: Connection) -> None:
    """A payload that fits alone but not with its headers is refused before it is sent; the connection lives."""
    requester = await Requester.open(connection)
    jetstream = JetStream(requester)

    with pytest.raises(TooLarge):
        await jetstream.publish("x", bytes(connection.max_payload - 10), [("Nats-Msg-Id", "a" * 40)])

    assert connection.connected
    assert await jetstream.api("INFO")


async def test_a_denied_publish_is_named(tmp_path: Path) -> None:
    """An agent that asks for what it may not is denied, at once and by the subject's name."""
    server = NatsServer(tmp_path, extra=PERMISSIONS)
    server.start()
    try:
        async with await connect(server.url, caller=AGENT, user="ada", password="secret") as opened:
            requester = await Requester.open(opened)
            with anyio.fail_after(5), pytest.raises(Denied, match=r"eunoe\.a\.append\.person\.boss\.t1"):
                await requester.request("eunoe.a.append.person.boss.t1", b"")
            assert opened.statistics()["denied"] == 1
    finally:
        server.stop()


async def test_a_foreign_inbox_is_denied(tmp_path: Path) -> None:
    """An agent that may not read the inbox of the principal it claims to be hears it when it begins, each time."""
    server = NatsServer(tmp_path, extra=PERMISSIONS)
    server.start()
    try:
        async with await connect(server.url, caller=AGENT, user="ada", password="secret") as opened:
            for _ in range(50):
                with pytest.raises(Denied, match="_INBOX_person_eve"):
                    await Requester.open(opened, Caller("person", "eve"))
    finally:
        server.stop()


async def test_no_acknowledgement_is_an_unknown_outcome() -> None:
    """A store that takes a message and never acknowledges it: unknown, within the deadline (F33)."""
    async with black_hole() as url, await connect(url, caller=WORKER) as opened:
        jetstream = JetStream(await Requester.open(opened))
        with anyio.fail_after(5), pytest.raises(OutcomeUnknown, match="Retry under the same key"):
            await jetstream.publish("x.log", b"x", (("Nats-Msg-Id", "1"),), timeout=0.2)
        assert opened.connected


async def test_an_answer_to_a_flush_that_was_given_up_is_no_harm(own_server: NatsServer) -> None:
    """The server answers again after a flush timed out, and after one was cancelled: the next request is answered."""
    async with await connect(own_server.url, caller=WORKER) as opened:
        jetstream = JetStream(await Requester.open(opened))
        own_server.freeze()
        try:
            with pytest.raises(FlushTimeoutError):
                await opened.client.flush(timeout=1)
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(opened.client.flush)
                    await anyio.wait_all_tasks_blocked()
                    scope.cancel()
        finally:
            own_server.thaw()

        with anyio.fail_after(5):
            assert await jetstream.api("INFO")
        assert opened.statistics()["disconnects"] == 0


async def test_a_worker_that_is_not_there_is_named(connection: Connection, space: str) -> None:
    """Nobody serves the verb: the request fails at once and names it."""
    requester = await Requester.open(connection)

    with pytest.raises(WorkerMissing) as raised:
        await requester.request(subjects.request(space, "compose", WORKER), b"")
    assert raised.value.detail == {"verb": "compose", "space": space}


async def test_a_lost_connection_ends_what_is_in_flight(own_server: NatsServer, space: str) -> None:
    """A request in flight when the server goes is unknown at once, not after its time-out."""
    async with await connect(own_server.url, caller=WORKER) as opened:
        entered, done = anyio.Event(), anyio.Event()

        async def hold(address: Address, data: bytes) -> bytes:
            entered.set()
            await done.wait()
            return b""

        requester = await Requester.open(opened)
        service = Service(opened, space, "audit", {"append": hold})
        async with anyio.create_task_group() as tasks:
            await tasks.start(service.run)

            async def ask() -> None:
                with pytest.raises(OutcomeUnknown, match="lost"):
                    await requester.request(subjects.request(space, "append", WORKER), b"", timeout=60)

            with anyio.fail_after(20):
                async with anyio.create_task_group() as asking:
                    asking.start_soon(ask)
                    await entered.wait()
                    own_server.kill()
            done.set()
            tasks.cancel_scope.cancel()


@pytest.mark.parametrize("anyio_backend", [("asyncio", {"use_uvloop": fast}) for fast in (False, True)])
async def test_a_write_to_a_connection_that_is_just_lost_fails_and_the_next_do_not(own_server: NatsServer) -> None:
    """It is closed before the client has heard of that: whoever writes hears of it as of any lost connection, with both
    event loops, and what is written once it is back is sent, also what came together."""
    caller = Caller("worker", "test")
    async with await connect(own_server.url, caller=caller) as opened:
        requester = await Requester.open(opened)
        opened.client._transport._io_writer.transport.abort()  # type: ignore[union-attr]
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(lost, requester)
        await opened.available(10)
        with pytest.raises(WorkerMissing):
            await requester.request(subjects.request("s", "head", caller), b"", timeout=5)


async def test_commands_with_more_to_come_leave_together(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits for more leaves in order with the next command that does not, in one write, or at the end of the turn
    of the event loop; what follows a write in the same turn waits for that end too."""
    transport = connection.client._transport
    assert transport is not None
    writes, write = list[list[bytes]](), transport.write

    def seen(data: bytes) -> None:
        writes.append([line.split(b" ")[1] for line in data.split(b"\r\n") if line.startswith(b"PUB ")])
        write(data)

    monkeypatch.setattr(transport, "write", seen)
    await anyio.lowlevel.checkpoint()

    for name in "ab":
        await connection.publish(name, b"", more=True)
    assert writes == []
    await connection.publish("c", b"")
    await connection.publish("d", b"", more=True)
    await connection.publish("e", b"")
    assert writes == [[b"a", b"b", b"c"]]
    await anyio.lowlevel.checkpoint()
    assert writes == [[b"a", b"b", b"c"], [b"d", b"e"]]

    await connection.publish("f", b"", more=True)
    await anyio.lowlevel.checkpoint()
    assert writes[2:] == [[b"f"]]


async def test_who_writes_waits_while_the_connection_takes_no_more(connection: Connection) -> None:
    """Also who is not the first in a turn of the event loop: else what waits to be written grows without end."""
    transport: Any = connection.client._transport
    protocol, sent = transport._io_writer.transport.get_protocol(), list[str]()

    async def publish(name: str) -> None:
        await connection.publish(name, b"")
        sent.append(name)

    protocol.pause_writing()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(publish, "a")
        tasks.start_soon(publish, "b")
        await anyio.wait_all_tasks_blocked()
        assert sent == []
        protocol.resume_writing()
    assert sent == ["a", "b"]


async def test_a_request_with_more_to_come_is_answered_though_nothing_comes(connection: Connection, space: str) -> None:
    """It is sent at the end of the turn in which it was made."""
    requester = await Requester.open(connection)

    call = await requester.send(subjects.request(space, "head", connection.caller), b"", timeout=5, more=True)

    assert (await call.take(5)).status == NO_RESPONDERS


async def test_several_requests_of_one_subject_leave_in_one_write(
    connection: Connection, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a call of its own, which gets its own answer; none are nothing at all."""
    requester = await Requester.open(connection)
    transport = connection.client._transport
    assert transport is not None
    writes, write = list[int](), transport.write

    def seen(data: bytes) -> None:
        writes.append(data.count(b"PUB "))
        write(data)

    monkeypatch.setattr(transport, "write", seen)
    subject = subjects.request(space, "head", connection.caller)

    calls = await requester.send_each(subject, [b"1", b"22", b"333"], timeout=5)

    assert writes == [3]
    assert [(await call.take(5)).status for call in calls] == [NO_RESPONDERS] * 3
    assert await requester.send_each(subject, [], timeout=5) == []
    assert writes == [3]


async def lost(requester: Requester) -> None:
    with pytest.raises(OutcomeUnknown):
        await requester.request(subjects.request("s", "head", requester.caller), b"", timeout=5)


async def test_it_goes_on_after_a_restart(own_server: NatsServer, space: str) -> None:
    """After the server was killed and started again, the same doors write, read, fetch and answer."""
    async with await connect(own_server.url, caller=WORKER) as opened:
        store = await topology.ensure(opened, space)
        requester = await Requester.open(opened)
        subject = subjects.chain_subject(space, "thread.a", "log")
        await store.log.append(subject, b"1")
        consumer = await store.log.consumer("work", [subject])
        (first,) = await consumer.fetch(1, 5)
        await first.ack()
        async with anyio.create_task_group() as tasks:
            await tasks.start(Service(opened, space, "audit", {"append": echo}).run)
            own_server.kill()
            own_server.start()

            done = await retried(lambda: store.log.append(subject, b"2", expect=(subject, 1)))
            assert done.seq == 2
            assert [one.data async for one in store.log.scan()] == [b"1", b"2"]
            found = await consumer.fetch(1, 10)
            assert found
            assert found[0].message.data in (b"1", b"2")  # acknowledgements may roll back after a kill
            assert await requester.request(subjects.request(space, "append", WORKER), b"x") == b"x"
            tasks.cancel_scope.cancel()
        assert opened.statistics()["reconnects"] == 1


async def test_a_watch_goes_on_after_a_restart(own_server: NatsServer, space: str) -> None:
    """A watch misses nothing over a restart and gives nothing twice."""
    async with await connect(own_server.url, caller=WORKER) as opened:
        store = await topology.ensure(opened, space)
        await store.thread.put("a", b"1")
        async with store.thread.watch() as changes:
            assert (await anext(changes)).revision == 1
            own_server.kill()
            own_server.start()
            await retried(lambda: store.thread.put("b", b"2", expect=0))
            with anyio.fail_after(5):
                assert (await anext(changes)).revision == 2


async def test_a_watch_that_does_not_resume_ends_with_the_connection(own_server: NatsServer, space: str) -> None:
    """Who holds what it brought hears of the interruption, and reads everything again."""
    async with await connect(own_server.url, caller=WORKER) as opened:
        store = await topology.ensure(opened, space)
        await store.thread.put("a", b"1")
        async with store.thread.watch(after=0, resume=False) as changes:
            assert (await anext(changes)).revision == 1
            own_server.kill()
            own_server.start()
            with anyio.fail_after(5), pytest.raises((OutcomeUnknown, Unreachable)):
                await anext(changes)


async def test_a_follower_finds_out_that_its_stream_was_replaced(connection: Connection, space: str) -> None:
    """Streams have an identity: one that was removed and made again is another one (F114)."""
    await topology.ensure(connection, space)
    before = await topology.identity(connection, space)
    jetstream = JetStream(await Requester.open(connection))

    await jetstream.api(f"STREAM.DELETE.{subjects.log_stream(space)}")
    await topology.ensure(connection, space)

    assert topology.changed(before, await topology.identity(connection, space)) == [subjects.log_stream(space)]


async def test_one_cancelled_request_does_not_disturb_the_others(connection: Connection, space: str) -> None:
    """Of 50 requests at once one is cancelled: the other 49 answer, and the next one works (F32)."""
    requester = await Requester.open(connection)
    release = anyio.Event()
    answers: list[bytes] = []

    async def hold(address: Address, data: bytes) -> bytes:
        await release.wait()
        return data

    async def ask(number: int, scope: anyio.CancelScope) -> None:
        with scope:
            answers.append(await requester.request(subjects.request(space, "facts", WORKER), b"%d" % number))

    async with anyio.create_task_group() as tasks:
        await tasks.start(Service(connection, space, "facts", {"facts": hold}).run)
        async with anyio.create_task_group() as asking:
            scopes = [anyio.CancelScope() for _ in range(50)]
            for number, scope in enumerate(scopes):
                asking.start_soon(ask, number, scope)
            await anyio.wait_all_tasks_blocked()
            scopes[17].cancel()
            release.set()
        assert await requester.request(subjects.request(space, "facts", WORKER), b"next") == b"next"
        tasks.cancel_scope.cancel()

    assert sorted(map(int, answers)) == [number for number in range(50) if number != 17]


async def test_a_long_answer_comes_in_parts(connection: Connection, space: str) -> None:
    """An answer of three parts arrives whole, several at once."""
    requester = await Requester.open(connection)
    long = bytes(range(256)) * ((2 * limits.PART_BYTES + 1000) // 256)

    async def big(address: Address, data: bytes) -> bytes:
        return data + long

    found: list[bytes] = []

    async def ask(number: int) -> None:
        found.append(await requester.request(subjects.request(space, "show", WORKER), b"%d" % number))

    async with anyio.create_task_group() as tasks:
        await tasks.start(Service(connection, space, "audit", {"show": big}).run)
        async with anyio.create_task_group() as asking:
            for number in range(4):
                asking.start_soon(ask, number)
        tasks.cancel_scope.cancel()

    assert sorted(found) == [b"%d" % number + long for number in range(4)]
