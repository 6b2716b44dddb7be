"""Whether this process lives and is ready, over HTTP, for whoever restarts it. Living does not depend on NATS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

import anyio
from anyio.abc import SocketAttribute, SocketStream, TaskStatus

from eunoe.runtime.status import CONFLICTS

_TOTALS = {CONFLICTS: f"{CONFLICTS}_total"}  # what only grows, under the name that Prometheus has for that

REQUEST_BYTES = 4096  # bytes of a request that are read
REQUEST_SECONDS = 5.0  # seconds a client may take to send them


class Watched(Protocol):
    """What is watched: a fleet of workers."""

    @property
    def ready(self) -> bool: ...
    def statistics(self) -> Mapping[str, Mapping[str, int]]: ...


async def health(port: int, fleets: Sequence[Watched], *, task_status: TaskStatus[int]) -> None:
    """Serve ``/live``, ``/ready`` and ``/metrics`` on a port (0 takes a free one) until cancelled."""
    async with await anyio.create_tcp_listener(local_port=port) as listener:
        task_status.started(listener.extra(SocketAttribute.local_port))  # noqa: S610  # no Django here
        await listener.serve(partial(_serve, fleets))


def answer(path: str, fleets: Sequence[Watched]) -> tuple[int, str]:
    """Status and text for a path. Ready means that every worker runs and is connected."""
    if path == "/live":
        return 200, "alive\n"
    if path == "/ready":
        ready = bool(fleets) and all(fleet.ready for fleet in fleets)
        return (200, "ready\n") if ready else (503, "not ready: not every worker is connected\n")
    if path == "/metrics":
        return 200, metrics(fleets)
    return 404, "there are /live, /ready and /metrics\n"


def metrics(fleets: Sequence[Watched]) -> str:
    """The counts of every worker in Prometheus' text format; lost races are ``eunoe_conflicts_total``."""
    return "".join(
        f'eunoe_{_TOTALS.get(name, name)}{{worker="{worker}"}} {value}\n'
        for fleet in fleets
        for worker, counts in fleet.statistics().items()
        for name, value in counts.items()
    )


async def _serve(fleets: Sequence[Watched], stream: SocketStream) -> None:
    async with stream:
        with anyio.move_on_after(REQUEST_SECONDS), suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            words = (await stream.receive(REQUEST_BYTES)).decode(errors="replace").split()
            status, text = answer(words[1] if len(words) > 1 else "", fleets)
            head = f"HTTP/1.1 {status} -\r\nContent-Type: text/plain\r\nContent-Length: {len(text.encode())}\r\n"
            await stream.send(f"{head}Connection: close\r\n\r\n{text}".encode())
