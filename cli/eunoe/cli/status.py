"""`eunoe status`: who runs, what waits, and what is wrong."""

from __future__ import annotations

import typer

from eunoe.cli import status_view
from eunoe.cli.app import App
from eunoe.cli.connect import look
from eunoe.cli.pages import emit_page
from eunoe.runtime.session import Session
from eunoe.runtime.status import Status
from eunoe.runtime.status import status as ask


def register(app: App) -> None:
    app.command("status", epilog="Example: eunoe status --json")(status)


def status(ctx: typer.Context) -> None:
    """Show who runs and what waits; exit with 1 if something is wrong."""
    found = look(ctx, _fetch)
    emit_page(ctx, found, status_view.shown)
    if found.wrong:
        raise typer.Exit(1)


async def _fetch(session: Session) -> Status:
    return await ask(session.requester, session.store)
