"""Waiting for something that nobody tells us of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

PAUSE_SECONDS = 0.005  # seconds between two looks
PATIENCE_SECONDS = 60.0  # seconds until a test is told that it never happened


async def until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Look until ``condition`` holds; after ``seconds`` the test fails, saying ``what`` did not happen."""

    async def look() -> bool:
        return condition()

    await until_found(look, what, seconds)


async def until_found(condition: Callable[[], Awaitable[bool]], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """`until` for a condition that must be asked for."""
    deadline = anyio.current_time() + seconds
    while not await condition():
        assert anyio.current_time() < deadline, f"not within {seconds:g} s: {what}"
        await anyio.sleep(PAUSE_SECONDS)
