"""`eunoe distil` and `eunoe summarise`: have now what otherwise is done when turns leave contexts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from eunoe.cli import distil_view
from eunoe.cli.app import App
from eunoe.cli.asking import gate, require_thread
from eunoe.cli.connect import run
from eunoe.cli.distil_view import Made
from eunoe.cli.distillations import facts_of
from eunoe.cli.output import console
from eunoe.cli.pages import emit_page
from eunoe.client import distilling
from eunoe.client.distilling import Work
from eunoe.runtime.session import Session
from eunoe.schemas import ids
from eunoe.schemas.requests import DistilReply

WAIT_SECONDS = 60.0  # seconds that a command waits for the end where none are given

ThreadArgument = Annotated[str, typer.Argument(metavar="THREAD", help="A thread's id.")]
UpToOption = Annotated[int, typer.Option(metavar="TURN", min=0, help="Up to this turn; 0: every committed one.")]
WaitOption = Annotated[float, typer.Option(metavar="SECONDS", min=0, help="Seconds to wait for the end.")]

Say = Callable[[DistilReply], None]


def register(app: App) -> None:
    app.command("distil", epilog="Example: eunoe distil builder --up-to 12")(distil)
    app.command("summarise", epilog="Example: eunoe summarise builder")(summarise)


def distil(ctx: typer.Context, thread: ThreadArgument, up_to: UpToOption = 0, wait: WaitOption = WAIT_SECONDS) -> None:
    """Draw facts from what was said in a thread, now.

    It is done by itself when turns leave contexts, and what is done is not done again. Exit with 1 if something
    failed, or is not done when the wait ends: then it goes on in the background.
    """
    _work(ctx, "distil", thread, up_to, wait)


def summarise(
    ctx: typer.Context, thread: ThreadArgument, up_to: UpToOption = 0, wait: WaitOption = WAIT_SECONDS
) -> None:
    """Bring a thread's running summary up to date, now.

    It is done by itself when turns leave contexts. Exit with 1 if something failed, or is not done when the wait ends:
    then it goes on in the background.
    """
    _work(ctx, "summarise", thread, up_to, wait)


def _work(ctx: typer.Context, verb: Work, thread: str, up_to: int, wait: float) -> None:
    found = run(ctx, _done, verb, ids.check(thread, "thread"), up_to, wait, _progress(ctx, verb))
    emit_page(ctx, found, distil_view.made)
    if not found.well:
        raise typer.Exit(1)


def _progress(ctx: typer.Context, verb: Work) -> Say:
    """Says on standard error how far it is, when that changes."""
    err = console(ctx, stderr=True)
    said: set[str] = set()

    def say(reply: DistilReply) -> None:
        line = distil_view.progress(verb, reply)
        if line not in said:
            said.add(line)
            err.print(line, soft_wrap=True)

    return say


async def _done(session: Session, verb: Work, thread: str, up_to: int, wait: float, say: Say) -> Made:
    await require_thread(session, thread)
    asked = gate(session)
    reply = await distilling.work(asked, verb, thread, up_to=up_to, seconds=wait, told=say)
    newest = reply.distillations[-distil_view.WHOLE :]
    facts = await facts_of(session, thread, newest, reply.position)
    return Made(verb, thread, reply, facts)
