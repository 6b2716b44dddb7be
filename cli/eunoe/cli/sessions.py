"""`eunoe session`: one session, the state that it carries, and its end."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import typer

from eunoe.cli import sessions_view
from eunoe.cli.app import App, group
from eunoe.cli.asking import expected_given, memory
from eunoe.cli.confirming import confirm
from eunoe.cli.connect import look, run
from eunoe.cli.pages import emit_page
from eunoe.client import Memory
from eunoe.runtime.session import Session
from eunoe.schemas import ids
from eunoe.schemas.errors import Invalid, NotFound
from eunoe.schemas.requests import SessionReply

SessionArgument = Annotated[str, typer.Argument(metavar="SESSION", help="A session's id.")]


def register(app: App) -> None:
    session = group(app, "session", "One session: what it carries, and its end.")
    session.command("show", epilog="Example: eunoe session show run-42")(show)
    session.command("set", epilog="""Example: eunoe session set run-42 '{"step": 2}'""")(set_state)
    session.command("end", epilog="Example: eunoe session end run-42 --reason 'the release is out'")(end)


def show(ctx: typer.Context, session: SessionArgument) -> None:
    """Show how a session stands.

    When it expires, who takes part, how many facts it holds, and the state that it carries.
    """
    emit_page(ctx, look(ctx, _show, ids.check(session, "session")), sessions_view.shown)


def set_state(
    ctx: typer.Context,
    session: SessionArgument,
    state: Annotated[str, typer.Argument(metavar="JSON", help="What it carries from here on, at most 16 KiB.")],
    expected: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only if it carries this state, as `show` says; none: only if it has none."),
    ] = None,
) -> None:
    """Have a session carry a JSON value.

    Its next turn sees that whole, as data.
    """
    seen = expected_given(expected)
    emit_page(ctx, run(ctx, _set, ids.check(session, "session"), _json(state), seen), sessions_view.shown)


def end(
    ctx: typer.Context,
    session: SessionArgument,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it stays in the log.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """End a session.

    Its facts and its state go; what is written to it afterwards begins anew.
    """
    found = look(ctx, _show, ids.check(session, "session"))
    if found.status != "ended":
        if not yes:
            _confirm(ctx, found)
        found = run(ctx, _end, session, reason)
    emit_page(ctx, found, sessions_view.shown)


def _confirm(ctx: typer.Context, found: SessionReply) -> None:
    """Ask, where somebody can answer."""
    confirm(
        ctx,
        "End it?",
        lambda width: sessions_view.shown(found, width),
        "nobody can be asked here whether to end the session; add --yes",
    )


def _json(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise Invalid(f"the state is to be JSON, and {text[:40]!r} is none: {error}") from None


async def _show(session: Session, name: str) -> SessionReply:
    async with memory(session) as client:
        return await _known(client, name)


async def _set(session: Session, name: str, state: Any, expected: str | None) -> SessionReply:
    async with memory(session) as client:
        await client.set_session_state(name, state, expected=expected)
        return await client.session(name)


async def _end(session: Session, name: str, reason: str) -> SessionReply:
    async with memory(session) as client:
        await client.end_session(name, reason)
        return await client.session(name)


async def _known(client: Memory, name: str) -> SessionReply:
    found = await client.session(name)
    if found.record is None:
        raise NotFound(f"nothing is known of a session {name!r}; nobody opened a turn in it or wrote to it")
    return found
