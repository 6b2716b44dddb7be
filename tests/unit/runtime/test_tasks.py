"""Doing something with many items, a few at once."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest

from eunoe.runtime.tasks import each
from eunoe.schemas.errors import Unreachable


async def test_every_item_is_done_and_no_more_at_once_than_allowed() -> None:
    """Ten items, three at once at most."""
    done: list[int] = []
    running = most = 0

    async def do(item: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await anyio.lowlevel.checkpoint()
        running -= 1
        done.append(item)

    await each(range(10), do, 3)

    assert sorted(done) == list(range(10))
    assert most == 3


async def test_the_first_failure_is_raised_as_it_is_and_ends_the_others() -> None:
    """Nothing goes on behind the back of who was told that it failed."""
    done: list[int] = []

    async def do(item: int) -> None:
        if item == 1:
            raise Unreachable
        await anyio.sleep_forever()
        done.append(item)

    with pytest.raises(Unreachable):
        await each(range(4), do, 2)

    assert done == []


async def test_nothing_to_do_is_done() -> None:
    """No item, no task."""

    async def do(item: int) -> None:
        raise AssertionError(item)

    await each([], do, 3)
