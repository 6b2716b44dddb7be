"""Turns and threads for scripts: the names of their asynchronous twins, without ``await``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Literal, ParamSpec, TypeVar, Unpack

from anyio.from_thread import BlockingPortal

from eunoe.client import thread as threads
from eunoe.client import turn as turns
from eunoe.client.composing import How
from eunoe.client.tickets import Receipt
from eunoe.schemas import limits
from eunoe.schemas.context import Context
from eunoe.schemas.context import Format as ContextFormat
from eunoe.schemas.events import Attachment, Event
from eunoe.schemas.requests import (
    DistillationsReply,
    DistilReply,
    HeadReply,
    Refused,
    Shown,
    ShowReply,
    SummaryReply,
    TurnLine,
)

P = ParamSpec("P")
T = TypeVar("T")


class Runs:
    """Runs the asynchronous twin's methods in the portal's loop."""

    def __init__(self, portal: BlockingPortal) -> None:
        self._portal = portal

    def _run(self, call: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        async def called() -> T:
            return await call(*args, **kwargs)

        return self._portal.call(called)


class Turn(Runs):
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

    @property
    def preview(self) -> str:
        return self._turn.preview

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
        **how: Unpack[How],
    ) -> Context:
        return self._run(self._turn.context, window, format, **how)

    def refused(self, tokens: int | None = None) -> Context:
        return self._run(self._turn.refused, tokens)

    def commit(self) -> Receipt:
        return self._run(self._turn.commit)

    def abort(self, reason: str) -> Receipt:
        return self._run(self._turn.abort, reason)


class Thread(Runs):
    """`eunoe.client.Thread`."""

    def __init__(self, portal: BlockingPortal, thread: threads.Thread) -> None:
        super().__init__(portal)
        self._thread = thread

    @property
    def id(self) -> str:
        return self._thread.id

    @property
    def agent(self) -> str:
        return self._thread.agent

    @property
    def session(self) -> str:
        return self._thread.session

    @property
    def chain(self) -> str:
        return self._thread.chain

    def turn(
        self,
        prompt: str | None = None,
        *,
        instructions: str = "",
        attachments: Sequence[Attachment] = (),
        key: str = "",
        preview: str | None = None,
    ) -> Turn:
        turn = self._thread.turn(prompt, instructions=instructions, attachments=attachments, key=key, preview=preview)
        return Turn(self._portal, turn)

    def append(self, *events: Event, turn: str = "") -> Receipt:
        return self._run(self._thread.append, *events, turn=turn)

    def context(
        self,
        window: int | None = None,
        format: ContextFormat = "openai",  # noqa: A002 - the word of the API
        *,
        prompt: str = "",
        turn: int | None = None,
        nth: int | None = None,
        preview: str | None = None,
        **how: Unpack[How],
    ) -> Context:
        return self._run(
            self._thread.context, window, format, prompt=prompt, turn=turn, nth=nth, preview=preview, **how
        )

    def compose(
        self,
        *,
        window: int | None = None,
        format: ContextFormat = "openai",  # noqa: A002 - the word of the API
        key: str = "",
        prompt: str = "",
        turn: int | None = None,
        nth: int | None = None,
        store: bool = False,
        refused: Refused | None = None,
        preview: str | None = None,
        **how: Unpack[How],
    ) -> Context:
        return self._run(
            self._thread.compose,
            window=window,
            format=format,
            key=key,
            prompt=prompt,
            turn=turn,
            nth=nth,
            store=store,
            refused=refused,
            preview=preview,
            **how,
        )

    def show(self, entry: int) -> Shown:
        return self._run(self._thread.show, entry)

    def entries(self, *, after: int = 0, limit: int = 100, preview: int = 400) -> ShowReply:
        return self._run(self._thread.entries, after=after, limit=limit, preview=preview)

    def turns(self, *, after: int = 0, limit: int = 200, wait: float = 0.0) -> tuple[TurnLine, ...]:
        return self._run(self._thread.turns, after=after, limit=limit, wait=wait)

    def extracted(self, turn: int, *, seconds: float = limits.WAIT_SECONDS) -> TurnLine:
        return self._run(self._thread.extracted, turn, seconds=seconds)

    def distil(self, *, up_to: int = 0, seconds: float | None = None) -> DistilReply:
        return self._run(self._thread.distil, up_to=up_to, seconds=seconds)

    def summarise(self, *, up_to: int = 0, seconds: float | None = None) -> DistilReply:
        return self._run(self._thread.summarise, up_to=up_to, seconds=seconds)

    def summary(self, *, all: bool = False) -> SummaryReply:  # noqa: A002 - the word of the command line
        return self._run(self._thread.summary, all=all)

    def distillations(self, *, limit: int = limits.DISTILLATIONS_SHOWN, before: int = 0) -> DistillationsReply:
        return self._run(self._thread.distillations, limit=limit, before=before)

    def head(self) -> HeadReply:
        return self._run(self._thread.head)

    def export(self) -> Iterator[bytes]:
        lines = self._thread.export()
        while True:
            line = self._run(anext, lines, b"")
            if not line:
                return
            yield line
