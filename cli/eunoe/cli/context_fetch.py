"""What `eunoe context` asks the workers: contexts, lists of turns, and all that a page of them shows."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from eunoe.cli import previews
from eunoe.cli.asking import ask, require_thread
from eunoe.cli.context_asked import TURNS, Wish, format_of, turn_of
from eunoe.cli.context_basis import RECENT, Basis, newest
from eunoe.runtime.session import Session
from eunoe.schemas import subjects
from eunoe.schemas.context import FORMATS, Context
from eunoe.schemas.errors import Denied, DoesNotFit, NotFound
from eunoe.schemas.requests import (
    ComposeReply,
    ComposeRequest,
    HeadReply,
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
    """A context; of a next request (None: of a past one) by what it was composed, and, where it is of a preview, that
    the preview holds nothing."""

    context: Context
    basis: Basis | None = None
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class Turned:
    """A turn on a page: its line (None for the next request), its context, or why there is none, and what was said:
    in that turn, or, where the page is of one context alone, in every turn that this shows. ``basis`` is that of the
    next request."""

    line: TurnLine | None
    context: Context | None
    missing: str = ""
    said: tuple[Shown, ...] = ()
    basis: Basis | None = None


@dataclass(frozen=True, slots=True)
class Paged:
    """What a page shows of a thread that has ``total`` turns: some of them, oldest first."""

    thread: str
    total: int
    turns: tuple[Turned, ...]


async def looked(session: Session, thread: str, turn: int, wish: Wish, window: int) -> Fetched:
    """The context of a past turn, or of the next request (0); ``window`` is the setting's."""
    head = await _head(session, thread, turn)
    if turn:
        return Fetched(await _past(session, thread, turn, wish))
    return await _next(session, thread, head, wish, window)


async def compared(
    session: Session, thread: str, sides: tuple[int, int], wish: Wish, window: int
) -> tuple[Fetched, Fetched]:
    """Two contexts; the next request is the same here as alone."""
    head = await _head(session, thread, *sides)
    found = {turn: Fetched(await _past(session, thread, turn, wish)) for turn in dict.fromkeys(sides) if turn}
    if 0 in sides:
        found[0] = await _next(session, thread, head, wish, window)
    return found[sides[0]], found[sides[1]]


async def turns(session: Session, thread: str, request: TurnsRequest) -> TurnsReply:
    """The list of turns."""
    await require_thread(session, thread)
    return await ask(session, "turns", request, TurnsReply, subjects.thread_chain(thread))


async def paged(
    session: Session, thread: str, what: str, wish: Wish, window: int, after: int | None, limit: int | None
) -> Paged:
    """Everything that a page shows: of the newest turns, of those ``after`` a turn, or of one context alone."""
    turn = 0 if what == TURNS else turn_of(what)
    head = await _head(session, thread, turn)
    total = head.turns
    if what == TURNS:
        count = limit or PAGED
        request = TurnsRequest(after=max(total - count, 0) if after is None else after, limit=count)
        reply = await turns(session, thread, request)
        found = [await _turned(session, thread, line, wish) for line in reply.turns]
        return Paged(thread, total, tuple(found))
    if not turn:
        made = await _next(session, thread, head, wish, window)
        return Paged(thread, total, (Turned(None, made.context, basis=made.basis),))
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


async def _head(session: Session, thread: str, *wanted: int) -> HeadReply:
    """How far a thread is; raises `NotFound` for one that is not there, and for turns beyond its last."""
    head = await require_thread(session, thread)
    for turn in wanted:
        if turn > head.turns:
            coming = f"`eunoe context {shlex.quote(thread)} next` shows the next request"
            raise NotFound(f"there is no turn {turn} in this thread; it has {head.turns} ({coming})")
    return head


async def _next(session: Session, thread: str, head: HeadReply, wish: Wish, window: int) -> Fetched:
    """The next request of a thread."""
    recent = TurnsRequest(after=max(head.turns - RECENT, 0), limit=RECENT)
    lines = (await ask(session, "turns", recent, TurnsReply, subjects.thread_chain(thread))).turns
    line = newest(lines, session.caller)
    last = await _composed(session, thread, _again(line)) if line else None
    request = wish.next(window, last)
    found = await _composed(session, thread, request)
    basis = Basis(last.turn if last else 0, wish.instead_of_last(), found.recipe.memory_tool, tuple(sorted(head.open)))
    return Fetched(found, basis, await previews.empty(session, request.preview, thread=thread))


def _again(line: TurnLine) -> ComposeRequest:
    """The last context of a turn; in its format, should its recipe have been erased."""
    return ComposeRequest(turn=line.turn, format=format_of(line.format) or FORMATS[0])


async def _past(session: Session, thread: str, turn: int, wish: Wish) -> Context:
    saw = await _composed(session, thread, wish.saw(turn))
    instead = wish.instead(saw)
    return saw if instead is None else await _composed(session, thread, instead)


async def _composed(session: Session, thread: str, request: ComposeRequest) -> Context:
    return (await ask(session, "compose", request, ComposeReply, subjects.thread_chain(thread))).context
