"""The cache behind `doors.Cache`: Redis, or nothing. Losing it, or anything wrong in it, costs time only.

What is kept is signed with a secret that only workers have, under its own key: somebody else who can write to
that Redis can make a worker read the log again, and nothing more.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import ssl
from typing import TYPE_CHECKING

from eunoe.runtime.backoff import backoff
from eunoe.runtime.doors import Cache, Clock
from eunoe.runtime.settings import Settings
from eunoe.schemas import limits
from eunoe.schemas.errors import Misconfigured, Unreachable

if TYPE_CHECKING:
    from redis.asyncio import Redis

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 0.1  # seconds that Redis may take for one answer; reading the log again takes no longer
CLEARED_AT_ONCE = 512  # keys removed in one round trip
UNREADABLE = (
    "redis_url cannot be read; it is redis://USER:PASSWORD@HOST:PORT, "
    "in which a password has / ? # @ as %2F %3F %23 %40"
)
_SIGNATURE_BYTES = 32  # of HMAC-SHA-256


class NoCache:
    """A `doors.Cache` that keeps nothing."""

    async def get(self, key: str) -> bytes | None:
        return None

    async def put(self, key: str, value: bytes) -> None:
        return None

    async def clear(self) -> None:
        return None

    async def close(self) -> None:
        return None

    def statistics(self) -> dict[str, int]:
        return {}


class RedisCache:
    """A `doors.Cache` in Redis. While it is away nobody waits for it: it is asked again a little later."""

    def __init__(self, redis: Redis, space: str, secret: bytes, clock: Clock) -> None:
        self._redis = redis
        self._prefix = f"eunoe:{space}:"
        self._secret = secret
        self._clock = clock
        self._failures = 0
        self._until = 0
        self._counts = {"cache_hits": 0, "cache_misses": 0, "cache_refused": 0, "cache_failures": 0}

    async def get(self, key: str) -> bytes | None:
        if self._away:
            return None
        try:
            found = await self._redis.get(self._prefix + key)
        except _failures() as error:
            self._failed(error)
            return None
        self._failures = 0
        value = self._opened(key, found) if found is not None else None
        self._counts["cache_misses" if value is None else "cache_hits"] += 1
        return value

    async def put(self, key: str, value: bytes) -> None:
        if self._away:
            return
        try:
            await self._redis.set(self._prefix + key, self._signature(key, value) + value, ex=limits.CACHE_SECONDS)
        except _failures() as error:
            self._failed(error)
        else:
            self._failures = 0

    async def clear(self) -> None:
        keys: list[bytes] = []
        try:
            async for key in self._redis.scan_iter(match=_literal(self._prefix) + "*", count=CLEARED_AT_ONCE):
                keys.append(key)
                if len(keys) == CLEARED_AT_ONCE:
                    await self._redis.unlink(*keys)
                    keys = []
            if keys:
                await self._redis.unlink(*keys)
        except _failures() as error:
            raise Unreachable(f"Redis cannot be reached, and may hold copies of what is to go: {error}") from None

    async def close(self) -> None:
        await self._redis.aclose()

    def statistics(self) -> dict[str, int]:
        return dict(self._counts)

    @property
    def _away(self) -> bool:
        return self._clock.now() < self._until

    def _failed(self, error: Exception) -> None:
        self._counts["cache_failures"] += 1
        self._failures += 1
        self._until = self._clock.now() + round(backoff(self._failures) * 1000)
        log = logger.warning if self._failures == 1 else logger.debug
        log("Redis does not answer, so threads are read from the log: %s", error, extra={"action": "cache_away"})

    def _opened(self, key: str, found: bytes | str) -> bytes | None:
        found = found if isinstance(found, bytes) else found.encode()
        value = found[_SIGNATURE_BYTES:]
        if hmac.compare_digest(self._signature(key, value), found[:_SIGNATURE_BYTES]):
            return value
        self._counts["cache_refused"] += 1
        logger.warning(
            "%s in Redis is not signed with this secret, so the thread is read from the log instead",
            key,
            extra={"action": "cache_refused"},
        )
        return None

    def _signature(self, key: str, value: bytes) -> bytes:
        return hmac.digest(self._secret, f"{self._prefix}{key}\0".encode() + value, hashlib.sha256)


def cache_of(settings: Settings, clock: Clock) -> Cache:
    """The cache that the settings name; raises `Misconfigured` where it cannot be used."""
    if not settings.redis_url.get_secret_value():
        return NoCache()
    try:
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff
    except ImportError:
        raise Misconfigured("redis_url is set, and redis is not installed: pip install 'eunoe[redis]'") from None
    try:
        redis = Redis.from_url(
            settings.redis_url.get_secret_value(),
            socket_timeout=PATIENCE_SECONDS,
            socket_connect_timeout=PATIENCE_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
    except ValueError:  # which quotes what it takes for the port, and that may be a part of the password
        raise Misconfigured(UNREADABLE) from None
    return RedisCache(redis, settings.space, settings.redis_secret.get_secret_value().encode(), clock)


def _failures() -> tuple[type[Exception], ...]:
    from redis.exceptions import RedisError

    return (RedisError, OSError, ssl.SSLError, TimeoutError)


def _literal(pattern: str) -> str:
    """A text as a pattern of Redis that matches it alone."""
    return "".join(f"\\{character}" if character in "*?[]\\^" else character for character in pattern)
