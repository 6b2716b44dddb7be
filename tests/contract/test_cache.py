"""The cache keeps values, or is as if it had none: the twin in memory and Redis behave the same."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr
from redis.asyncio import Redis

from eunoe.runtime.cache import NoCache, cache_of
from eunoe.runtime.doors import Cache, Clock, SystemClock
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Misconfigured, Unreachable
from eunoe.testing import ManualClock, MemoryCache, RedisServer

SECRET = "0123456789abcdef"


@asynccontextmanager
async def cache_at(
    url: str, space: str = "here", *, secret: str = SECRET, clock: Clock | None = None
) -> AsyncIterator[Cache]:
    cache = cache_of(
        Settings(redis_url=SecretStr(url), redis_secret=SecretStr(secret), space=space), clock or SystemClock()
    )
    yield cache
    await cache.close()


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(params=["memory", "redis"])
async def cache(request: pytest.FixtureRequest, space: str) -> AsyncIterator[Cache]:
    if request.param == "memory":
        yield MemoryCache()
        return
    server: RedisServer = request.getfixturevalue("redis_server")
    async with cache_at(server.url, space) as found:
        yield found


async def test_what_was_put_last_is_what_is_there(cache: Cache) -> None:
    assert await cache.get("k") is None
    await cache.put("k", b"one")
    await cache.put("k", b"\x00two\xff")
    assert await cache.get("k") == b"\x00two\xff"
    assert await cache.get("another") is None


async def test_an_empty_value_is_a_value(cache: Cache) -> None:
    await cache.put("k", b"")
    assert await cache.get("k") == b""


async def test_what_is_cleared_is_gone(cache: Cache) -> None:
    for number in range(600):  # more than go in one round trip
        await cache.put(f"k{number}", b"value")
    await cache.clear()
    assert [await cache.get(f"k{number}") for number in (0, 599)] == [None, None]


async def test_without_a_url_nothing_is_kept() -> None:
    cache = cache_of(Settings(), SystemClock())
    await cache.put("k", b"value")
    assert isinstance(cache, NoCache)
    assert await cache.get("k") is None
    await cache.clear()


@pytest.mark.parametrize("password", ["hunter#2", "hunter/2", "hunter?2"])
def test_a_url_that_cannot_be_read_is_told_without_its_password(password: str) -> None:
    """What stands before such a character is taken for a port, and would be quoted as a wrong one."""
    url = SecretStr(f"redis://me:{password}@there:6379")
    with pytest.raises(Misconfigured, match="redis_url cannot be read; it is redis://USER:PASSWORD@HOST:PORT") as wrong:
        cache_of(Settings(redis_url=url, redis_secret=SecretStr(SECRET)), SystemClock())

    assert "hunter" not in str(wrong.value)


async def test_one_space_sees_and_clears_nothing_of_another(redis_server: RedisServer) -> None:
    """Also where one's name reads like a pattern that matches the other's."""
    async with cache_at(redis_server.url, "a-b") as one, cache_at(redis_server.url, "a-bc") as other:
        await one.put("k", b"of one")
        await other.put("k", b"of the other")
        await one.clear()
        assert await one.get("k") is None
        assert await other.get("k") == b"of the other"


async def test_a_value_that_is_not_signed_with_the_secret_is_none(redis_server: RedisServer, space: str) -> None:
    """Neither one that was changed, nor one signed with another secret, nor one moved to another key."""
    url, strange = redis_server.url, "another secret, 16 or more"
    async with (
        cache_at(url, space) as cache,
        cache_at(url, space, secret=strange) as stranger,
        Redis.from_url(url) as redis,
    ):
        await cache.put("k", b"value")
        stored = await redis.get(f"eunoe:{space}:k")
        assert isinstance(stored, bytes)
        await redis.set(f"eunoe:{space}:moved", stored)
        await redis.set(f"eunoe:{space}:changed", stored[:-1] + b"?")
        await redis.set(f"eunoe:{space}:short", b"x")
        await stranger.put("strange", b"value")
        assert [await cache.get(key) for key in ("moved", "changed", "short", "strange")] == [None] * 4
        assert await cache.get("k") == b"value"
        assert cache.statistics()["cache_refused"] == 4


async def test_a_value_goes_by_itself(redis_server: RedisServer, space: str) -> None:
    async with cache_at(redis_server.url, space) as cache, Redis.from_url(redis_server.url) as redis:
        await cache.put("k", b"value")
        assert 86_000 < await redis.ttl(f"eunoe:{space}:k") <= 86_400


async def test_a_redis_that_is_away_is_as_if_it_had_nothing_and_is_asked_again_later(own_redis: RedisServer) -> None:
    clock = ManualClock()
    async with cache_at(own_redis.url, clock=clock) as cache:
        await cache.put("k", b"value")
        own_redis.kill()
        assert await cache.get("k") is None
        await cache.put("k", b"value")  # not tried: it failed just now
        assert cache.statistics()["cache_failures"] == 1
        own_redis.start()
        clock.advance(seconds=1)
        await cache.put("k", b"new")
        assert await cache.get("k") == b"new"


async def test_what_may_be_left_where_redis_is_away_is_said(own_redis: RedisServer) -> None:
    async with cache_at(own_redis.url) as cache:
        own_redis.kill()
        with pytest.raises(Unreachable, match="may hold copies"):
            await cache.clear()


async def test_a_redis_that_does_not_answer_holds_nobody_up(own_redis: RedisServer) -> None:
    async with cache_at(own_redis.url) as cache:
        await cache.put("k", b"value")
        own_redis.freeze()
        assert await cache.get("k") is None
        own_redis.thaw()
