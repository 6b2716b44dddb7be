"""A client's way to an audit worker in memory, with faults at chosen requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from desks import Desk

from eunoe.client.gate import Gate
from eunoe.client.memory import Memory, opened
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import OutcomeUnknown, WorkerMissing
from eunoe.schemas.subjects import Caller

PERSON = Caller("person", "ada")


class Wire:
    """Carries requests to a desk's worker.

    ``faults`` are used up by the next appends: ``missing`` (nobody is there), ``lost`` (the request never
    arrives), ``deaf`` (it is done, and the answer is lost). ``down`` answers every request with no worker.
    """

    def __init__(self, desk: Desk, *faults: str) -> None:
        self.desk = desk
        self.faults = list(faults)
        self.down = False
        self.appends: list[tuple[str, bytes]] = []
        self.verbs: list[str] = []
        self.hold: anyio.Event | None = None

    async def request(self, subject: str, data: bytes, *, timeout: float = limits.REQUEST_SECONDS) -> bytes:
        address = subjects.parse_request(subject)
        self.verbs.append(address.verb)
        if self.hold is not None:
            await self.hold.wait()
        fault = self.faults.pop(0) if self.faults and address.verb == "append" else ""
        handlers = self.desk.worker.handlers()
        if self.down or fault == "missing" or address.verb not in handlers:
            raise WorkerMissing(f"no worker serves {address.verb}.", verb=address.verb)
        if address.verb == "append":
            self.appends.append((address.chain, data))
        if fault == "lost":
            raise OutcomeUnknown(f"no answer to {address.verb} came within {timeout:g} s.")
        answer = await handlers[address.verb](address, data)
        if fault == "deaf":
            raise OutcomeUnknown(f"no answer to {address.verb} came within {timeout:g} s.")
        return answer

    @asynccontextmanager
    async def memory(
        self,
        caller: Caller = PERSON,
        *,
        outbox: Path | None = None,
        receipts: Path | None = None,
        keep: bool = False,
    ) -> AsyncIterator[Memory]:
        """A client's memory over this wire."""
        gate = Gate(self, self.desk.store.space, caller)
        async with opened(Memory, gate, receipts, outbox, keep) as memory:
            yield memory
