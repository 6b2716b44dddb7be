"""Task groups whose failure is the failure itself, not a group around it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
from anyio.abc import TaskGroup

from eunoe.schemas.errors import EunoeError

_Item = TypeVar("_Item")


@asynccontextmanager
async def task_group() -> AsyncIterator[TaskGroup]:
    """A task group that raises what its first failed task, or its body, raised; further failures are notes on it."""
    try:
        async with anyio.create_task_group() as group:
            yield group
    except BaseExceptionGroup as failures:
        raise cause(failures) from None


async def each(items: Sequence[_Item], do: Callable[[_Item], Awaitable[None]], width: int) -> None:
    """Do something with every item, ``width`` at once at most; the first failure ends the others and is raised."""
    if len(items) < 2:
        for item in items:
            await do(item)
        return
    left = iter(items)
    async with task_group() as tasks:
        for _ in range(min(width, len(items))):
            tasks.start_soon(_work, left, do)


async def _work(left: Iterator[_Item], do: Callable[[_Item], Awaitable[None]]) -> None:
    for item in left:
        await do(item)


def cause(error: BaseException) -> BaseException:
    """The failure inside a group: an expected one (`EunoeError`) rather than what it brought down."""
    found = leaves(error)
    chosen = next((leaf for leaf in found if isinstance(leaf, EunoeError)), found[0])
    for other in found:
        if other is not chosen:
            chosen.add_note(f"and {type(other).__name__}: {other}")
    return chosen


def leaves(error: BaseException) -> list[BaseException]:
    """The single failures of a group, in order; of another error, itself."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [leaf for child in error.exceptions for leaf in leaves(child)]
