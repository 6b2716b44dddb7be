"""What scripts ask of facts, sessions and threads: the names of the asynchronous twin, without ``await``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from anyio.from_thread import BlockingPortal

from eunoe.client.asking import Asking as Asynchronous
from eunoe.client.stating import Moment
from eunoe.client.sync_thread import Runs
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactReply, FactsReply, KindsReply, SessionReply, ThreadsReply, WhyReply

_Memory = TypeVar("_Memory", bound=Asynchronous)


class Asking(Runs, Generic[_Memory]):
    """The reads of `eunoe.client.Memory`."""

    def __init__(self, portal: BlockingPortal, memory: _Memory) -> None:
        super().__init__(portal)
        self._memory = memory

    def threads(
        self,
        *,
        limit: int = 200,
        cursor: str = "",
    ) -> ThreadsReply:
        return self._run(self._memory.threads, limit=limit, cursor=cursor)

    def facts(
        self,
        *,
        scope: Scope | None = None,
        thread: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        all: bool = False,  # noqa: A002 - the word of the API
        subject: str | None = None,
        labels: Sequence[str] = (),
        pinned: bool = False,
        proposed: bool = False,
        conflicts: bool = False,
        since: int = 0,
        recorded: Moment | None = None,
        valid: Moment | None = None,
        preview: str | None = None,
        own: bool = False,
        limit: int = 200,
        cursor: str = "",
    ) -> FactsReply:
        return self._run(
            self._memory.facts,
            scope=scope,
            thread=thread,
            session=session,
            agent=agent,
            all=all,
            subject=subject,
            labels=labels,
            pinned=pinned,
            proposed=proposed,
            conflicts=conflicts,
            since=since,
            recorded=recorded,
            valid=valid,
            preview=preview,
            own=own,
            limit=limit,
            cursor=cursor,
        )

    def fact(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
        recorded: Moment | None = None,
        valid: Moment | None = None,
        content: bool = False,
    ) -> FactReply:
        return self._run(
            self._memory.fact,
            id,
            thread=thread,
            session=session,
            preview=preview,
            recorded=recorded,
            valid=valid,
            content=content,
        )

    def conflicts(
        self,
        *,
        limit: int = 200,
        cursor: str = "",
    ) -> FactsReply:
        return self._run(self._memory.conflicts, limit=limit, cursor=cursor)

    def proposed(
        self,
        *,
        limit: int = 200,
        cursor: str = "",
    ) -> FactsReply:
        return self._run(self._memory.proposed, limit=limit, cursor=cursor)

    def why(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
    ) -> WhyReply:
        return self._run(self._memory.why, id, thread=thread, session=session, preview=preview)

    def session(
        self,
        id: str,  # noqa: A002 - the word of the API
    ) -> SessionReply:
        return self._run(self._memory.session, id)

    def kinds(
        self,
    ) -> KindsReply:
        return self._run(self._memory.kinds)
