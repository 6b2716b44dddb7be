"""Streams are made once, verified always, and refused when they could lose memory."""

from __future__ import annotations

from typing import Any

import anyio
import msgspec
import pytest

from eunoe.runtime import policies, topology
from eunoe.runtime.connection import Connection, connect
from eunoe.runtime.doors import Buckets, Store
from eunoe.runtime.guard import Guard
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.requester import Requester
from eunoe.schemas import subjects
from eunoe.schemas.errors import Damaged, Invalid, Misconfigured
from eunoe.schemas.facts import Origin
from eunoe.schemas.subjects import Caller
from eunoe.testing import NatsServer


async def test_eight_workers_start_on_an_empty_server_at_once(own_server: NatsServer) -> None:
    """Streams are made once and every worker gets its doors; what each then writes is stored (F18)."""
    written: list[int] = []

    async def start(number: int) -> None:
        async with await connect(own_server.url, caller=Caller("worker", f"w{number}")) as opened:
            store = await topology.ensure(opened, "one")
            written.append((await store.log.append("eunoe.one.thread.a.log", b"%d" % number)).seq)

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(start, number)

    assert sorted(written) == list(range(1, 9))


async def test_what_is_made_is_what_is_wanted(connection: Connection, space: str) -> None:
    """A second start finds nothing wrong with the streams that the first one made."""
    first = await topology.ensure(connection, space)
    await first.log.append(f"eunoe.{space}.thread.a.log", b"x")

    second = await topology.ensure(connection, space)

    assert (await second.log.info()).count == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"max_age": 3_600_000_000_000}, "--max-age=0s"),
        ({"max_msgs": 1000}, "--max-msgs=-1"),
        ({"max_bytes": 1_000_000}, "--max-bytes=-1"),
        ({"max_msgs_per_subject": 5}, "--max-msgs-per-subject=-1"),
        ({"allow_direct": False}, "--allow-direct"),
        ({"storage": "memory"}, "memory storage"),
        ({"retention": "interest"}, "interest retention"),
        ({"allow_msg_ttl": True}, "allow_msg_ttl"),
        ({"deny_delete": True}, "deny_delete"),
    ],
)
async def test_a_log_that_could_lose_memory_is_refused(
    connection: Connection, space: str, change: dict[str, Any], said: str
) -> None:
    """A log with a policy that forgets is refused, with the command that mends it."""
    jetstream = JetStream(await Requester.open(connection))
    policy = policies.log(space) | change
    await jetstream.api(f"STREAM.CREATE.{policy['name']}", policy)

    with pytest.raises(Misconfigured) as raised:
        await topology.ensure(connection, space)

    assert said in str(raised.value)
    assert "nats stream" in str(raised.value)
    assert policy["name"] in str(raised.value)


async def test_a_bucket_that_expires_is_refused(connection: Connection, space: str) -> None:
    """A bucket with a time to live is refused like a log with one."""
    jetstream = JetStream(await Requester.open(connection))
    policy = policies.bucket(space, "permanent") | {"max_age": 60_000_000_000, "duplicate_window": 60_000_000_000}
    await jetstream.api(f"STREAM.CREATE.{policy['name']}", policy)

    with pytest.raises(Misconfigured, match="forgets messages after 60 s"):
        await topology.ensure(connection, space)


async def test_a_bucket_made_again_under_a_live_worker_is_found_out(connection: Connection, space: str) -> None:
    """The guard of a running worker ends with the name of the bucket that is not the old one (F114)."""
    store = await topology.ensure(connection, space)
    jetstream = JetStream(await Requester.open(connection))
    name = policies.bucket(space, "permanent")["name"]
    before = await topology.identity(connection, space)

    await jetstream.api(f"STREAM.DELETE.{name}")
    await topology.ensure(connection, space)

    with anyio.fail_after(10), pytest.raises(Damaged, match=name):
        await Guard(connection, store, before).run()


async def test_a_worker_goes_over_to_buckets_that_replaced_its_own(connection: Connection, space: str) -> None:
    """A newer generation in the other slot, and the old buckets deleted: the guard is sure of the new ones, and ends
    when one of those is made again."""
    store = await topology.ensure(connection, space)
    await marked({scope: store.bucket(scope) for scope in subjects.BUCKETS}, 1)
    await store.thread.put("k", b"old")
    guard = Guard(connection, store, await topology.identity(connection, space))
    other = await topology.ensure(connection, space)
    name = policies.bucket(space, "thread", slot=2)["name"]
    ended: list[str] = []

    async def watch() -> None:
        try:
            await guard.run()
        except Damaged as error:
            ended.append(str(error))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            made = await other.generations.prepare()
            await made["thread"].put("k", b"new")
            await marked(made, 2)
            await other.generations.look()
            await other.generations.drop()
            await told(store)
            await guard.sure()
            assert [one.value async for one in store.thread.scan(["k"])] == [b"new"]
            await JetStream(await Requester.open(connection)).api(f"STREAM.DELETE.{name}")

    assert ended == [f"{name} was removed or made again while this worker ran; restart it"]


async def told(store: Store) -> None:
    """Wait until a store has gone over to another generation."""
    changed = anyio.Event()
    store.generations.changed.append(changed.set)
    if store.generations.current == 1:
        await changed.wait()


async def marked(buckets: Buckets, generation: int) -> None:
    data = msgspec.json.encode(Origin(v=1, id=f"set {generation}", generation=generation))
    for scope in reversed(subjects.BUCKETS):
        await buckets[scope].put(subjects.ORIGIN_KEY, data)


async def test_a_bad_space_is_refused_before_anything_is_made(connection: Connection) -> None:
    """A space whose name could reach into another's subjects is no space."""
    for bad in ("", "a.b", "*", "a>", "A", "x" * 40):
        with pytest.raises(Invalid):
            await topology.ensure(connection, bad)


async def test_a_server_without_jetstream_is_misconfigured(tmp_path_factory: pytest.TempPathFactory) -> None:
    """JetStream is off for the account: said so, with the way out."""
    server = NatsServer(
        tmp_path_factory.mktemp("off"),
        extra="accounts { A: { users: [ { user: a, password: a } ] } }",
    )
    server.start()
    try:
        async with await connect(server.url, caller=Caller("worker", "x"), user="a", password="a") as opened:
            with pytest.raises(Misconfigured, match="without JetStream"):
                await topology.ensure(opened, "one")
    finally:
        server.stop()
