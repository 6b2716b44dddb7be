"""Appending what was distilled, through audit: once, whoever else works on the same turns."""

from __future__ import annotations

import logging
import random

import anyio

from eunoe.distillation.outage import pause
from eunoe.distillation.progress import PRODUCER, Standing
from eunoe.runtime.backoff import backoff
from eunoe.runtime.doors import Auditor
from eunoe.runtime.tries import transient
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, EunoeError, NumberReused, NumberSkipped
from eunoe.schemas.events import Event
from eunoe.schemas.requests import AppendReply, AppendRequest

logger = logging.getLogger(__name__)


class Appender:
    """Appends under one producer, which all workers of a kind share in a space: a number is taken once.

    Once ``stopping`` is set, nobody waits any more.
    """

    def __init__(self, auditor: Auditor, stopping: anyio.Event, producer: str = PRODUCER) -> None:
        self._auditor = auditor
        self._stopping = stopping
        self._producer = producer

    async def append(self, standing: Standing, events: tuple[Event, ...]) -> AppendReply | None:
        """Store one record on top of what is known of its thread; None where another worker was first, and what this
        one made is dropped.

        While nobody takes it, it is sent again as it is: to make it anew may be to ask a model anew. Raises `Busy` once
        this worker stops, and where what is known does not go on from the log.
        """
        chain, number = standing.head.header.chain, standing.number
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer=self._producer, n=number, events=events)
        waited = 0
        while True:
            try:
                return await self._auditor.append(chain, request)
            except NumberReused:
                logger.info(
                    "another worker was first with record %d of this kind",
                    number,
                    extra={"action": "raced", "chain": chain},
                )
                return None
            except NumberSkipped as error:
                raise Busy(f"what is known of {chain} does not go on from its log: {error}") from None
            except EunoeError as error:
                if not transient(error):
                    raise
                waited += 1
                self._tell(waited, chain, error)
            await pause(backoff(waited, jitter=random.random()), self._stopping)

    def _tell(self, waited: int, chain: str, error: EunoeError) -> None:
        """The first time, the second, fourth, eighth …"""
        if waited & (waited - 1) == 0:
            logger.warning("an append waits: %s", error, extra={"action": "append_waits", "chain": chain})
