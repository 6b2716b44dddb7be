"""What tests of Eunoe and of programs on it need: the doors to the store in memory, a clock, a real server."""

from __future__ import annotations

from eunoe.testing.cache import MemoryCache
from eunoe.testing.clock import ManualClock
from eunoe.testing.documents import MemoryDocuments
from eunoe.testing.log import MemoryJobs, MemoryLog
from eunoe.testing.redis_server import RedisServer
from eunoe.testing.server import NatsServer, nats_server_binary
from eunoe.testing.store import memory_store

__all__ = [
    "ManualClock",
    "MemoryCache",
    "MemoryDocuments",
    "MemoryJobs",
    "MemoryLog",
    "NatsServer",
    "RedisServer",
    "memory_store",
    "nats_server_binary",
]
