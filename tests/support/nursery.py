"""Processes that are forked from one that has loaded Eunoe already, so that a test can kill and replace many.

Each is a process of its own with a log of its own, and ends with the process that runs the tests.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path

from polling import until

from eunoe.cli import main
from eunoe.runtime import roster

WORKERS = [f"eunoe.{name}.worker" for name in roster.NAMES]
COMMANDS = [f"eunoe.cli.{name}" for name in main.COMMANDS]
LOADED = [*WORKERS, *COMMANDS, "eunoe.runtime.supervisor", "eunoe.client"]  # what the first process loads
_PR_SET_PDEATHSIG = 1

Body = Callable[..., None]
"""What a process runs: called with the `Connection` on which it says that it is ready, and its arguments."""


class Child:
    """One process. What it wrote is in ``log``, after what its predecessors of the same name wrote."""

    def __init__(self, name: str, log: Path, body: Body, arguments: tuple[object, ...]) -> None:
        self.name = name
        self.log = log
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(LOADED)
        self._said, saying = context.Pipe(duplex=False)
        self._process = context.Process(target=_born, args=(log, saying, body, arguments), daemon=True)
        self._process.start()
        saying.close()
        self._ready = False

    @property
    def pid(self) -> int:
        """The process's id; it was started."""
        return self._process.pid or 0

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    @property
    def code(self) -> int | None:
        """The exit code; negative for a signal, None while it runs."""
        return self._process.exitcode

    @property
    def ready(self) -> bool:
        """Whether it said that it is ready: that is the first that it says."""
        self._ready = self._ready or bool(self.heard())
        return self._ready

    def heard(self) -> object:
        """What it said next; None when there is nothing yet, or nothing any more."""
        with suppress(EOFError):
            return self._said.recv() if wait([self._said], 0) else None
        return None

    def kill(self) -> bool:
        """SIGKILL; False when it had ended by itself before."""
        self._process.kill()
        self._process.join()
        return self.code == -signal.SIGKILL

    def stop(self) -> None:
        """SIGTERM, as an operator does, and SIGKILL when that does not end it."""
        self._process.terminate()
        self._process.join(20.0)
        self._process.kill()
        self._process.join()

    def close(self) -> None:
        self._process.kill()
        self._process.join()
        self._said.close()
        self._process.close()

    def tail(self) -> str:
        """The end of its log."""
        return self.log.read_text(errors="replace")[-4_000:] if self.log.exists() else "it said nothing"


class Nursery:
    """Starts processes that write their logs to ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._children: list[Child] = []

    def start(self, name: str, body: Body, *arguments: object) -> Child:
        child = Child(name, self._folder / f"{name}.log", body, arguments)
        self._children.append(child)
        return child

    async def started(self, name: str, body: Body, *arguments: object) -> Child:
        """A process that said that it is ready."""
        child = self.start(name, body, *arguments)
        await until(lambda: child.ready or not child.alive, f"{name} is ready")
        assert child.ready, f"{name} ended with {child.code}: {child.tail()}"
        return child

    def remove(self, child: Child) -> None:
        """Forget a process that ended."""
        child.close()
        self._children.remove(child)

    def close(self) -> None:
        for child in self._children:
            child.close()
        self._children.clear()


@contextmanager
def nursery(folder: Path) -> Iterator[Nursery]:
    """A nursery whose processes end with the context."""
    folder.mkdir(parents=True, exist_ok=True)
    opened = Nursery(folder)
    try:
        yield opened
    finally:
        opened.close()


def _born(log: Path, saying: Connection, body: Body, arguments: tuple[object, ...]) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    body(saying, *arguments)
