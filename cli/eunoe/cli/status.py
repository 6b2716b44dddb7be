"""`eunoe status`: who runs, what waits, and what is wrong."""

from __future__ import annotations

import typer
from rich.console import Group
from rich.text import Text

from eunoe.cli.app import App
from eunoe.cli.connect import look
from eunoe.cli.output import emit, table
from eunoe.runtime.session import Session
from eunoe.runtime.status import Status
from eunoe.runtime.status import status as ask


def register(app: App) -> None:
    app.command("status", epilog="Example: eunoe status --json")(status)


def status(ctx: typer.Context) -> None:
    """Show who runs and what waits; exit with 1 if something is wrong."""
    found = look(ctx, _fetch)
    emit(ctx, found, _render)
    if found.wrong:
        raise typer.Exit(1)


async def _fetch(session: Session) -> Status:
    return await ask(session.requester, session.store)


def _render(found: Status) -> Group:
    made = table("worker", "running", "waiting", "in hand", "requests", "errors", "conflicts",
                 right=("running", "waiting", "in hand", "requests", "errors", "conflicts"))  # fmt: skip
    for worker in found.workers:
        counts = (worker.running, worker.waiting, worker.in_hand, worker.requests, worker.errors, worker.conflicts)
        made.add_row(worker.name, *map(str, counts), style="" if worker.running else "red")
    head = Text(f"space {found.space} at {found.url}: {found.records} records, {found.jobs} jobs, {found.dead} dead")
    wrong = [Text(f"wrong: {line}", style="red") for line in found.wrong]
    return Group(head, Text(), made, *([Text(), *wrong] if wrong else []))
