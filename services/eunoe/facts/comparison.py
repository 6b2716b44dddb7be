"""Comparing a set of buckets with the one that the log gives: by key and byte, while writes go on.

A key that differs is looked at again, after what was made has caught up with the log, until both are the same, or
neither changes any more: only then it differs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import anyio

from eunoe.runtime.doors import Documents, Entry, Store
from eunoe.schemas import limits, subjects
from eunoe.schemas.requests import Difference
from eunoe.schemas.subjects import Bucket

STEADY_SECONDS = 3.0  # seconds without a change after which what differs is told
LOOK_SECONDS = 0.1  # seconds between two looks at what differs
_WINDOW = 64  # keys that are read at once
OWN = (subjects.ORIGIN_KEY, subjects.REBUILD_KEY)  # what a set says of itself

Key = tuple[Bucket, str]
Pair = tuple[int | None, int | None]
"""Hashes of what is there under a key, and of what the log gives; None for nothing."""


@dataclass(frozen=True, slots=True)
class Compared:
    """``documents`` were made, ``count`` keys differ; ``first`` are the first of them, in order."""

    documents: int
    count: int
    first: tuple[Difference, ...]


class Comparison:
    """The buckets in use (``live``) against those that were ``made``; ``catch_up`` applies to them what is new.

    ``steady`` is how many seconds nothing of what differs may change before it is told.
    """

    def __init__(
        self, live: Store, made: Store, catch_up: Callable[[], Awaitable[object]], steady: float = STEADY_SECONDS
    ) -> None:
        self._live = live
        self._made = made
        self._catch_up = catch_up
        self._steady = steady

    async def run(self) -> Compared:
        differing: set[Key] = set()
        documents = 0
        for scope in subjects.BUCKETS:
            async for window in _windows(self._made.bucket(scope)):
                documents += len(window)
                differing |= {key async for key, _ in self._apart((scope, entry.key) for entry in window)}
            async for window in _windows(self._live.bucket(scope)):
                differing |= {key async for key, _ in self._apart((scope, entry.key) for entry in window)}
        left = await self._settled(differing)
        told = sorted(left)[: limits.DIFFERENCES_SHOWN]
        return Compared(documents, len(left), tuple(_difference(key, left[key]) for key in told))

    async def _settled(self, differing: Collection[Key]) -> dict[Key, Pair]:
        """What differs when nothing of it changes any more."""
        left: dict[Key, Pair] = dict.fromkeys(differing, (None, None))
        since = anyio.current_time()
        while left:
            await self._catch_up()
            now = {key: pair async for key, pair in self._apart(left)}
            if now != left:
                left, since = now, anyio.current_time()
            elif anyio.current_time() - since >= self._steady:
                break
            await anyio.sleep(LOOK_SECONDS)
        return left

    async def _apart(self, keys: Iterable[Key]) -> AsyncIterator[tuple[Key, Pair]]:
        """The keys under which the two sets do not hold the same, with what each holds."""
        by_scope: dict[Bucket, list[str]] = {}
        for scope, key in keys:
            by_scope.setdefault(scope, []).append(key)
        for scope, names in by_scope.items():
            for window in _chunks(names):
                live = await _values(self._live.bucket(scope), window)
                made = await _values(self._made.bucket(scope), window)
                for name in window:
                    if live.get(name) != made.get(name):
                        yield (scope, name), (_hash(live.get(name)), _hash(made.get(name)))


async def _values(bucket: Documents, keys: list[str]) -> dict[str, bytes]:
    return {entry.key: entry.value for entry in (await bucket.find(keys)).entries}


async def _windows(bucket: Documents) -> AsyncIterator[list[Entry]]:
    """The documents of a bucket, several at a time, without what it says of itself."""
    window: list[Entry] = []
    async for entry in bucket.scan():
        if entry.key in OWN:
            continue
        window.append(entry)
        if len(window) == _WINDOW:
            yield window
            window = []
    if window:
        yield window


def _hash(value: bytes | None) -> int | None:
    return None if value is None else hash(value)


def _chunks(keys: list[str]) -> Iterator[list[str]]:
    left = iter(keys)
    while chunk := list(islice(left, _WINDOW)):
        yield chunk


def _difference(key: Key, pair: Pair) -> Difference:
    live, made = pair
    if live is None:
        return Difference(scope=key[0], key=key[1], what="missing")
    return Difference(scope=key[0], key=key[1], what="extra" if made is None else "other")
