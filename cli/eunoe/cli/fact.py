"""`eunoe fact`: one fact, what was done to it and why it is known; and the facts that wait for a person."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from eunoe.cli import fact_acts, fact_delete, fact_set, fact_view, fact_why_view, facts_view
from eunoe.cli.app import App, choices, group
from eunoe.cli.asking import ask, given
from eunoe.cli.connect import look
from eunoe.cli.facts import (
    CursorOption,
    FromSessionOption,
    FromThreadOption,
    IdArgument,
    LimitOption,
    PreviewOption,
    ScopeOption,
    SessionOption,
    SubjectOption,
    ThreadArgument,
    ThreadOption,
    fetched,
    scope_given,
    thread_given,
    time_given,
)
from eunoe.cli.pages import emit_page, verbatim
from eunoe.runtime.session import Session
from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import NotFound
from eunoe.schemas.requests import FactReply, FactRequest, FactsRequest, WhyReply, WhyRequest


def register(app: App) -> None:
    fact = group(app, "fact", "One fact: state it, change it, ask why it is known.")
    for module in (fact_set, fact_acts, fact_delete):
        module.register(fact)
    fact.command("history", epilog="Example: eunoe fact history fk3vz")(history)
    fact.command("why", epilog="Example: eunoe fact why fk3vz")(why)
    fact.command("conflicts", epilog="Example: eunoe fact conflicts builder")(conflicts)
    fact.command("proposed", epilog="Example: eunoe fact proposed")(proposed)


def history(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    content: Annotated[bool, typer.Option("--content", help="Print its content alone, byte for byte.")] = False,
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="What was known of it then.")] = None,
    valid_at: Annotated[str | None, typer.Option(metavar="TIME", help="Which version held then.")] = None,
    preview: PreviewOption = None,
    thread: FromThreadOption = None,
    session: FromSessionOption = None,
) -> None:
    """Show what a fact was, and who did what to it.

    Every version with its source and what ended it, and every act, in the order of time.
    """
    request = FactRequest(
        id=ids.check(id, "fact"),
        session=given(session, "session"),
        content=content,
        recorded=time_given(as_of),
        valid=time_given(valid_at),
        preview=given(preview, "preview"),
    )
    reply = look(ctx, _history, request, _chain(thread))
    if not content or choices(ctx).json:
        emit_page(ctx, reply, fact_view.history)
        return
    if not reply.content:
        raise NotFound(f"the fact {id} has no content beside its value; `eunoe fact history {id}` shows its versions")
    if sys.stdout.isatty():
        emit_page(ctx, reply, lambda found, width: [verbatim(found.content)])
    else:
        sys.stdout.buffer.write(reply.content.encode())


def why(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    preview: PreviewOption = None,
    thread: FromThreadOption = None,
    session: FromSessionOption = None,
) -> None:
    """Show why a fact is known and in force.

    The turn, entry and bytes that it came from, the rule that made it what it is, and the requests that read it.
    """
    request = WhyRequest(id=ids.check(id, "fact"), session=given(session, "session"), preview=given(preview, "preview"))
    emit_page(ctx, look(ctx, _why, request, _chain(thread)), fact_why_view.why)


def conflicts(
    ctx: typer.Context,
    thread: ThreadArgument = None,
    scope: ScopeOption = None,
    named: ThreadOption = None,
    session: SessionOption = None,
    subject: SubjectOption = None,
    limit: LimitOption = 200,
    cursor: CursorOption = "",
) -> None:
    """List the facts whose sources disagree.

    The value that leads, and under it the others with their sources.
    """
    request = FactsRequest(
        conflicts=True,
        scope=scope_given(scope),
        thread=thread_given(thread, named),
        session=given(session, "session"),
        subject=given(subject, "subject"),
        limit=limit,
        cursor=cursor,
    )
    emit_page(ctx, fetched(ctx, request), facts_view.conflicts)


def proposed(
    ctx: typer.Context,
    thread: ThreadArgument = None,
    named: ThreadOption = None,
    subject: SubjectOption = None,
    limit: LimitOption = 200,
    cursor: CursorOption = "",
) -> None:
    """List what waits for a person to approve it.

    Agents state permanent facts as proposals, which are known in their own threads only.
    """
    request = FactsRequest(
        proposed=True,
        scope="thread",
        thread=thread_given(thread, named),
        subject=given(subject, "subject"),
        limit=limit,
        cursor=cursor,
    )
    emit_page(ctx, fetched(ctx, request), facts_view.proposals)


async def _history(session: Session, request: FactRequest, chain: str) -> FactReply:
    return await ask(session, "fact", request, FactReply, chain)


async def _why(session: Session, request: WhyRequest, chain: str) -> WhyReply:
    return await ask(session, "why", request, WhyReply, chain)


def _chain(thread: str | None) -> str:
    return "" if thread is None else subjects.thread_chain(ids.check(thread, "thread"))
