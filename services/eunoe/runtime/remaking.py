"""Having the facts made again by the facts workers, from elsewhere."""

from __future__ import annotations

import anyio
import msgspec

from eunoe.runtime.requester import Requester
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Unreachable
from eunoe.schemas.requests import RebuildReply, RebuildRequest
from eunoe.schemas.subjects import Caller

LOOK_SECONDS = 0.2  # seconds between two questions how far it is

_reply = msgspec.json.Decoder(RebuildReply)


class Remaking:
    """Asks for the facts to be made again, in the name of ``caller``, and waits until they are."""

    def __init__(self, requester: Requester, space: str, caller: Caller) -> None:
        self._requester = requester
        self._subject = subjects.request(space, "rebuild", caller)

    async def __call__(self, id: str, reason: str) -> None:  # noqa: A002 - the word of the request
        """Make them again once under this id; raises `WorkerMissing` while no facts worker runs, `Unreachable` when
        it failed."""
        start = RebuildRequest(action="start", id=id, reason=reason)
        reply = await self._ask(start)
        while reply.run is None or reply.run.id != id or not reply.run.over:
            await anyio.sleep(LOOK_SECONDS)
            status = await self._ask(RebuildRequest())
            idle = status.run is None or status.run.over or status.state == "lost"
            mine = status.run is not None and status.run.id == id and status.run.over
            reply = await self._ask(start) if idle and not mine else status
        if reply.run.phase == "failed":
            raise Unreachable(f"the facts could not be made again: {reply.run.error}; that is tried again")

    async def _ask(self, request: RebuildRequest) -> RebuildReply:
        data = msgspec.json.encode(request)
        return _reply.decode(await self._requester.request(self._subject, data, timeout=limits.REQUEST_SECONDS))
