"""The client for scripts: the same names without ``await``, over an event loop in a thread of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, ParamSpec, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from eunoe.client import importing
from eunoe.client import memory as asynchronous
from eunoe.client import thread as threads
from eunoe.client import turn as turns
from eunoe.client.importing import Format, Progress, Report
from eunoe.client.stating import StatedFact
from eunoe.client.tickets import Receipt
from eunoe.runtime.settings import Settings
from eunoe.schemas.context import Context
from eunoe.schemas.context import Format as ContextFormat
from eunoe.schemas.events import Attachment, Event
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactReply, FactsReply, HeadReply, Shown, ShowReply, ThreadsReply, TurnLine
from eunoe.schemas.subjects import Role

P = ParamSpec("P")
T = TypeVar("T")


class _Runs:
    """Runs the asynchronous twin's methods in the portal's loop."""

    def __init__(self, portal: BlockingPortal) -> None:
        self._portal = portal

    def _run(self, call: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        async def called() -> T:
            return await call(*args, **kwargs)

        return self._portal.call(called)


class Turn(_Runs):
    """`eunoe.client.Turn`, to be used with ``with``."""

    def __init__(self, portal: BlockingPortal, turn: turns.Turn) -> None:
        super().__init__(portal)
        self._turn = turn

    @property
    def key(self) -> str:
        return self._turn.key

    @property
    def number(self) -> int:
        return self._turn.number

    def __enter__(self) -> Turn:
        self._run(self._turn.__aenter__)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run(self._turn.__aexit__, kind, error, trace)

    def append(self, *events: Event) -> Receipt:
        return self._run(self._turn.append, *events)

    def reply(self, reply: object) -> Receipt:
        return self._run(self._turn.reply, reply)

    def call(self, tool: object, arguments: Any = None, *, call: str = "") -> Receipt:
        return self._run(self._turn.call, tool, arguments, call=call)

    def result(
        self,
        result: object,
        *,
        call: str = "",
        tool: str = "",
        status: Literal["ok", "failed"] = "ok",
        exit_status: int | None = None,
    ) -> Receipt:
        return self._run(self._turn.result, result, call=call, tool=tool, status=status, exit_status=exit_status)

    def usage(self, *, model: str = "", input_tokens: int = 0, output_tokens: int = 0) -> Receipt:
        return self._run(self._turn.usage, model=model, input_tokens=input_tokens, output_tokens=output_tokens)

    def context(
        self,
        window: int | None = None,
        format: ContextFormat = "openai",  # noqa: A002 - the word of the API
        *,
        model: str = "",
        memory_tool: bool = False,
    ) -> Context:
        return self._run(self._turn.context, window, format, model=model, memory_tool=memory_tool)

    def commit(self) -> Receipt:
        return self._run(self._turn.commit)

    def abort(self, reason: str) -> Receipt:
        return self._run(self._turn.abort, reason)


class Thread(_Runs):
    """`eunoe.client.Thread`."""

    def __init__(self, portal: BlockingPortal, thread: threads.Thread) -> None:
        super().__init__(portal)
        self._thread = thread

    @property
    def id(self) -> str:
        return self._thread.id

    def turn(
        self,
        prompt: str | None = None,
        *,
        instructions: str = "",
        attachments: Sequence[Attachment] = (),
        key: str = "",
    ) -> Turn:
        turn = self._thread.turn(prompt, instructions=instructions, attachments=attachments, key=key)
        return Turn(self._portal, turn)

    def append(self, *events: Event, turn: str = "") -> Receipt:
        return self._run(self._thread.append, *events, turn=turn)

    def context(
        self,
        window: int | None = None,
        format: ContextFormat = "openai",  # noqa: A002 - the word of the API
        *,
        prompt: str = "",
        turn: int = 0,
        model: str = "",
    ) -> Context:
        return self._run(self._thread.context, window, format, prompt=prompt, turn=turn, model=model)

    def show(self, entry: int) -> Shown:
        return self._run(self._thread.show, entry)

    def entries(self, *, after: int = 0, limit: int = 100, preview: int = 400) -> ShowReply:
        return self._run(self._thread.entries, after=after, limit=limit, preview=preview)

    def turns(self, *, after: int = 0, limit: int = 200) -> tuple[TurnLine, ...]:
        return self._run(self._thread.turns, after=after, limit=limit)

    def head(self) -> HeadReply:
        return self._run(self._thread.head)

    def export(self) -> Iterator[bytes]:
        lines = self._thread.export()
        while True:
            line = self._run(anext, lines, b"")
            if not line:
                return
            yield line


class Memory(_Runs):
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

    def fact(self, id: str) -> FactReply:  # noqa: A002 - the word of the API
        return self._run(self._memory.fact, id)

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
