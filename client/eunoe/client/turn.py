"""One turn of a thread while it is open: what was asked, said, called and seen."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Unpack

import anyio

from eunoe.client import arguments, jsontext, messages, providers
from eunoe.client.arguments import checked
from eunoe.client.composing import How
from eunoe.client.tickets import Receipt
from eunoe.schemas import ids
from eunoe.schemas.context import Context, Format
from eunoe.schemas.errors import EunoeError, Invalid
from eunoe.schemas.events import (
    Attachment,
    Entry,
    Event,
    Instructions,
    Prompt,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
    Usage,
)
from eunoe.schemas.requests import Refused

if TYPE_CHECKING:
    from eunoe.client.thread import Thread

logger = logging.getLogger(__name__)

ABORT_SECONDS = 5.0  # seconds that recording an abort may hold up the exception that caused it


class Turn:
    """A turn: opened on entering, committed on leaving, aborted with the reason when an exception leaves.

    ``number`` is the turn's number in its thread, 0 until the log has it. A turn of a ``preview`` sees that one's
    facts, and what is stated in it is seen there only.
    """

    def __init__(
        self,
        thread: Thread,
        prompt: str | None,
        *,
        instructions: str = "",
        attachments: Sequence[Attachment] = (),
        key: str = "",
        preview: str | None = None,
    ) -> None:
        for name, kind, value in (
            ("prompt", str | None, prompt),
            ("instructions", str, instructions),
            ("attachments", Sequence[Attachment], attachments),
            ("key", str, key),
        ):
            arguments.check(name, kind, value, "a turn")
        self.thread = thread
        self.preview = ids.check(preview, "preview") if preview is not None else ""
        self.key = key or uuid.uuid4().hex
        self.number = 0
        self._prompt = prompt
        self._instructions = instructions
        self._attachments = tuple(attachments)
        self._tools: dict[str, str] = {}
        self._calls = 0
        self._ended = False
        self._given: Context | None = None
        self._how = How()

    async def __aenter__(self) -> Turn:
        opened: list[Event] = [
            TurnOpened(key=self.key, agent=self.thread.agent, session=self.thread.session, preview=self.preview)
        ]
        if self._instructions:
            opened.append(Instructions(content=providers.mended(self._instructions)))
        if self._prompt is not None:
            opened.append(Prompt(content=providers.mended(self._prompt), attachments=self._attachments))
        try:
            await self.append(*opened)
        except BaseException as error:
            await self._abort_after(error)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ended:
            return
        if error is None:
            await self.commit()
        else:
            await self._abort_after(error)

    async def append(self, *events: Event) -> Receipt:
        """Append events of this turn; raises what `Thread.append` does."""
        receipt = await self.thread.append(*events, turn=self.key)
        self.number = self.number or receipt.turn
        return receipt

    async def reply(self, reply: object) -> Receipt:
        """What the model said: text, a message, or what its API returned, with tool calls, thinking and usage."""
        return await self._said(providers.events_of(reply))

    @checked
    async def call(self, tool: object, arguments: Any = None, *, call: str = "") -> Receipt:
        """A tool call: the tool's name with its arguments (JSON text, or a value), or a call as an API wrote it."""
        if not isinstance(tool, str):
            return await self._said(providers.calls_of(tool))
        self._calls += 1
        content = providers.mended(jsontext.as_written({} if arguments is None else arguments))
        return await self._said([ToolCall(call=call or f"call-{self._calls}", tool=tool, content=content)])

    @checked
    async def result(
        self,
        result: object,
        *,
        call: str = "",
        tool: str = "",
        status: Literal["ok", "failed"] = "ok",
        exit_status: int | None = None,
    ) -> Receipt:
        """What a tool gave back: text, a tool message, or a tool_result block.

        Text answers ``call``, or, where none is named, the only call without a result. Raises `Invalid` when
        there is no such call, or when there are several: each result must say which one it answers.
        """
        if not isinstance(result, str):
            return await self._said(providers.results_of(result))
        answered = call or self._only_open()
        content = providers.mended(result)
        return await self._said(
            [ToolResult(call=answered, tool=tool, content=content, status=status, exit_status=exit_status)]
        )

    async def usage(self, *, model: str = "", input_tokens: int = 0, output_tokens: int = 0) -> Receipt:
        """Tokens of one model call, where its reply did not carry them."""
        arguments.check("model", str, model, "usage")
        for name, tokens in (("input_tokens", input_tokens), ("output_tokens", output_tokens)):
            arguments.check(name, int, tokens, "usage")
            if tokens < 0:
                raise Invalid(f"{name} of usage is a number of tokens, not {tokens}")
        return await self.append(Usage(model=model, input_tokens=input_tokens, output_tokens=output_tokens))

    async def context(
        self,
        window: int | None = None,
        format: Format = "openai",  # noqa: A002 - the word of the API
        **how: Unpack[How],
    ) -> Context:
        """The context of this turn's next model call, logged before it is handed out.

        ``window``: its tokens, None for the setting. Everything else is in `eunoe.client.composing.How`.
        """
        given = await self.thread.compose(window=window, format=format, key=self.key, store=True, **how)
        self._given, self._how = given, how
        return given

    async def refused(self, tokens: int | None = None) -> Context:
        """A smaller context in the place of the turn's last one, since its provider refused that as too long.

        ``tokens`` are what the provider counted, by which the new one fits; without a count it is one more than the
        window, the least that it can have been. Everything else is as it was for the last. Where no answer came, it
        may be called again. Raises `DoesNotFit` when nothing smaller is possible, and when what stands in the place of
        a refused context is refused too.
        """
        if self._given is None:
            raise Invalid("no context of this turn was handed out, so none can be refused; ask for one with context()")
        arguments.check("tokens", int | None, tokens, "refused")
        last = self._given
        counted = last.window + 1 if tokens is None else tokens
        self._given = await self.thread.compose(
            window=last.window,
            format=last.format,
            key=self.key,
            store=True,
            refused=Refused(context=last.id, tokens=counted),
            **self._how,
        )
        return self._given

    async def commit(self) -> Receipt:
        """End the turn: it happened."""
        self._ended = True
        return await self.append(TurnCommitted())

    @checked
    async def abort(self, reason: str) -> Receipt:
        """End the turn: it did not happen. It stays in the log and never enters a context."""
        self._ended = True
        return await self.append(TurnAborted(reason=providers.mended(reason)))

    def _only_open(self) -> str:
        """The call that waits for its result, when no other does."""
        if not self._tools:
            raise Invalid("no call of this turn waits for a result; name the call that this one answers")
        if len(self._tools) > 1:
            waiting = ", ".join(f"{call!r} ({tool})" for call, tool in self._tools.items())
            raise Invalid(f"{len(self._tools)} calls wait for a result: {waiting}; say which with call=")
        return next(iter(self._tools))

    async def _said(self, events: Sequence[Entry | Usage]) -> Receipt:
        entries = [event for event in events if not isinstance(event, Usage)]
        named: list[Event] = list(messages.name_results(entries, self._tools))
        return await self.append(*named, *(event for event in events if isinstance(event, Usage)))

    async def _abort_after(self, error: BaseException) -> None:
        """Abort because of an exception, which is what the caller is to see, whatever becomes of the abort."""
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        with anyio.move_on_after(ABORT_SECONDS, shield=True):
            try:
                await self.abort(reason)
            except EunoeError as failed:
                logger.warning("the turn %s is not aborted yet: %s", self.key, failed, extra={"action": "abort_waits"})
