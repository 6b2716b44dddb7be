"""A process of workers: until it is told to stop, and then drained, or down at once with the reason."""

from __future__ import annotations

import gc
import logging
import os
import signal
from collections.abc import Callable, Iterable

import anyio

from eunoe.runtime.backoff import backoff
from eunoe.runtime.health import health
from eunoe.runtime.login import login
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.runtime.workers import Fleet, running
from eunoe.schemas.errors import Unreachable
from eunoe.schemas.subjects import Caller

logger = logging.getLogger(__name__)

YOUNG_AFTER = 10_000  # objects more than before, until what is young is looked at; Python has 700
OLDEST_AFTER = 500  # collections of what is in the middle, before one of all that there is; Python has 10


async def run(
    settings: Settings, names: Iterable[str], *, ready: Callable[[Fleet], None], health_port: int | None = None
) -> None:
    """Run workers until SIGTERM or SIGINT; ``ready`` is called once all of them serve.

    The first signal drains them, a second one ends the process at once. A worker that fails ends all with
    its error. With ``health_port``, ``/live``, ``/ready`` and ``/metrics`` are served on it from the start, and
    a server that is away then is waited for: whoever watches the port sees that this process is not ready.
    """
    stop = anyio.Event()
    async with task_group() as tasks:
        await tasks.start(signals, stop)
        fleets: list[Fleet] = []
        if health_port is not None:
            await tasks.start(health, health_port, fleets)
            await _reachable(settings, stop)
        if not stop.is_set():
            async with running(settings, names) as fleet:
                fleets.append(fleet)
                _settled()
                ready(fleet)
                await stop.wait()
        tasks.cancel_scope.cancel()


def _settled() -> None:
    """What a process has loaded by the time it serves stays: the garbage collector need not walk over all of it, some
    tens of milliseconds, in the middle of a request. What it holds in memory from then on has no cycles, so it is
    walked over seldom too, and what is young, of which one request makes some thousands, once in a few requests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_AFTER, gc.get_threshold()[1], OLDEST_AFTER)


async def signals(stop: anyio.Event, *, task_status: anyio.abc.TaskStatus[None]) -> None:
    """Set ``stop`` at the first SIGTERM or SIGINT; end the process at the second."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
        task_status.started()
        async for number in received:
            if stop.is_set():
                logger.error("told to stop twice, so nothing more is finished", extra={"action": "stopped_at_once"})
                os._exit(128 + number)
            logger.info("stopping", extra={"action": "stopping"})
            stop.set()


async def _reachable(settings: Settings, stop: anyio.Event) -> None:
    """Wait until the server of the settings can be reached, or the process is told to stop."""
    attempt = 0
    while not stop.is_set():
        try:
            async with login(settings, Caller("worker", "health")):
                return
        except Unreachable as error:
            attempt += 1
            logger.warning("waiting: %s", error, extra={"action": "server_awaited"})
            with anyio.move_on_after(backoff(attempt)):
                await stop.wait()
