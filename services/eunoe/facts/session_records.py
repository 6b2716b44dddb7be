"""The records of sessions in their bucket: merged by compare-and-set, and read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

import anyio.lowlevel
import msgspec

from eunoe.facts import sessions
from eunoe.facts.lineage import Order
from eunoe.runtime.doors import Documents
from eunoe.schemas import subjects
from eunoe.schemas.errors import Conflict
from eunoe.schemas.facts import SessionRecord

_KEPT = 4_096  # sessions whose record is remembered

_decode = msgspec.json.Decoder(SessionRecord).decode
_encode = msgspec.json.Encoder(order="deterministic").encode


class SessionRecords:
    """What is known of the sessions of one space. What is remembered may lack what another replica wrote."""

    def __init__(self, bucket: Documents) -> None:
        self._bucket = bucket
        self._known: OrderedDict[str, tuple[SessionRecord, int]] = OrderedDict()

    def forget(self) -> None:
        """Forget every remembered record, after the buckets were made again."""
        self._known.clear()

    async def get(self, session: str) -> SessionRecord | None:
        """The record as it is stored, None when nothing was ever written to the session."""
        entry = await self._bucket.get(subjects.session_key(session))
        return _decode(entry.value) if entry else None

    async def end(self, session: str, *, fence: int = 0) -> Order:
        """The order up to which a session is over; with ``fence``, as the bucket says from that revision on."""
        if not fence and session in self._known:
            return self._known[session][0].ended
        found = await self._bucket.find([subjects.session_key(session)], fence=fence)
        if not found.entries:
            return sessions.NEVER
        record = _decode(found.entries[0].value)
        self._remember(session, record, found.entries[0].revision)
        return record.ended

    async def note(self, said: Mapping[str, SessionRecord]) -> None:
        """Add what records say of sessions to what is stored; written only where that changes something."""
        for session, more in said.items():
            while not await self._noted(session, more):
                await anyio.lowlevel.checkpoint()

    async def _noted(self, session: str, more: SessionRecord) -> bool:
        known = self._known.get(session)
        if known and sessions.merge(known[0], more) == known[0]:
            return True
        key = subjects.session_key(session)
        if known is None:
            entry = await self._bucket.get(key)
            known = (_decode(entry.value), entry.revision) if entry else None
        before, revision = known or (sessions.new(session), 0)
        after = sessions.merge(before, more)
        if after == before and revision:
            self._remember(session, before, revision)
            return True
        try:
            written = await self._bucket.put(key, _encode(after), expect=revision)
        except Conflict:
            self._known.pop(session, None)
            return False
        self._remember(session, after, written)
        return True

    def _remember(self, session: str, record: SessionRecord, revision: int) -> None:
        """The newest that was seen; what was read while somebody wrote is older."""
        if session in self._known and self._known[session][1] > revision:
            return
        self._known[session] = (record, revision)
        self._known.move_to_end(session)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
