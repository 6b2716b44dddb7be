"""`eunoe facts` and `eunoe fact`: what is known, by whom, and what it was before."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec
import typer

from eunoe.cli import facts_view
from eunoe.cli.app import App, group
from eunoe.cli.asking import ask, given, require_thread
from eunoe.cli.connect import look
from eunoe.cli.output import console
from eunoe.cli.pages import emit_page
from eunoe.runtime.session import Session
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactReply, FactRequest, FactsReply, FactsRequest, FactView

SCOPES: tuple[Scope, ...] = get_args(Scope)


def register(app: App) -> None:
    app.command("facts", epilog="Example: eunoe facts --thread builder")(facts)
    fact = group("fact", "One fact, and what it was before.")
    fact.command("history", epilog="Example: eunoe fact history fk3vz")(history)
    app.add_typer(fact)


def facts(
    ctx: typer.Context,
    scope: Annotated[str | None, typer.Option(metavar="SCOPE", help=f"Only one: {', '.join(SCOPES)}.")] = None,
    thread: Annotated[str | None, typer.Option(metavar="THREAD", help="A thread whose facts are wanted.")] = None,
    session: Annotated[str | None, typer.Option(metavar="SESSION", help="A session whose facts are wanted.")] = None,
    agent: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="Only shared ones, this agent's own, and those from its turns."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also what was superseded, retired or deleted.")] = False,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=limits.PAGE_FACTS, help="Facts on a page.")] = 200,
    cursor: Annotated[str, typer.Option(metavar="CURSOR", help="Go on where the last page ended.")] = "",
) -> None:
    """List what is known.

    Every fact in force; with a thread or session, only the facts that hold there: its own, and the permanent ones.
    """
    request = FactsRequest(
        scope=_scope(scope),
        thread=given(thread, "thread"),
        session=given(session, "session"),
        agent=given(agent, "agent"),
        all=every,
        limit=limit,
        cursor=cursor,
    )
    reply, unknown = look(ctx, _facts, request)
    if unknown:
        console(ctx, stderr=True).print(f"eunoe: nothing is known of a session {session!r}", soft_wrap=True)
    emit_page(ctx, reply, facts_view.facts)


def history(
    ctx: typer.Context,
    id: Annotated[  # noqa: A002
        str, typer.Argument(metavar="ID", help=f"A fact's id, or its first {subjects.INDEX_PREFIX} or more characters.")
    ],
) -> None:
    """Show every version of a fact, and what each came from."""
    emit_page(ctx, look(ctx, _fact, FactRequest(id=ids.check(id, "fact"))), facts_view.history)


async def _facts(session: Session, request: FactsRequest) -> tuple[FactsReply, bool]:
    """The page, and whether a session was named of which nothing is known."""
    if request.thread:
        await require_thread(session, request.thread)
    if request.scope or request.thread or request.session:
        chain = subjects.thread_chain(request.thread) if request.thread else ""
        reply = await ask(session, "facts", request, FactsReply, chain)
    else:
        reply = await _everyones(session, request)
    kept = tuple(fact for fact in reply.facts if _concerns(fact, request.agent))
    return msgspec.structs.replace(reply, facts=kept), await _unknown(session, request.session)


async def _unknown(session: Session, name: str) -> bool:
    if not name:
        return False
    request = FactsRequest(scope="session", session=name, all=True, limit=1)
    return not (await ask(session, "facts", request, FactsReply)).facts


async def _everyones(session: Session, request: FactsRequest) -> FactsReply:
    """One page over all scopes, one after the other; the cursor of a scope begins with its name."""
    begin, found, reply = request.cursor.partition(":")[0], list[FactView](), FactsReply(facts=())
    if request.cursor and begin not in SCOPES:
        raise Invalid(f"{request.cursor!r} is no cursor; use the one of the last page")
    for scope in SCOPES[SCOPES.index(begin) if begin in SCOPES else 0 :]:
        left = request.limit - len(found)
        if not left:
            return msgspec.structs.replace(reply, facts=tuple(found), cursor=f"{scope}:0")
        cursor = request.cursor if scope == begin else ""
        wanted = msgspec.structs.replace(request, scope=scope, limit=left, cursor=cursor)
        reply = await ask(session, "facts", wanted, FactsReply)
        found += reply.facts
        if reply.cursor:
            break
    return msgspec.structs.replace(reply, facts=tuple(found))


def _concerns(fact: FactView, agent: str) -> bool:
    return not agent or fact.identity.scope == "permanent" or fact.agent == agent


async def _fact(session: Session, request: FactRequest) -> FactReply:
    return await ask(session, "fact", request, FactReply)


def _scope(name: str | None) -> Scope | Literal[""]:
    for known in SCOPES:
        if name == known:
            return known
    if name is not None:
        raise Invalid(f"there is no scope {name!r}; the scopes are {', '.join(SCOPES)}")
    return ""
