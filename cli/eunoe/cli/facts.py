"""`eunoe facts` and `eunoe fact`: what is known, by whom, and what it was before."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec
import typer

from eunoe.cli import facts_view
from eunoe.cli.app import App
from eunoe.cli.asking import ask, require_thread
from eunoe.cli.connect import look
from eunoe.cli.pages import emit_page
from eunoe.runtime.session import Session
from eunoe.schemas import ids, limits
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactReply, FactRequest, FactsReply, FactsRequest, FactView

SCOPES: tuple[Scope, ...] = get_args(Scope)


def register(app: App) -> None:
    app.command("facts", epilog="Example: eunoe facts --thread builder")(facts)
    fact = App(help="One fact, and what it was before.")
    fact.command("history", epilog="Example: eunoe fact history fk3vz")(history)
    app.add_typer(fact, name="fact")


def facts(
    ctx: typer.Context,
    scope: Annotated[str, typer.Option(help=f"Only one scope: {', '.join(SCOPES)}.")] = "",
    thread: Annotated[str, typer.Option(help="A thread whose facts are wanted as well.")] = "",
    session: Annotated[str, typer.Option(help="A session whose facts are wanted as well.")] = "",
    agent: Annotated[str, typer.Option(help="Only shared ones, this agent's own, and those from its turns.")] = "",
    every: Annotated[bool, typer.Option("--all", help="Also what was superseded, retired or deleted.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=limits.PAGE_FACTS, help="Facts on a page.")] = 200,
    cursor: Annotated[str, typer.Option(help="Go on where the last page ended.")] = "",
) -> None:
    """List what is known: every fact in force.

    With a thread or session, only the facts that hold there: its own, and the permanent ones.
    """
    for value, what in ((thread, "thread"), (session, "session"), (agent, "agent")):
        if value:
            ids.check(value, what)
    request = FactsRequest(
        scope=_scope(scope), thread=thread, session=session, agent=agent, all=every, limit=limit, cursor=cursor
    )
    emit_page(ctx, look(ctx, _facts, request), facts_view.facts)


def history(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(help="A fact's id, or a beginning that only it has.")],  # noqa: A002
) -> None:
    """Show every version of a fact, with its sources and what replaced it."""
    emit_page(ctx, look(ctx, _fact, FactRequest(id=ids.check(id, "fact"))), facts_view.history)


async def _facts(session: Session, request: FactsRequest) -> FactsReply:
    if request.thread:
        await require_thread(session, request.thread)
    if request.scope or request.thread or request.session:
        reply = await ask(session, "facts", request, FactsReply)
    else:
        reply = await _everyones(session, request)
    kept = tuple(fact for fact in reply.facts if _concerns(fact, request.agent))
    return msgspec.structs.replace(reply, facts=kept)


async def _everyones(session: Session, request: FactsRequest) -> FactsReply:
    """One page over all scopes, one after the other; the cursor of a scope begins with its name."""
    begin, found, reply = request.cursor.partition(":")[0], list[FactView](), FactsReply(facts=())
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


def _scope(name: str) -> Scope | Literal[""]:
    for known in SCOPES:
        if name == known:
            return known
    if name:
        raise Invalid(f"there is no scope {name!r}; the scopes are {', '.join(SCOPES)}")
    return ""
