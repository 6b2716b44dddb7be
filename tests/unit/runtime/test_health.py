"""Living, being ready, and counts, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio

from eunoe.runtime.health import answer, health


@dataclass
class Stage:
    """A fleet as far as health looks at it."""

    ready: bool = True
    counts: dict[str, Mapping[str, int]] = field(default_factory=dict)

    def statistics(self) -> dict[str, Mapping[str, int]]:
        return self.counts


def test_a_process_without_its_workers_lives_and_is_not_ready() -> None:
    """Whoever restarts what does not live must not restart it because the broker is away."""
    assert answer("/live", []) == (200, "alive\n")
    assert answer("/ready", [])[0] == 503
    assert answer("/ready", [Stage(ready=False)])[0] == 503
    assert answer("/live", [Stage(ready=False)])[0] == 200


def test_ready_means_that_every_worker_is_connected() -> None:
    assert answer("/ready", [Stage()]) == (200, "ready\n")


def test_counts_are_told_in_prometheus_form() -> None:
    """One line a count, labelled with its worker."""
    fleet = Stage(counts={"audit": {"appended": 3}, "facts": {"handled": 4}})

    assert answer("/metrics", [fleet]) == (
        200,
        'eunoe_appended{worker="audit"} 3\neunoe_handled{worker="facts"} 4\n',
    )


def test_lost_races_are_a_total() -> None:
    """Every worker's count has one name, that of a Prometheus counter."""
    fleet = Stage(counts={"audit": {"conflicts": 3}, "facts": {"conflicts": 4}})

    assert answer("/metrics", [fleet])[1].splitlines() == [
        'eunoe_conflicts_total{worker="audit"} 3',
        'eunoe_conflicts_total{worker="facts"} 4',
    ]


def test_another_path_is_answered_with_the_ones_there_are() -> None:
    assert answer("/", []) == (404, "there are /live, /ready and /metrics\n")


async def test_it_is_served_as_http() -> None:
    """A status line, headers and the text."""
    received = b""
    async with anyio.create_task_group() as tasks:
        port = await tasks.start(health, 0, [])
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            received = await stream.receive()
        tasks.cancel_scope.cancel()

    assert received.startswith(b"HTTP/1.1 200 ")
    assert received.endswith(b"\r\n\r\nalive\n")


async def test_a_client_that_says_nothing_does_no_harm() -> None:
    """As a port scanner; the next one is answered."""
    async with anyio.create_task_group() as tasks:
        port = await tasks.start(health, 0, [])
        await (await anyio.connect_tcp("127.0.0.1", port)).aclose()
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(b"GET /live HTTP/1.1\r\n\r\n")
            assert (await stream.receive()).startswith(b"HTTP/1.1 200 ")
        tasks.cancel_scope.cancel()
