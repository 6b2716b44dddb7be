"""`eunoe summary`: the running summary of a thread, and its older versions."""

from __future__ import annotations

from typing import Annotated

import typer

from eunoe.cli import summary_view
from eunoe.cli.app import App
from eunoe.cli.asking import gate, require_thread
from eunoe.cli.connect import look
from eunoe.cli.pages import emit_page
from eunoe.client import distilling
from eunoe.runtime.session import Session
from eunoe.schemas import ids
from eunoe.schemas.requests import SummaryReply


def register(app: App) -> None:
    app.command("summary", epilog="Example: eunoe summary builder --all")(summary)


def summary(
    ctx: typer.Context,
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="A thread's id.")],
    every: Annotated[bool, typer.Option("--all", help="With the older versions that are kept.")] = False,
) -> None:
    """Show the running summary of a thread.

    What made it, which turns it covers, and how many wait for its next version; `eunoe summarise` brings it up to date.
    """
    emit_page(ctx, look(ctx, _summary, ids.check(thread, "thread"), every), summary_view.shown)


async def _summary(session: Session, thread: str, every: bool) -> SummaryReply:
    await require_thread(session, thread)
    return await distilling.summary(gate(session), thread, every=every)
