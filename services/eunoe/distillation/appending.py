"""Appending what was distilled, through audit: once, whoever else works on the same turns."""

from __future__ import annotations

import logging

from eunoe.distillation.progress import PRODUCER, Standing
from eunoe.runtime.doors import Auditor
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, NumberReused, NumberSkipped, OutcomeUnknown
from eunoe.schemas.events import Event
from eunoe.schemas.requests import AppendReply, AppendRequest

logger = logging.getLogger(__name__)

_ATTEMPTS = 16  # appends in a row that got no answer


class Appender:
    """Appends under one producer, which all distillation workers of a space share: a number is taken once."""

    def __init__(self, auditor: Auditor, producer: str = PRODUCER) -> None:
        self._auditor = auditor
        self._producer = producer

    async def append(self, standing: Standing, events: tuple[Event, ...]) -> AppendReply | None:
        """Store one record on top of what is known of its thread; None where another worker was first, and what this
        one made is dropped. Raises `Busy` while nobody can say."""
        chain, number = standing.head.header.chain, standing.number
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer=self._producer, n=number, events=events)
        for _ in range(_ATTEMPTS):
            try:
                return await self._auditor.append(chain, request)
            except OutcomeUnknown:
                continue
            except NumberReused:
                logger.info(
                    "another worker was first with record %d of this kind",
                    number,
                    extra={"action": "raced", "chain": chain},
                )
                return None
            except NumberSkipped as error:
                raise Busy(f"what is known of {chain} does not go on from its log: {error}") from None
        raise Busy(f"no answer came to an append to {chain}; it is tried again")
