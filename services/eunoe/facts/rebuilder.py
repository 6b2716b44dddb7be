"""Answering who wants the facts made again, or compared with the log: a run is begun here, and its end asked for."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping

import anyio
import msgspec

from eunoe.facts.duty import Duty, Shared
from eunoe.facts.keeper import Keeper
from eunoe.facts.lease import Lease
from eunoe.runtime import payload
from eunoe.runtime.doors import Handler
from eunoe.runtime.permissions import REBUILDERS
from eunoe.schemas import ids, limits
from eunoe.schemas.errors import Busy, Denied, EunoeError, Invalid
from eunoe.schemas.requests import RebuildReply, RebuildRequest, RebuildRun
from eunoe.schemas.subjects import Address, Caller

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 2.0  # seconds that a start waits for the end of a short run

_request = msgspec.json.Decoder(RebuildRequest)
_encode = msgspec.json.encode


class Rebuilder(Duty):
    """Serves ``rebuild``: begins a run, unless one goes on, and answers with the one that there is."""

    def __init__(self, shared: Shared, keeper: Keeper) -> None:
        self._shared = shared
        self._keeper = keeper
        self._todo: deque[tuple[Lease, anyio.Event]] = deque()
        self._begun = anyio.Event()

    def handlers(self) -> Mapping[str, Handler]:
        return {"rebuild": self._handle}

    def loops(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        return {"the rebuilding of facts waits": self._work}

    async def _handle(self, address: Address, data: bytes) -> bytes:
        request = payload.read(_request, data)
        _check(address.caller)
        await self._shared.ready.wait()
        found = await self._keeper.rebuild.status()
        if request.action == "start" and not _joins(request, found):
            try:
                await self._start(address.caller, request)
            except Busy as busy:
                logger.info("a run is not begun: %s", busy, extra={"action": "rebuild_busy"})
            found = await self._keeper.rebuild.status()
        return _encode(found)

    async def _start(self, caller: Caller, request: RebuildRequest) -> None:
        if len(request.reason) > limits.REASON_LENGTH:
            raise Invalid(f"a reason has at most {limits.REASON_LENGTH} characters")
        wanted = RebuildRun(
            v=limits.SCHEMA_VERSION,
            id=ids.check(request.id, "run"),
            holder="",
            by=f"{caller.role} {caller.principal}",
            check=request.check,
            reason=request.reason,
        )
        ended = anyio.Event()
        self._todo.append((await self._keeper.rebuild.begin(wanted), ended))
        self._begun.set()
        with anyio.move_on_after(ANSWER_SECONDS):
            await ended.wait()

    async def _work(self) -> None:
        while True:
            await self._begun.wait()
            self._begun = anyio.Event()
            while self._todo:
                lease, ended = self._todo.popleft()
                try:
                    await self._run(lease)
                finally:
                    ended.set()

    async def _run(self, lease: Lease) -> None:
        """What fails is told by the run itself; what it leaves sealed is made again at once."""
        try:
            await self._keeper.rebuild.run(lease)
        except EunoeError as error:
            logger.warning("a run over the facts failed: %s", error, extra={"action": "rebuild_failed"})
            await self._keeper.look()


def _joins(request: RebuildRequest, found: RebuildReply) -> bool:
    """Whether what is there is what is asked for: one that failed, or whose holder is gone, is begun again."""
    return found.run is not None and found.run.id == request.id and found.state in ("running", "done")


def _check(caller: Caller) -> None:
    if caller.role != "person" and not (caller.role == "worker" and caller.principal in REBUILDERS):
        raise Denied(f"{caller.kind} may not have the facts made again; a person may")
