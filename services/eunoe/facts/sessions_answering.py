"""Answering what is asked of one session: whether it is there, when it expires, what it carries, how much it holds."""

from __future__ import annotations

from collections.abc import Mapping

from eunoe.facts import lenient, sessions, wording
from eunoe.facts.duty import Duty, Shared
from eunoe.facts.session_records import Sight
from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Handler
from eunoe.schemas import ids, subjects
from eunoe.schemas.facts import Identity, SessionRecord
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
        facts = await self._facts(session, Viewer(address.caller, address.thread, session))
        status = sessions.status(record, self._shared.clock.now(), facts)
        return SessionReply(record=record, status=status, facts=facts)

    async def _facts(self, session: str, viewer: Viewer) -> int:
        """How many facts of the session are in force and seen now."""
        sight, count = Sight(self._shared.facts.sessions, viewer, self._shared.clock), 0
        if not await sight.sees(Identity("session", session, "", "")):
            return 0
        async for entry in self._shared.store.session.scan([subjects.facts_of(session)]):
            document = lenient.document(entry)
            if document is not None and await sight.sees(document.identity):
                count += len(wording.in_force(self._shared.facts.view(document)))
        return count
