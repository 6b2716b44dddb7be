"""`eunoe threads` and `eunoe show`: what is kept, and any of it word for word."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.text import Text

from eunoe.cli import threads_view
from eunoe.cli.app import App, choices
from eunoe.cli.asking import ask
from eunoe.cli.connect import look
from eunoe.cli.output import console, emit_json
from eunoe.cli.pages import emit_page, verbatim
from eunoe.runtime.session import Session
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.requests import Shown, ShowReply, ShowRequest, ThreadsReply, ThreadsRequest

PREVIEW = 400  # bytes of each entry's content in a list


def register(app: App) -> None:
    app.command("threads", epilog="Example: eunoe threads --limit 20")(threads)
    app.command("show", epilog="Example: eunoe show builder 12 > output.txt")(show)


def threads(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=limits.PAGE_FACTS, help="Threads on a page.")] = 50,
    cursor: Annotated[str, typer.Option(metavar="CURSOR", help="Go on where the last page ended.")] = "",
) -> None:
    """List the threads, the one that changed last first."""
    emit_page(ctx, look(ctx, _threads, ThreadsRequest(newest=True, limit=limit, cursor=cursor)), threads_view.threads)


def show(
    ctx: typer.Context,
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="A thread's id.")],
    entry: Annotated[
        int | None, typer.Argument(metavar="ENTRY", min=1, help="An entry: its whole content, byte for byte.")
    ] = None,
    after: Annotated[int, typer.Option(metavar="ENTRY", min=0, help="Begin the list after this entry.")] = 0,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Entries in the list.")] = 100,
) -> None:
    """Show a thread's entries, or one of them whole."""
    ids.check(thread, "thread")
    if entry is None:
        reply = look(ctx, _show, thread, ShowRequest(after=after, limit=limit, preview=PREVIEW))
        emit_page(ctx, reply, lambda found, width: threads_view.entries(thread, found, width))
        return
    shown = look(ctx, _show, thread, ShowRequest(entry=entry)).entries[0]
    if choices(ctx).json:
        emit_json(shown)
    elif sys.stdout.isatty():
        _to_terminal(ctx, thread, shown)
    else:
        sys.stdout.buffer.write(shown.content.encode())


async def _threads(session: Session, request: ThreadsRequest) -> ThreadsReply:
    return await ask(session, "threads", request, ThreadsReply)


async def _show(session: Session, thread: str, request: ShowRequest) -> ShowReply:
    return await ask(session, "show", request, ShowReply, subjects.thread_chain(thread))


def _to_terminal(ctx: typer.Context, thread: str, shown: Shown) -> None:
    out = console(ctx)
    out.print(Text(threads_view.heading(thread, shown), style="bold"))
    for line in threads_view.attached(shown):
        out.print(verbatim(line), style="dim", soft_wrap=True)
    out.print(verbatim(shown.content), soft_wrap=True)
