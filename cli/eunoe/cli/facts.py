"""`eunoe facts`: what is known, by whom, now or at another moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, get_args

import msgspec
import typer

from eunoe.cli import facts_view, previews, sessions_view
from eunoe.cli.app import App
from eunoe.cli.asking import ask, given, require_thread
from eunoe.cli.connect import look
from eunoe.cli.output import console
from eunoe.cli.pages import emit_page
from eunoe.facts import times
from eunoe.runtime.session import Session
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactsReply, FactsRequest, FactView, KindsReply, SessionReply, SessionRequest

SCOPES: tuple[Scope, ...] = get_args(Scope)

IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help=f"A fact's id, or its first {subjects.INDEX_PREFIX} or more characters.")
]
ThreadArgument = Annotated[
    str | None, typer.Argument(metavar="THREAD", help="A thread whose facts are wanted.", show_default=False)
]
ThreadOption = Annotated[str | None, typer.Option("--thread", metavar="THREAD", help="Another way to name the thread.")]
SessionOption = Annotated[str | None, typer.Option(metavar="SESSION", help="A session whose facts are wanted.")]
FromThreadOption = Annotated[
    str | None, typer.Option("--thread", metavar="THREAD", help="Of this thread; only an agent has to say so.")
]
FromSessionOption = Annotated[
    str | None, typer.Option("--session", metavar="SESSION", help="Of this session; only an agent has to say so.")
]
AgentOption = Annotated[
    str | None, typer.Option(metavar="AGENT", help="Only shared ones, this agent's own, and those from its turns.")
]
ScopeOption = Annotated[str | None, typer.Option(metavar="SCOPE", help=f"Only one: {', '.join(SCOPES)}.")]
SubjectOption = Annotated[str | None, typer.Option(metavar="KIND", help="Only this kind of subject.")]
PreviewOption = Annotated[str | None, typer.Option(metavar="PREVIEW", help="As this preview sees it.")]
OfPreviewOption = Annotated[str | None, typer.Option(metavar="PREVIEW", help="It is of this preview.")]
LimitOption = Annotated[int, typer.Option(metavar="N", min=1, max=limits.PAGE_FACTS, help="Facts on a page.")]
CursorOption = Annotated[str, typer.Option(metavar="CURSOR", help="Go on where the last page ended.")]


def register(app: App) -> None:
    app.command("facts", epilog="Example: eunoe facts builder --label release --as-of 2026-05-12T09:00:00Z")(facts)


def facts(
    ctx: typer.Context,
    thread: ThreadArgument = None,
    scope: ScopeOption = None,
    named: ThreadOption = None,
    session: SessionOption = None,
    agent: AgentOption = None,
    subject: SubjectOption = None,
    label: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="Only with this label; given again: with all of them.")
    ] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Only pinned ones.")] = False,
    since: Annotated[
        int, typer.Option(metavar="POSITION", min=0, help="Only what changed after this position of the log.")
    ] = 0,
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="What was known then.")] = None,
    valid_at: Annotated[str | None, typer.Option(metavar="TIME", help="What held then, as far as is known.")] = None,
    preview: PreviewOption = None,
    every: Annotated[bool, typer.Option("--all", help="Also what was superseded, retired or deleted.")] = False,
    limit: LimitOption = 200,
    cursor: CursorOption = "",
) -> None:
    """List what is known.

    Every fact in force; with a thread or session, only the facts that hold there: its own, and the permanent ones.

    A TIME is a date (its midnight in UTC), or a time with its offset, as 2026-05-12T09:00:00Z.
    """
    request = FactsRequest(
        scope=scope_given(scope),
        thread=thread_given(thread, named),
        session=given(session, "session"),
        agent=given(agent, "agent"),
        subject=given(subject, "subject"),
        labels=tuple(given(name, "label") for name in label or ()),
        pinned=pinned,
        since=since,
        recorded=time_given(as_of),
        valid=time_given(valid_at),
        preview=given(preview, "preview"),
        all=every,
        limit=limit,
        cursor=cursor,
    )
    emit_page(ctx, fetched(ctx, request), facts_view.facts)


def fetched(ctx: typer.Context, request: FactsRequest) -> FactsReply:
    """The page; a session or preview that holds nothing, and no such kind are told on standard error."""
    reply, told = look(ctx, _facts, request)
    for said in told:
        console(ctx, stderr=True).print(f"eunoe: {said}", soft_wrap=True)
    return reply


def thread_given(place: str | None, option: str | None) -> str:
    """The one thread that is named, by its place or with --thread, empty for none; raises `Invalid` for two."""
    first, second = given(place, "thread"), given(option, "thread")
    if first and second and first != second:
        raise Invalid(f"two threads are named, {first!r} and {second!r} (with --thread); name the one that is meant")
    return first or second


def scope_given(name: str | None) -> Scope | Literal[""]:
    for known in SCOPES:
        if name == known:
            return known
    if name is not None:
        raise Invalid(f"there is no scope {name!r}; the scopes are {', '.join(SCOPES)}")
    return ""


def time_given(text: str | None) -> int | None:
    """A time as people write it in ms UTC, None for none; raises `Invalid` for what is no time."""
    return None if text is None else times.moment(text)


async def _facts(session: Session, request: FactsRequest) -> tuple[FactsReply, list[str]]:
    """The page, and what was named and is not there: a session that does not last, a preview, or a kind."""
    if request.thread:
        await require_thread(session, request.thread)
    if request.scope or request.thread or request.session:
        chain = subjects.thread_chain(request.thread) if request.thread else ""
        reply = await ask(session, "facts", request, FactsReply, chain)
    else:
        reply = await _everyones(session, request)
    kept, instead = (tuple(_concerning(found, request.agent)) for found in (reply.facts, reply.instead))
    said = await _standing(session, request.session) or ("" if kept else await _unknown(session, request.subject))
    nothing = await _of_preview(session, request, reply)
    return msgspec.structs.replace(reply, facts=kept, instead=instead), [line for line in (nothing, said) if line]


async def _of_preview(session: Session, request: FactsRequest, reply: FactsReply) -> str:
    """That the preview holds nothing; not asked where the page shows that it does."""
    if reply.instead or any(fact.identity.preview for fact in reply.facts):
        return ""
    return await previews.empty(session, request.preview, thread=request.thread, of_session=request.session)


async def _standing(session: Session, name: str) -> str:
    if not name:
        return ""
    found = await ask(session, "session", SessionRequest(session=name), SessionReply)
    return "" if found.status == "open" else sessions_view.standing(name, found)


async def _unknown(session: Session, subject: str) -> str:
    """That there is no such kind; facts of one may be there all the same, as from an import."""
    if not subject:
        return ""
    kinds = (await ask(session, "kinds", {}, KindsReply)).kinds
    known = any(kind.name == subject for kind in kinds)
    return "" if known else f"there is no kind {subject!r}; `eunoe kinds` lists those there are"


async def _everyones(session: Session, request: FactsRequest) -> FactsReply:
    """One page over all scopes, one after the other; the cursor of a scope begins with its name."""
    begin, found, instead = request.cursor.partition(":")[0], list[FactView](), list[FactView]()
    damaged = list[str]()
    reply = FactsReply(facts=())
    if request.cursor and begin not in SCOPES:
        raise Invalid(f"{request.cursor!r} is no cursor; use the one of the last page")
    for scope in SCOPES[SCOPES.index(begin) if begin in SCOPES else 0 :]:
        left = request.limit - len(found)
        if left <= 0:
            reply = msgspec.structs.replace(reply, cursor=f"{scope}:0")
            break
        cursor = request.cursor if scope == begin else ""
        wanted = msgspec.structs.replace(request, scope=scope, limit=left, cursor=cursor)
        reply = await ask(session, "facts", wanted, FactsReply)
        found += reply.facts
        instead += reply.instead
        damaged += reply.damaged
        if reply.cursor:
            break
    return msgspec.structs.replace(reply, facts=tuple(found), instead=tuple(instead), damaged=tuple(damaged))


def _concerning(found: Iterable[FactView], agent: str) -> Iterator[FactView]:
    return (fact for fact in found if not agent or fact.identity.scope == "permanent" or fact.agent == agent)
