"""Closing what iterates as soon as nobody reads on: a scan or a watch holds a consumer at the server."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

_T = TypeVar("_T")


@asynccontextmanager
async def closing(found: AsyncIterator[_T]) -> AsyncIterator[AsyncIterator[_T]]:
    """What is found, closed at the end of the context, whatever ends it."""
    try:
        yield found
    finally:
        if isinstance(found, AsyncGenerator):
            await found.aclose()
