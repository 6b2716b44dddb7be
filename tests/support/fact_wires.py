"""A client's way to an audit worker and a facts worker in memory, both at work."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from desks import Desk
from fact_workers import facts_worker
from wires import Wire

from eunoe.schemas import limits, subjects


class FactWire(Wire):
    """Carries requests to a desk's audit worker, and those about facts to a facts worker that projects its log."""

    def __init__(self, desk: Desk, *faults: str) -> None:
        super().__init__(desk, *faults)
        self.facts = facts_worker(desk)

    async def request(self, subject: str, data: bytes, *, timeout: float = limits.REQUEST_SECONDS) -> bytes:
        address = subjects.parse_request(subject)
        handlers = self.facts.handlers()
        if address.verb in handlers and not self.down:
            self.verbs.append(address.verb)
            return await handlers[address.verb](address, data)
        return await super().request(subject, data, timeout=timeout)


@asynccontextmanager
async def working(desk: Desk, kind: type[FactWire] = FactWire) -> AsyncIterator[FactWire]:
    """A wire whose facts worker runs."""
    wire = kind(desk)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wire.facts.run)
        yield wire
        tasks.cancel_scope.cancel()
