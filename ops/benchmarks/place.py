"""Where a benchmark runs: a real server that syncs every write, and workers in processes of their own."""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from eunoe.runtime import durables
from eunoe.runtime.connection import connect
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.requester import Requester
from eunoe.schemas.subjects import Caller
from eunoe.testing.server import NatsServer

ECHO = Path(__file__).with_name("echo.py")


@dataclass(frozen=True)
class Result:
    """One line: what, how much, and the bound that it must keep (at most, or at least)."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def broken(self) -> bool:
        over = self.at_most is not None and self.value > self.at_most
        under = self.at_least is not None and self.value < self.at_least
        return over or under

    def __str__(self) -> str:
        bound = ""
        if self.at_most is not None:
            bound = f"  at most {self.at_most:g}: {'NOT KEPT' if self.broken else 'kept'}"
        elif self.at_least is not None:
            bound = f"  at least {self.at_least:g}: {'NOT KEPT' if self.broken else 'kept'}"
        return f"{self.name:<64} {self.value:>10,.2f} {self.unit:<9}{bound}"


@dataclass(frozen=True)
class Place:
    """The server's URL, its data, and the process that runs the workers."""

    url: str
    folder: Path
    workers: int
    server: int


async def settle(here: Place, names: Sequence[str] = durables.NAMES) -> None:
    """Wait until extraction and projection, or those of them that run, have nothing left to do."""
    async with await connect(here.url, caller=Caller("worker", "bench")) as connection:
        jetstream = JetStream(await Requester.open(connection))
        for name in names:
            while await durables.pending(jetstream, "default", name) != (0, 0):  # noqa: ASYNC110 - no event tells
                await asyncio.sleep(0.1)


@asynccontextmanager
async def place(workers: str = "all") -> AsyncIterator[Place]:
    """A fresh server (sync always), workers in one process, and a bare echo service in another."""
    with tempfile.TemporaryDirectory(prefix="eunoe-bench-") as folder:
        server = NatsServer(Path(folder) / "nats", sync_always=True)
        url = server.start()
        fleet = _serve(url, Path(folder), workers)
        echo = _started([sys.executable, str(ECHO), url], os.environ)
        try:
            await asyncio.gather(_ready(fleet), _ready(echo))
            yield Place(url, Path(folder), fleet.pid, server.pid)
        finally:
            for process in (fleet, echo):
                process.terminate()
                process.wait()
            server.stop()


@contextmanager
def apart(here: Place) -> Iterator[None]:
    """While this is open the server has a core of its own, and whoever asks, and what is started meanwhile, the others.

    A kernel may wake a server on the core of whoever writes to it, and run it there in that one's place while another
    core idles: then a write takes as long as the server works.
    """
    cores = os.sched_getaffinity(0)
    own = {max(cores)} if len(cores) > 1 else cores
    _bind(here.server, own)
    os.sched_setaffinity(0, cores - own or own)
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
        _bind(here.server, cores)


def _bind(pid: int, cores: set[int]) -> None:
    """Have every thread of a process, and those that they start, run on these cores."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(ProcessLookupError):  # a thread that has ended
            os.sched_setaffinity(int(task.name), cores)


@asynccontextmanager
async def serving(here: Place, workers: str, **settings: str) -> AsyncIterator[int]:
    """One more process of workers while this is open, with these settings beside its own; its id."""
    process = _serve(here.url, here.folder, workers, settings)
    try:
        await _ready(process)
        yield process.pid
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)


def _serve(url: str, folder: Path, workers: str, settings: Mapping[str, str] = {}) -> subprocess.Popen[bytes]:
    own = {"url": url, "data": f"{folder}/data", "log_level": "error", **settings}
    environment = os.environ | {f"EUNOE_{name.upper()}": value for name, value in own.items()}
    return _started([str(Path(sys.executable).with_name("eunoe")), "serve", *workers.split()], environment)


def _started(command: list[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, env=dict(environment), stderr=subprocess.PIPE)


async def _ready(process: subprocess.Popen[bytes]) -> None:
    assert process.stderr is not None
    while line := await asyncio.to_thread(process.stderr.readline):
        if line.startswith(b"ready"):
            return
    raise RuntimeError("a process of the benchmark ended before it was ready")


async def timed(count: int, call: Callable[[], Awaitable[object]]) -> list[float]:
    """Seconds of each of ``count`` calls, one after the other. What the benchmark itself holds, a lot once it has made
    long threads, its garbage collector walks over before, and not while it waits for an answer."""
    found = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(count):
            start = time.perf_counter()
            await call()
            found.append(time.perf_counter() - start)
    finally:
        gc.enable()
    return found


def median_ms(seconds: Sequence[float]) -> float:
    return statistics.median(seconds) * 1000


def resident(pid: int) -> float:
    """Resident memory of a process, in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def busy(pid: int) -> float:
    """Seconds of processor time that a process has taken."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
