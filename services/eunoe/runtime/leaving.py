"""Telling those who are at work on something that it is not in use any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio


class Leaving:
    """Told once. ``over`` says whether it was."""

    def __init__(self) -> None:
        self.over = False
        self._calls: list[Callable[[], None]] = []

    def tell(self) -> None:
        self.over = True
        for call in list(self._calls):
            call()

    @contextmanager
    def heard(self, call: Callable[[], None]) -> Iterator[None]:
        """``call`` is called when it is told, at once when it was; not after the context."""
        self._calls.append(call)
        if self.over:
            call()
        try:
            yield
        finally:
            self._calls.remove(call)

    @contextmanager
    def cancelling(self) -> Iterator[None]:
        """What is done in the context is cut off, and the context left, when it is told."""
        with anyio.CancelScope() as scope, self.heard(scope.cancel):
            yield

    async def wait(self, seconds: float) -> bool:
        """Wait until it is told, ``seconds`` at most; whether it was."""
        told = anyio.Event()
        with self.heard(told.set), anyio.move_on_after(seconds):
            await told.wait()
        return self.over
