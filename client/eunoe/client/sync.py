"""The client for scripts: the same names without ``await``, over an event loop in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from anyio.from_thread import BlockingPortal, start_blocking_portal

from eunoe.client import importing
from eunoe.client import memory as asynchronous
from eunoe.client.importing import Format, Progress, Report
from eunoe.client.stating import StatedFact
from eunoe.client.sync_thread import Runs, Thread, Turn
from eunoe.client.tickets import Receipt
from eunoe.runtime.settings import Settings
from eunoe.schemas.context import Watermark
from eunoe.schemas.events import Event
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactReply, FactsReply, ThreadsReply
from eunoe.schemas.subjects import Role

__all__ = ["Memory", "Thread", "Turn"]


class Memory(Runs):
    """`eunoe.client.Memory`: ``with Memory.connect() as memory``."""

    def __init__(self, portal: BlockingPortal, memory: asynchronous.Memory) -> None:
        super().__init__(portal)
        self._memory = memory

    @classmethod
    @contextmanager
    def connect(
        cls,
        url: str | None = None,
        *,
        space: str | None = None,
        role: Role | None = None,
        principal: str | None = None,
        embedded: bool | None = None,
        settings: Settings | None = None,
        outbox: str | Path | None = None,
        keep: bool | None = None,
    ) -> Iterator[Memory]:
        """As `eunoe.client.Memory.connect`."""
        connected = asynchronous.Memory.connect(
            url,
            space=space,
            role=role,
            principal=principal,
            embedded=embedded,
            settings=settings,
            outbox=outbox,
            keep=keep,
        )
        with start_blocking_portal() as portal, portal.wrap_async_context_manager(connected) as memory:
            yield cls(portal, memory)

    def thread(self, id: str, *, agent: str = "", session: str = "") -> Thread:  # noqa: A002 - the word of the API
        return Thread(self._portal, self._memory.thread(id, agent=agent, session=session))

    @property
    def window(self) -> int:
        return self._memory.window

    @window.setter
    def window(self, tokens: int) -> None:
        self._memory.window = tokens

    @property
    def patience(self) -> float:
        return self._memory.patience

    @patience.setter
    def patience(self, seconds: float) -> None:
        self._memory.patience = seconds

    @property
    def keep(self) -> bool:
        return self._memory.keep

    @keep.setter
    def keep(self, keep: bool) -> None:
        self._memory.keep = keep

    def append(self, chain: str, turn: str, events: Sequence[Event]) -> Receipt:
        return self._run(self._memory.append, chain, turn, events)

    def delivered(self, receipt: Receipt) -> None:
        self._portal.call(self._memory.delivered, receipt)

    def watermark(self) -> Watermark:
        return self._run(self._memory.watermark)

    def statistics(self) -> dict[str, int]:
        return self._portal.call(self._memory.statistics)

    def flush(self, seconds: float = asynchronous.CLOSE_SECONDS) -> int:
        return self._run(self._memory.flush, seconds)

    def threads(self, *, limit: int = 200, cursor: str = "") -> ThreadsReply:
        return self._run(self._memory.threads, limit=limit, cursor=cursor)

    def facts(
        self,
        *,
        scope: Scope | None = None,
        thread: str = "",
        session: str = "",
        agent: str = "",
        all: bool = False,  # noqa: A002 - the word of the command line
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
            limit=limit,
            cursor=cursor,
        )

    def fact(self, id: str, *, thread: str = "") -> FactReply:  # noqa: A002 - the word of the API
        return self._run(self._memory.fact, id, thread=thread)

    def state_fact(
        self,
        subject: str,
        name: str,
        value: str,
        *,
        content: str = "",
        thread: str = "",
        session: str = "",
        owner: str = "",
    ) -> StatedFact:
        return self._run(
            self._memory.state_fact,
            subject,
            name,
            value,
            content=content,
            thread=thread,
            session=session,
            owner=owner,
        )

    def approve(self, id: str) -> StatedFact:  # noqa: A002 - the word of the API
        return self._run(self._memory.approve, id)

    def delete_fact(self, id: str, reason: str = "") -> Receipt:  # noqa: A002 - the word of the API
        return self._run(self._memory.delete_fact, id, reason)

    def retire_fact(self, id: str, reason: str = "") -> Receipt:  # noqa: A002 - the word of the API
        return self._run(self._memory.retire_fact, id, reason)

    def import_file(
        self,
        path: str | Path,
        *,
        thread: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        format: Format | None = None,  # noqa: A002 - the word of the command line
        progress: Callable[[Progress], None] | None = None,
    ) -> Report:
        """As `eunoe.client.import_file`; ``progress`` is called in the client's own thread."""
        return self._run(
            importing.import_file,
            self._memory,
            path,
            thread=thread,
            agent=agent,
            session=session,
            format=format,
            progress=progress,
        )
