"""The workers as seen from elsewhere: the way into the log, and who is running."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from eunoe.runtime.backoff import answer_within, backoff
from eunoe.runtime.connection import Connection
from eunoe.runtime.requester import NO_RESPONDERS, Requester
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import OutcomeUnknown
from eunoe.schemas.requests import AppendReply, AppendRequest, HeadReply, HeadRequest
from eunoe.schemas.subjects import Caller

logger = logging.getLogger(__name__)

ATTEMPTS = 4  # times an append whose outcome is unknown is sent, under the same bytes
PAUSE_SECONDS = 0.1  # seconds before it is sent again; doubles
DISCOVER_SECONDS = 0.5  # seconds in which running workers answer

_appended = msgspec.json.Decoder(AppendReply)
_head = msgspec.json.Decoder(HeadReply)


class RemoteAuditor:
    """A `doors.Auditor`: appends through an audit worker, in the name of ``caller``."""

    def __init__(self, requester: Requester, space: str, caller: Caller) -> None:
        self._requester = requester
        self._space = space
        self._caller = caller

    async def append(self, chain: str, request: AppendRequest) -> AppendReply:
        """Append; a request whose outcome is unknown is sent again as it was, `ATTEMPTS` times at most."""
        subject = subjects.append(self._space, self._caller, chain)
        return _appended.decode(await self._sent(subject, msgspec.json.encode(request)))

    async def head(self, chain: str, producer: str = "") -> HeadReply:
        subject = subjects.request(self._space, "head", self._caller, chain)
        return _head.decode(await self._sent(subject, msgspec.json.encode(HeadRequest(producer=producer))))

    async def _sent(self, subject: str, data: bytes) -> bytes:
        for attempt in range(1, ATTEMPTS):
            try:
                return await self._requester.request(subject, data, timeout=answer_within(attempt))
            except OutcomeUnknown as error:
                logger.info("%s; sending it again", error, extra={"action": "append_again"})
                await asyncio.sleep(backoff(attempt, first=PAUSE_SECONDS))
        return await self._requester.request(subject, data, timeout=limits.REQUEST_SECONDS)


@dataclass(frozen=True, slots=True)
class Running:
    """A worker that answered. ``started`` is RFC 3339; ``verbs`` are what it serves, with requests and errors."""

    worker: str
    id: str
    version: str
    started: str
    verbs: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    statistics: Mapping[str, int] = field(default_factory=dict)


async def discover(connection: Connection, space: str, *, seconds: float = DISCOVER_SECONDS) -> list[Running]:
    """The workers of a space that run now, with their statistics, by name."""
    requester = await Requester.open(connection)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    found: list[Running] = []
    try:
        call = await requester.send("$SRV.STATS", b"", timeout=seconds)
        while True:
            answer = await call.take(max(deadline - loop.time(), 0.0))
            if answer.status == NO_RESPONDERS:
                break
            if (one := _running(space, answer.data)) is not None:
                found.append(one)
    except TimeoutError:
        pass
    finally:
        await requester.close()
    return sorted(found, key=lambda one: (one.worker, one.id))


def _running(space: str, data: bytes) -> Running | None:
    """One answer, or None when it is of another space or no worker of ours."""
    try:
        said: dict[str, Any] = msgspec.json.decode(data)
    except msgspec.DecodeError:
        return None
    about = said.get("metadata") or {}
    if about.get("space") != space or "worker" not in about:
        return None
    verbs = {one["name"]: (one["num_requests"], one["num_errors"]) for one in said.get("endpoints") or ()}
    return Running(
        worker=about["worker"],
        id=said["id"],
        version=said["version"],
        started=said["started"],
        verbs=verbs,
        statistics=said.get("statistics") or {},
    )
