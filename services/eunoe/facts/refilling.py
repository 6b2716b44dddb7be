"""Applying the log to a set of buckets, from a position to the end as it is now, in bounded memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Protocol

from eunoe.runtime.doors import Log, Stored
from eunoe.runtime.tasks import each
from eunoe.schemas import limits, subjects


class Apply(Protocol):
    """Applies records of one chain, in order."""

    async def __call__(self, *batch: Stored) -> None: ...


_TOGETHER = 512  # records that are applied together
_BYTES = 16 * limits.MIB  # bytes after which no more of them are read
_WIDTH = 32  # chains at once


def _untold(count: int) -> None:
    """For those who want no progress."""


async def refill(log: Log, apply: Apply, *, start: int = 1, progress: Callable[[int], None] = _untold) -> int:
    """Apply every record from position ``start`` on; returns the last position, ``start - 1`` when there was none.

    ``progress`` is told how many more were applied.
    """
    last = start - 1
    async with aclosing(_batches(log.scan(start=start))) as batches:
        async for batch in batches:
            await each(_chains(batch), lambda chain: apply(*chain), _WIDTH)
            last = batch[-1].seq
            progress(len(batch))
    return last


async def _batches(found: AsyncIterator[Stored]) -> AsyncGenerator[list[Stored], None]:
    """Messages as they come, several at a time."""
    batch: list[Stored] = []
    size = 0
    async for stored in found:
        batch.append(stored)
        size += len(stored.data)
        if len(batch) == _TOGETHER or size > _BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _chains(batch: list[Stored]) -> list[list[Stored]]:
    found: dict[str, list[Stored]] = {}
    for stored in batch:
        found.setdefault(subjects.chain_of(stored.subject), []).append(stored)
    return list(found.values())
