"""Answering what is asked of one session: whether it is there, when it expires, what it carries, how much it holds."""

from __future__ import annotations

from collections.abc import Mapping

from eunoe.facts import lenient, sessions
from eunoe.facts.duty import Duty, Shared
from eunoe.facts.fold import fold
from eunoe.facts.visibility import Viewer, seen
from eunoe.runtime.doors import Handler
from eunoe.schemas import ids, subjects
from eunoe.schemas.facts import SessionRecord
from eunoe.schemas.requests import SessionReply, SessionRequest
from eunoe.schemas.subjects import Address


class SessionsAnswering(Duty):
    """Serves ``session``: who sees a session's facts sees its record, also when it is over."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def handlers(self) -> Mapping[str, Handler]:
        return {"session": self._shared.serve(SessionRequest, self._session)}

    async def _session(self, address: Address, request: SessionRequest) -> SessionReply:
        session = ids.check(request.session, "session")
        record = await self._shared.facts.sessions.get(session)
        if record is None:
            return SessionReply()
        now = self._shared.clock.now()
        facts = await self._facts(record, Viewer(address.caller, address.thread, session), now)
        return SessionReply(record=record, status=sessions.status(record, now, facts), facts=facts)

    async def _facts(self, record: SessionRecord, viewer: Viewer, now: int) -> int:
        """How many facts of the session are in force and seen now."""
        count = 0
        async for entry in self._shared.store.session.scan([subjects.facts_of(record.session)]):
            document = lenient.document(entry)
            if document is not None and seen(document.identity, viewer, record, now):
                left = sessions.left(document, record.ended)
                view = fold(left, single=self._shared.kinds[left.identity.subject].single, valid=now)
                count += len(view.facts)
        return count
