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

from eunoe.facts import lenient, sessions
from eunoe.facts.duty import Duty, Shared
from eunoe.runtime.lasting import AWAY
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.events import SessionEnded
from eunoe.schemas.facts import SessionRecord
from eunoe.schemas.requests import AppendRequest

logger = logging.getLogger(__name__)

PRODUCER = "sessions"  # with the time of expiry (ms UTC) behind it
REASON = "expired"
LOOK_SECONDS = 60.0  # seconds between two looks for sessions that expired

_record = msgspec.json.Decoder(SessionRecord)


class Sweeper(Duty):
    """Appends `SessionEnded` to the book of each session that expired. Of the records of sessions it reads, after the
    first time, only those that changed since."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._read = 0
        self._lasting: dict[str, int] = {}
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
        await self._learn()
        now = self._shared.clock.now()
        before, self._expired = self._expired, {name: at for name, at in self._lasting.items() if at <= now}
        for session, expired in self._expired.items():
            if before.get(session) == expired:
                await self._try(session, expired)

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

    async def _learn(self) -> None:
        """When each session that has not ended expires (ms UTC)."""
        bucket = self._shared.store.session
        upto = await bucket.revision()
        async for entry in bucket.scan([subjects.sessions_filter()], after=self._read):
            record = lenient.entry(entry, _record)
            if record is None:
                continue
            self._lasting.pop(record.session, None)
            if sessions.lasting(record):
                self._lasting[record.session] = record.expires_at
        self._read = upto

    async def _try(self, session: str, expired: int) -> None:
        """As `_end`; one that cannot be ended now keeps no other from being, and is tried again at the next look."""
        try:
            await self._end(session, expired)
        except AWAY:
            raise
        except EunoeError as error:
            logger.error("the session %s is not ended: %s", session, error, extra={"action": "session_not_ended"})

    async def _end(self, session: str, expired: int) -> None:
        """Under a producer of its own, so that however many replicas append it, and however often, it is there once."""
        chain = subjects.book_chain("session", session)
        event = SessionEnded(at=expired, reason=REASON)
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer=f"{PRODUCER}-{expired}", n=1, events=(event,))
        reply = await self._shared.auditor.append(chain, request)
        self._ended += not reply.duplicate
        logger.info("the session %s expired", session, extra={"action": "session_ended", "chain": chain})
