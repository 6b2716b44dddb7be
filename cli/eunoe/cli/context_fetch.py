"""What `eunoe context` asks the workers: contexts, lists of turns, and all that a page of them shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from eunoe.cli import previews
from eunoe.cli.asking import ask, gate, require_thread
from eunoe.cli.context_asked import TURNS, Wish, turn_of
from eunoe.runtime.session import Session
from eunoe.schemas import subjects
from eunoe.schemas.context import Context
from eunoe.schemas.errors import Denied, DoesNotFit
from eunoe.schemas.requests import (
    ComposeReply,
    ComposeRequest,
    Shown,
    ShowReply,
    ShowRequest,
    TurnLine,
    TurnsReply,
    TurnsRequest,
)

PAGED = 20  # turns on a page, where no other number is asked for
SAID_BYTES = 16_384  # bytes of one entry on a page
SAID = 200  # entries beside one context on a page


@dataclass(frozen=True, slots=True)
class Fetched:
    """A context; and, of a next request in a preview, that the preview holds nothing."""

    context: Context
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class Turned:
    """A turn on a page: its line (None for the next request), its context, or why there is none, and what was said:
    in that turn, or, where the page is of one context alone, in every turn that this shows."""

    line: TurnLine | None
    context: Context | None
    missing: str = ""
    said: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class Paged:
    """What a page shows of a thread that has ``total`` turns: some of them, oldest first."""

    thread: str
    total: int
    turns: tuple[Turned, ...]


async def looked(session: Session, thread: str, turn: int, wish: Wish, window: int) -> Fetched:
    """The context of a past turn, or of the next request (0), in ``window`` tokens where none are wished for."""
    await require_thread(session, thread)
    if turn:
        return Fetched(await _past(session, thread, turn, wish))
    return await _next(session, thread, wish.next(window))


async def compared(
    session: Session, thread: str, sides: tuple[int, int], wish: Wish, window: int
) -> tuple[Fetched, Fetched]:
    """Two contexts; the next request is composed as the past turn beside it was."""
    await require_thread(session, thread)
    past = {turn: Fetched(await _past(session, thread, turn, wish)) for turn in dict.fromkeys(sides) if turn}
    if 0 in sides:
        beside = next((found.context for found in past.values()), None)
        past[0] = await _next(session, thread, _as(wish.next(window), wish, beside))
    return past[sides[0]], past[sides[1]]


async def turns(session: Session, thread: str, request: TurnsRequest) -> TurnsReply:
    """The list of turns."""
    await require_thread(session, thread)
    return await ask(session, "turns", request, TurnsReply, subjects.thread_chain(thread))


async def paged(
    session: Session, thread: str, what: str, wish: Wish, window: int, after: int | None, limit: int | None
) -> Paged:
    """Everything that a page shows: of the newest turns, of those ``after`` a turn, or of one context alone."""
    await require_thread(session, thread)
    total = (await gate(session).head(subjects.thread_chain(thread))).turns
    if what == TURNS:
        count = limit or PAGED
        request = TurnsRequest(after=max(total - count, 0) if after is None else after, limit=count)
        reply = await turns(session, thread, request)
        found = [await _turned(session, thread, line, wish) for line in reply.turns]
        return Paged(thread, total, tuple(found))
    turn = turn_of(what)
    if not turn:
        made = await _next(session, thread, wish.next(window))
        return Paged(thread, total, (Turned(None, made.context),))
    context = await _past(session, thread, turn, wish)
    first = context.recipe.turns[0] if context.recipe.turns else turn
    lines = (await turns(session, thread, TurnsRequest(after=first - 1, limit=turn - first + 1))).turns
    shown = [line for line in lines if line.turn in (*context.recipe.turns, turn)]
    return Paged(thread, total, (Turned(lines[-1], context, said=await _said(session, thread, shown)),))


async def _turned(session: Session, thread: str, line: TurnLine, wish: Wish) -> Turned:
    said = await _said(session, thread, [line])
    try:
        return Turned(line, await _past(session, thread, line.turn, wish), said=said)
    except (Denied, DoesNotFit) as error:
        return Turned(line, None, str(error), said)


async def _said(session: Session, thread: str, lines: Sequence[TurnLine]) -> tuple[Shown, ...]:
    """What was said in some turns, as the log has it: the newest `SAID` entries."""
    spans = [line.entries for line in lines if line.entries[0]]
    if not spans:
        return ()
    last = max(end for _, end in spans)
    first = max(min(start for start, _ in spans), last - SAID + 1)
    request = ShowRequest(after=first - 1, limit=last - first + 1, preview=SAID_BYTES)
    reply = await ask(session, "show", request, ShowReply, subjects.thread_chain(thread))
    wanted = {line.turn for line in lines}
    return tuple(entry for entry in reply.entries if entry.turn in wanted)


async def _next(session: Session, thread: str, request: ComposeRequest) -> Fetched:
    found = await _composed(session, thread, request)
    return Fetched(found, await previews.empty(session, request.preview, thread=thread))


async def _past(session: Session, thread: str, turn: int, wish: Wish) -> Context:
    saw = await _composed(session, thread, wish.saw(turn))
    instead = wish.instead(saw)
    return saw if instead is None else await _composed(session, thread, instead)


async def _composed(session: Session, thread: str, request: ComposeRequest) -> Context:
    return (await ask(session, "compose", request, ComposeReply, subjects.thread_chain(thread))).context


def _as(request: ComposeRequest, wish: Wish, beside: Context | None) -> ComposeRequest:
    """The next request in the window, format and manner of the context that it is compared with."""
    if beside is None:
        return request
    return msgspec.structs.replace(
        request,
        window=wish.window or beside.window,
        format=wish.format or beside.format,
        model=wish.model or beside.recipe.model,
        memory_tool=beside.recipe.memory_tool,
    )
