"""One at a time at each of many things, in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

import anyio

_Key = TypeVar("_Key", bound=Hashable)


class Locks(Generic[_Key]):
    """A lock for each key that somebody holds or waits for, and none for any other."""

    def __init__(self) -> None:
        self._held: dict[_Key, tuple[anyio.Lock, int]] = {}

    def __len__(self) -> int:
        return len(self._held)

    @asynccontextmanager
    async def alone(self, key: _Key) -> AsyncIterator[None]:
        """Be alone at ``key``; whoever comes meanwhile waits, and gets it in the order of coming."""
        lock, users = self._held.get(key, (anyio.Lock(fast_acquire=True), 0))
        self._held[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._held.pop(key)
            if users > 1:
                self._held[key] = (lock, users - 1)
