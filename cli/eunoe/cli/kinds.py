"""`eunoe kinds`: which kinds of facts and which labels there are."""

from __future__ import annotations

import typer

from eunoe.cli import kinds_view
from eunoe.cli.app import App
from eunoe.cli.asking import ask
from eunoe.cli.connect import look
from eunoe.cli.pages import emit_page
from eunoe.runtime.session import Session
from eunoe.schemas.requests import KindsReply


def register(app: App) -> None:
    app.command("kinds", epilog="Example: eunoe kinds --json")(kinds)


def kinds(ctx: typer.Context) -> None:
    """List the kinds of facts and the labels, and say how to add one."""
    emit_page(ctx, look(ctx, declared), kinds_view.kinds)


async def declared(session: Session) -> KindsReply:
    """The kinds and labels of the workers that answer."""
    return await ask(session, "kinds", {}, KindsReply)
