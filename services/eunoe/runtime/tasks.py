"""Task groups whose failure is the failure itself, not a group around it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup

from eunoe.schemas.errors import EunoeError


@asynccontextmanager
async def task_group() -> AsyncIterator[TaskGroup]:
    """A task group that raises what its first failed task, or its body, raised; further failures are notes on it."""
    try:
        async with anyio.create_task_group() as group:
            yield group
    except BaseExceptionGroup as failures:
        raise cause(failures) from None


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
