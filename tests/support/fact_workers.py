"""Facts workers of a desk, and one at work."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from desks import Desk

from eunoe.audit.worker import LocalAuditor
from eunoe.facts.worker import FactsWorker
from eunoe.schemas.subjects import Caller


def facts_worker(desk: Desk) -> FactsWorker:
    auditor = LocalAuditor(desk.worker, Caller("worker", "facts"))
    return FactsWorker(desk.store, auditor, desk.settings, desk.clock)


@asynccontextmanager
async def running(desk: Desk) -> AsyncIterator[FactsWorker]:
    """A facts worker that runs for as long as the context is open."""
    worker = facts_worker(desk)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        yield worker
        tasks.cancel_scope.cancel()
