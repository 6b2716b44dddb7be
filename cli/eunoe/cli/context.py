"""`eunoe context`: what a model reads, and what each turn changed in it."""

from __future__ import annotations

from typing import Annotated

import typer

from eunoe.cli import context_view, previews, turns_view
from eunoe.cli.app import App
from eunoe.cli.asking import ask, given, number, require_thread
from eunoe.cli.connect import look, settings_of
from eunoe.cli.output import console
from eunoe.cli.pages import emit_page
from eunoe.runtime.session import Session
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.context import FORMATS, Context, Format
from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import ComposeReply, ComposeRequest, TurnsReply, TurnsRequest

NEXT, TURNS = "next", "turns"


def register(app: App) -> None:
    app.command("context", epilog="Example: eunoe context builder next --window 4096 --prompt 'What is left to do?'")(
        context
    )


def context(
    ctx: typer.Context,
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="A thread's id.")],
    what: Annotated[str, typer.Argument(metavar="next|TURN|turns", help="Which request, or the list.")] = NEXT,
    window: Annotated[
        int | None,
        typer.Option(metavar="TOKENS", min=limits.WINDOW_MIN, help="Tokens of the window [default: the setting]."),
    ] = None,
    format: Annotated[  # noqa: A002
        str, typer.Option(metavar="FORMAT", help=f"Shape of the messages: {', '.join(FORMATS)}.")
    ] = FORMATS[0],
    prompt: Annotated[str, typer.Option(metavar="TEXT", help="The request, as it would be asked.")] = "",
    preview: Annotated[
        str | None, typer.Option(metavar="PREVIEW", help="With next: as a turn of this preview would see it.")
    ] = None,
    after: Annotated[int, typer.Option(metavar="TURN", min=0, help="With turns: begin after this turn.")] = 0,
) -> None:
    """Show what a model reads: at the next request, or at a past turn.

    With turns instead of a turn's number: the list of turns, and what changed at each.

    Looking costs no model anything and changes nothing.
    """
    ids.check(thread, "thread")
    if what == TURNS:
        reply = look(ctx, _turns, thread, TurnsRequest(after=after))
        emit_page(ctx, reply, lambda found, width: turns_view.turns(thread, found, width))
        return
    request = ComposeRequest(
        window=window or settings_of(ctx).window,
        format=_format(format),
        prompt=prompt,
        turn=_turn(what),
        preview=given(preview, "preview"),
    )
    found, nothing = look(ctx, _compose, thread, request)
    if nothing:
        console(ctx, stderr=True).print(f"eunoe: {nothing}", soft_wrap=True)
    emit_page(ctx, found, context_view.context)


async def _compose(session: Session, thread: str, request: ComposeRequest) -> tuple[Context, str]:
    """The context; and, of the next request, that the preview which looks at it holds nothing."""
    await require_thread(session, thread)
    found = (await ask(session, "compose", request, ComposeReply, subjects.thread_chain(thread))).context
    return found, "" if request.turn else await previews.empty(session, request.preview, thread=thread)


async def _turns(session: Session, thread: str, request: TurnsRequest) -> TurnsReply:
    await require_thread(session, thread)
    return await ask(session, "turns", request, TurnsReply, subjects.thread_chain(thread))


def _turn(what: str) -> int:
    if what != NEXT and not number(what):
        raise Invalid(f"{what!r} is no turn; give its number, next (the next request) or turns (the list)")
    return number(what)


def _format(name: str) -> Format:
    for known in FORMATS:
        if name == known:
            return known
    raise Invalid(f"there is no format {name!r} of messages; the formats are {', '.join(FORMATS)}")
