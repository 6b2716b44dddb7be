"""Deriving the facts of a turn again that was recorded as failed: a record of its own, by a producer of its own."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Auditor
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, Damaged, NumberReused
from eunoe.schemas.events import Event, Extracted
from eunoe.schemas.records import Record
from eunoe.schemas.requests import AppendRequest

logger = logging.getLogger(__name__)

PRODUCER = "extraction-again"

Derive = Callable[[Record, int], Awaitable[tuple[Event, ...]]]
"""The events of the turn with this ordinal, which the record committed."""


class TurnsAgain:
    """Derives failed turns of any thread again. ``n`` of its producer counts what was done again in a thread."""

    def __init__(self, auditor: Auditor, chains: ChainReader, derive: Derive) -> None:
        self._auditor = auditor
        self._chains = chains
        self._derive = derive

    async def turn(self, record: Record, ordinal: int) -> bool:
        """Derive the turn that a record committed, if the last that was said of it is that it failed; whether it was.

        Raises `Busy` where another worker did so at the same time: then it is looked at again.
        """
        chain = record.header.chain
        number = (await self._auditor.head(chain, PRODUCER)).n  # before the log is read: what comes between is refused
        if not await self._failed(record, ordinal):
            return False
        events = await self._derive(record, ordinal)
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer=PRODUCER, n=number + 1, events=events)
        try:
            await self._auditor.append(chain, request)
        except NumberReused:
            raise Busy("another worker does a turn of this thread again; it is looked at again") from None
        logger.info("derived a turn again", extra={"action": "extracted_again", "chain": chain, "ordinal": ordinal})
        return True

    async def _failed(self, record: Record, ordinal: int) -> bool:
        """Whether the newest record about this turn says that something of it could not be derived."""
        head = await self._chains.head(record.header.chain, fresh=True)
        if head is None:
            raise Damaged(f"the records of {record.header.chain} are missing; run `eunoe audit verify`")
        failed = False
        async for one in self._chains.forward(head, record.header.record):
            for event in one.events:
                if isinstance(event, Extracted) and event.ordinal == ordinal:
                    failed = bool(event.failed)
        return failed
