"""The event loop of long-lived processes: uvloop's where it is installed (extra ``fast``), else asyncio's own."""

from __future__ import annotations

import importlib.util
from collections.abc import Awaitable, Callable
from typing import TypeVar, TypeVarTuple

import anyio

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


def run(function: Callable[[*Arguments], Awaitable[T]], *arguments: *Arguments) -> T:
    """Run until the function returns."""
    fast = importlib.util.find_spec("uvloop") is not None
    return anyio.run(function, *arguments, backend_options={"use_uvloop": fast})
