"""`eunoe rebuild`: make what is derived again from the log, or check that it is what the log says."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Annotated

import anyio
import typer

from eunoe.cli import rebuild_view
from eunoe.cli.app import App, group
from eunoe.cli.asking import ask
from eunoe.cli.connect import look
from eunoe.cli.output import console
from eunoe.cli.pages import emit_page
from eunoe.runtime.session import Session
from eunoe.schemas.errors import Busy, EunoeError, OutcomeUnknown
from eunoe.schemas.requests import RebuildReply, RebuildRequest, RebuildRun

LOOK_SECONDS = 0.25  # seconds between two questions how far it is
REASON = "asked for on the command line"

Say = Callable[[RebuildRun], None]


def register(app: App) -> None:
    rebuild = group(app, "rebuild", "Make what is derived again from the log.")
    rebuild.command("facts", epilog="Example: eunoe rebuild facts --check")(facts)


def facts(
    ctx: typer.Context,
    check: Annotated[bool, typer.Option("--check", help="Compare them with the log, and change nothing.")] = False,
) -> None:
    """Make the facts again from the log, beside those in use, and let them take their place.

    Nobody has to wait for it, and it may be interrupted. With --check: exit with 1 if the facts are not what the log
    says.
    """
    run = look(ctx, _rebuilt, check, _progress(ctx))
    emit_page(ctx, rebuild_view.rebuilt(run), rebuild_view.page)
    if run.differences:
        raise typer.Exit(1)


def _progress(ctx: typer.Context) -> Say:
    """Says on standard error what is done, each thing once."""
    err = console(ctx, stderr=True)
    said: set[str] = set()

    def say(run: RebuildRun) -> None:
        line = rebuild_view.progress(run)
        if line not in said:
            said.add(line)
            err.print(line, soft_wrap=True)

    return say


async def _rebuilt(session: Session, check: bool, say: Say) -> RebuildRun:
    """Begin a run and wait for its end; where whoever ran it is gone, it is begun again."""
    start = RebuildRequest(action="start", id=secrets.token_hex(6), check=check, reason=REASON)
    request = start
    while True:
        try:
            reply = await ask(session, "rebuild", request, RebuildReply)
        except OutcomeUnknown:
            continue
        request = RebuildRequest()
        run = reply.run
        if run and run.id == start.id and run.over:
            return _well(run)
        if run and run.id == start.id and reply.state == "running":
            say(run)
        elif run and reply.state == "running":
            who = run.by or "a worker"
            raise Busy(f"the facts are being {rebuild_view.doing(run)} already, by {who}; try again later")
        else:
            request = start
        await anyio.sleep(LOOK_SECONDS)


def _well(run: RebuildRun) -> RebuildRun:
    if run.phase == "failed":
        raise EunoeError(f"the facts were not {rebuild_view.doing(run)}: {run.error}")
    return run
