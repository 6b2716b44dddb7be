"""A conversation: what is appended to it, and what it looks like."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Unpack

import msgspec

from eunoe.client import arguments, composing, distilling, exporting
from eunoe.client.arguments import checked
from eunoe.client.composing import How
from eunoe.client.tickets import Receipt
from eunoe.client.turn import Turn
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.context import Context, Format
from eunoe.schemas.errors import NotFound
from eunoe.schemas.events import Attachment, Event
from eunoe.schemas.requests import (
    ComposeReply,
    DistillationsReply,
    DistilReply,
    HeadReply,
    Refused,
    Shown,
    ShowReply,
    ShowRequest,
    SummaryReply,
    TurnLine,
    TurnsReply,
    TurnsRequest,
)

if TYPE_CHECKING:
    from eunoe.client.memory import Memory


class Thread:
    """One thread. ``agent`` and ``session`` are those of the turns that are opened through it."""

    def __init__(self, memory: Memory, id: str, *, agent: str = "", session: str = "") -> None:  # noqa: A002
        self.memory = memory
        self.id = ids.check(id, "thread")
        self.agent = ids.check(agent, "agent") if agent else ""
        self.session = ids.check(session, "session") if session else ""
        self.chain = subjects.thread_chain(id)

    def turn(
        self,
        prompt: str | None = None,
        *,
        instructions: str = "",
        attachments: Sequence[Attachment] = (),
        key: str = "",
        preview: str | None = None,
    ) -> Turn:
        """A turn to be used with ``async with``; ``instructions`` are the caller's own, where they are new.

        ``preview``: the turn is part of that preview, sees its facts, and states its own there only.
        """
        return Turn(self, prompt, instructions=instructions, attachments=attachments, key=key, preview=preview)

    async def append(self, *events: Event, turn: str = "") -> Receipt:
        """Append events of one turn (its key), or of none; returns when they are durable and ordered.

        Raises what refuses them. `WorkerMissing`, `OutcomeUnknown` and the like with ``detail["kept"]`` mean
        that the outbox holds them and goes on delivering them: they are not to be appended again.
        """
        arguments.check("turn", str, turn, "append")
        return await self.memory.append(self.chain, turn, events)

    async def context(
        self,
        window: int | None = None,
        format: Format = "openai",  # noqa: A002 - the word of the API
        *,
        prompt: str = "",
        turn: int | None = None,
        nth: int | None = None,
        preview: str | None = None,
        **how: Unpack[How],
    ) -> Context:
        """Look: the context that ``prompt`` would get now, or, with ``turn``, the one that a past turn got.

        ``window``: its tokens; None for the setting, and, of a past turn, for its own. ``nth``: of the contexts of that
        turn the first, the second and so on, where it had several, and not the last. ``preview``: as a turn of that
        preview would see it now. Everything else is in `How`; a past turn that is composed anew, for a
        window or model that is given, can be made otherwise too. Raises `Invalid` for what would change nothing.
        """
        return await self.compose(
            window=window, format=format, prompt=prompt, turn=turn, nth=nth, preview=preview, **how
        )

    async def compose(
        self,
        *,
        window: int | None = None,
        format: Format = "openai",  # noqa: A002 - the word of the API
        key: str = "",
        prompt: str = "",
        turn: int | None = None,
        nth: int | None = None,
        store: bool = False,
        refused: Refused | None = None,
        preview: str | None = None,
        **how: Unpack[How],
    ) -> Context:
        """Ask for a context; it reflects what this client has written before.

        ``key``: inside that open turn; with ``store`` its recipe is in the log when this returns. ``refused``: the
        turn's last context, which its provider refused. Everything else is in `How`.
        """
        request = composing.request(
            self.memory.window if window is None and turn is None else window,
            format,
            how,
            key=key,
            prompt=prompt,
            turn=turn,
            nth=nth,
            store=store,
            refused=refused,
            session=self.session,
            agent=self.agent,
            preview=preview,
        )
        request = msgspec.structs.replace(request, after=await self.memory.watermark())
        timeout = request.wait + request.pending_wait + limits.REQUEST_SECONDS
        reply = await self.memory.gate.ask("compose", request, ComposeReply, self.chain, timeout=timeout)
        return reply.context

    @checked
    async def show(self, entry: int) -> Shown:
        """One entry, whole; raises `NotFound`."""
        reply = await self.memory.gate.ask("show", ShowRequest(entry=entry), ShowReply, self.chain)
        if not reply.entries:
            raise NotFound(f"there is no entry {entry} in {self.id!r}; it has {reply.total}")
        return reply.entries[0]

    @checked
    async def entries(self, *, after: int = 0, limit: int = 100, preview: int = 400) -> ShowReply:
        """Up to ``limit`` entries after entry ``after``, contents cut to ``preview`` bytes."""
        request = ShowRequest(after=after, limit=limit, preview=preview)
        return await self.memory.gate.ask("show", request, ShowReply, self.chain)

    @checked
    async def turns(self, *, after: int = 0, limit: int = 200, wait: float = 0.0) -> tuple[TurnLine, ...]:
        """Up to ``limit`` turns after turn ``after``, with what each composition changed; ``wait`` seconds (0 to 30) at
        most until the facts of none of them are pending."""
        request = TurnsRequest(after=after, limit=limit, wait=wait)
        timeout = wait + limits.REQUEST_SECONDS
        return (await self.memory.gate.ask("turns", request, TurnsReply, self.chain, timeout=timeout)).turns

    @checked
    async def extracted(self, turn: int, *, seconds: float = limits.WAIT_SECONDS) -> TurnLine:
        """Wait until the facts that tools gave in a turn are known, or cannot be: ``facts`` of its line says which, and
        ``failure`` why. It may be ``pending`` still after ``seconds`` (0 to 30), and is empty for a turn that is not
        committed.

        Raises `NotFound` for a turn that the thread does not have.
        """
        lines = await self.turns(after=turn - 1, limit=1, wait=seconds)
        if not lines or lines[0].turn != turn:
            raise NotFound(f"there is no turn {turn} in the thread {self.id!r}")
        return lines[0]

    @checked
    async def distil(self, *, up_to: int = 0, seconds: float | None = None) -> DistilReply:
        """Draw facts from what was said up to turn ``up_to`` (0: in every committed turn), as far as that is not done.

        It returns when that is done, or after ``seconds``, with the state *waiting*: it goes on by itself.
        """
        return await distilling.work(self.memory.gate, "distil", self.id, up_to=up_to, seconds=seconds)

    @checked
    async def summarise(self, *, up_to: int = 0, seconds: float | None = None) -> DistilReply:
        """Bring the running summary up to turn ``up_to`` (0: every committed turn); the rest as in `distil`."""
        return await distilling.work(self.memory.gate, "summarise", self.id, up_to=up_to, seconds=seconds)

    @checked
    async def summary(self, *, all: bool = False) -> SummaryReply:  # noqa: A002 - the word of the command line
        """The running summary, and how many committed turns are not in it; ``all``: with the older versions that are
        kept, oldest first. The last version is the one in force; there is none while nothing was summarised."""
        return await distilling.summary(self.memory.gate, self.id, every=all, after=await self.memory.watermark())

    @checked
    async def distillations(self, *, limit: int = limits.DISTILLATIONS_SHOWN, before: int = 0) -> DistillationsReply:
        """What was distilled, summarised and reviewed of this thread, the newest first, a page at a time; ``before``:
        that record."""
        return await distilling.distillations(self.memory.gate, self.id, limit=limit, before=before)

    async def head(self) -> HeadReply:
        """Where the thread ends."""
        return await self.memory.gate.head(self.chain)

    def export(self) -> AsyncIterator[bytes]:
        """The lines of an export of this thread, each with its newline, read from the log page by page."""
        return exporting.export(self.memory.gate, self.id)
