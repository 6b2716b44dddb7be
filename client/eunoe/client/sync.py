"""The client for scripts: the same names without ``await``, over an event loop in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from anyio.from_thread import start_blocking_portal

from eunoe.client import importing
from eunoe.client import memory as asynchronous
from eunoe.client.appending import CLOSE_SECONDS
from eunoe.client.importing import Format, Progress, Report
from eunoe.client.sync_dead import Dead
from eunoe.client.sync_thread import Thread, Turn
from eunoe.client.tickets import Receipt
from eunoe.runtime.settings import Settings
from eunoe.schemas.context import Watermark
from eunoe.schemas.events import Event
from eunoe.schemas.subjects import Role

__all__ = ["Memory", "Thread", "Turn"]


class Memory(Dead[asynchronous.Memory]):
    """`eunoe.client.Memory`: ``with Memory.connect() as memory``."""

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
    def window(self) -> int | None:
        return self._memory.window

    @window.setter
    def window(self, tokens: int | None) -> None:
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

    def append(self, chain: str, turn: str, events: Sequence[Event], *, key: str = "") -> Receipt:
        return self._run(self._memory.append, chain, turn, events, key=key)

    def delivered(self, receipt: Receipt) -> None:
        self._portal.call(self._memory.delivered, receipt)

    def watermark(self) -> Watermark:
        return self._run(self._memory.watermark)

    def statistics(self) -> dict[str, int]:
        return self._portal.call(self._memory.statistics)

    def flush(self, seconds: float = CLOSE_SECONDS) -> int:
        return self._run(self._memory.flush, seconds)

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
