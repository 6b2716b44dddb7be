"""Ending the sessions that expired, so that what they held goes: each once, and the same by every replica.

An end holds from the moment of expiry, which its event names: what is written to the session afterwards, while
the end is on its way, stays. A session is ended only when it was found expired in two looks, both while no record
of the log waited to be projected: so its last write is known.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping

import anyio
import msgspec

from eunoe.facts import sessions
from eunoe.facts.duty import Duty, Shared
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import NumberReused, NumberSkipped
from eunoe.schemas.events import SessionEnded
from eunoe.schemas.facts import SessionRecord
from eunoe.schemas.requests import AppendRequest

logger = logging.getLogger(__name__)

PRODUCER = "sessions"
REASON = "expired"
LOOK_SECONDS = 60.0  # seconds between two looks for sessions that expired

_decode = msgspec.json.Decoder(SessionRecord).decode


class Sweeper(Duty):
    """Appends `SessionEnded` to the book of each session that expired."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._expired: dict[str, int] = {}
        self._ended = 0

    def loops(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        return {"the sweep of sessions waits": self._watch}

    def statistics(self) -> Mapping[str, int]:
        return {"sessions_ended": self._ended}

    async def sweep(self) -> None:
        """One look: end what the last one found expired and is so still."""
        if not await self._caught_up():
            return
        before, self._expired = self._expired, {}
        now = self._shared.clock.now()
        async for entry in self._shared.store.session.scan([subjects.sessions_filter()]):
            record = _decode(entry.value)
            if not sessions.due(record, now):
                continue
            self._expired[record.session] = record.expires_at
            if before.get(record.session) == record.expires_at:
                await self._end(record)

    async def _watch(self) -> None:
        while True:
            await self.sweep()
            await anyio.sleep(LOOK_SECONDS)

    async def _caught_up(self) -> bool:
        """Whether every record of the log was handed to a projector."""
        store = self._shared.store
        consumer = await store.log.consumer("facts", subjects.log_subjects(store.space))
        waiting, _ = await consumer.pending()
        return not waiting

    async def _end(self, record: SessionRecord) -> None:
        """Another replica that is first appends the same under the same number; one that lost looks again later."""
        chain = subjects.book_chain("session", record.session)
        number = (await self._shared.auditor.head(chain, PRODUCER)).n + 1
        event = SessionEnded(at=record.expires_at, reason=REASON)
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer=PRODUCER, n=number, events=(event,))
        try:
            reply = await self._shared.auditor.append(chain, request)
        except (NumberReused, NumberSkipped):
            return
        self._ended += not reply.duplicate
        logger.info("the session %s expired", record.session, extra={"action": "session_ended", "chain": chain})
