"""Composition replicas that share a Redis: they start warm, and whatever becomes of it, contexts are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from polling import until_found
from redis.asyncio import Redis

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.testing import NatsServer, RedisServer

SAID = "My number is 4711."
OTHERS = ("audit", "extraction", "facts")


@pytest.fixture
def plain(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    return Settings(url=nats_server.url, space=space, data=tmp_path, role="person", principal="ada")


@pytest.fixture
def shared(plain: Settings, own_redis: RedisServer) -> Settings:
    return Settings(**{**plain.model_dump(), "redis_url": own_redis.url, "redis_secret": "0123456789abcdef"})


async def talk(memory: Memory, count: int) -> None:
    """So many turns that each read a file, composed as they run."""
    for _ in range(count):
        async with memory.thread("work").turn("What is in the module?") as turn:
            await turn.call("read_file", {"path": "module.py"})
            await turn.result("a line of the module\n" * 100)
            await turn.context(window=4096)
            await turn.reply("It has a hundred lines.")


async def kept(redis: RedisServer) -> int:
    async with Redis.from_url(redis.url) as client:
        return int(await client.dbsize())


def counted(fleet: Fleet, name: str) -> int:
    return fleet.statistics()["composition"][name]


async def test_another_replica_starts_from_the_copy_and_composes_the_same(plain: Settings, shared: Settings) -> None:
    """It reads the records that came since the copy, and not the thread; one without Redis gives the same bytes."""
    async with running(plain, OTHERS), Memory.connect(settings=plain) as memory:
        async with running(shared, ["composition"]):
            await talk(memory, 8)
        async with memory.thread("work").turn("One more thing.") as turn:
            await turn.reply("Yes?")
        async with running(shared, ["composition"]) as fleet:
            from_copy = await memory.thread("work").context(window=4096, prompt="And now?")
            hits, read = counted(fleet, "cache_hits"), counted(fleet, "records_read")
            records = (await memory.thread("work").head()).record
        async with running(plain, ["composition"]):
            from_log = await memory.thread("work").context(window=4096, prompt="And now?")

    assert hits == 1
    assert read < records // 4, "the end of the eighth turn, the ninth, and what was extracted of both"
    assert from_copy.messages == from_log.messages
    assert from_copy.recipe == from_log.recipe


async def test_contexts_are_composed_while_redis_dies_and_after(
    plain: Settings, shared: Settings, own_redis: RedisServer
) -> None:
    async with running(plain, OTHERS), Memory.connect(settings=plain) as memory, running(shared, ["composition"]):
        await talk(memory, 2)
        own_redis.kill()
        await talk(memory, 2)
        during = await memory.thread("work").context(window=4096, prompt="And now?")
        own_redis.start()
        after = await memory.thread("work").context(window=4096, prompt="And now?")
    assert during.messages == after.messages


async def test_what_is_erased_is_in_no_copy_once_that_is_done(
    plain: Settings, shared: Settings, own_redis: RedisServer
) -> None:
    """The erasure waits while Redis cannot be asked, and is done once nothing is left there."""
    async with running(shared), Memory.connect(settings=shared) as memory:
        async with memory.thread("work").turn(SAID) as turn:
            await turn.reply("Understood.")
        await talk(memory, 2)
        await until_found(lambda: _is(own_redis, 1), "a copy is put into Redis")
        own_redis.freeze()
        begun = await memory.erase(thread="work", entries=[1], reason="it was private", key="e", seconds=0)
        own_redis.thaw()
        done = await memory.erase(thread="work", entries=[1], reason="it was private", key="e")
        async with Redis.from_url(own_redis.url) as client:
            copies = [await client.get(key) for key in await client.keys()]

    assert begun.state == "running"
    assert done.state == "done"
    assert not any(SAID.encode() in copy for copy in copies if isinstance(copy, bytes))


async def _is(redis: RedisServer, count: int) -> bool:
    return await kept(redis) == count
