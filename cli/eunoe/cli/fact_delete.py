"""`eunoe fact delete`: one fact, or every fact of a place, with a receipt of every trace."""

from __future__ import annotations

from typing import Annotated

import typer

from eunoe.cli import fact_changes_view, fact_delete_view
from eunoe.cli.app import App
from eunoe.cli.asking import given, memory, require_thread
from eunoe.cli.confirming import confirm
from eunoe.cli.connect import look, run
from eunoe.cli.fact_acts import ReasonOption
from eunoe.cli.fact_changes import Changed, change, stated, version
from eunoe.cli.facts import scope_given
from eunoe.cli.pages import emit_page
from eunoe.client.deleting import Deletion, ScopeDeletion
from eunoe.client.memory import Memory
from eunoe.facts.lineage import SHARED
from eunoe.runtime.session import Session
from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Scope

PLACES = "--thread, --session, --agent or --scope permanent"
Place = tuple[Scope, str]
"""A scope and an owner in it."""


def register(fact: App) -> None:
    fact.command("delete", epilog="Example: eunoe fact delete fk3vz --reason 'it was never decided'")(delete)


def delete(
    ctx: typer.Context,
    id: Annotated[  # noqa: A002
        str | None,
        typer.Argument(
            metavar="ID",
            help=f"A fact's id, or its first {subjects.INDEX_PREFIX} or more characters.",
            show_default=False,
        ),
    ] = None,
    reason: ReasonOption = "",
    preview: Annotated[
        str | None, typer.Option(metavar="PREVIEW", help="Take the fact away in this preview only.")
    ] = None,
    thread: Annotated[str | None, typer.Option(metavar="THREAD", help="Every fact of this thread.")] = None,
    session: Annotated[str | None, typer.Option(metavar="SESSION", help="Every fact of this session.")] = None,
    agent: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Every permanent fact of this agent's own.")
    ] = None,
    scope: Annotated[
        str | None, typer.Option(metavar="SCOPE", help="With permanent alone: every fact that all agents share.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what of a place would be deleted, and change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete a whole place without asking.")] = False,
) -> None:
    """Hide a fact from every read, and print every trace of it.

    Instead of an ID, an option names a whole place: its facts are counted, and deleted once you say yes.

    What was deleted stays in the log: `eunoe facts --all` and its history show it to people.
    """
    place = _place(scope_given(scope), given(thread, "thread"), given(session, "session"), given(agent, "agent"))
    if id is not None and place:
        raise Invalid(f"give an ID, or a place with {PLACES}, and not both")
    if id is None:
        if not place:
            raise Invalid(f"give the ID of a fact, or a place with {PLACES}")
        if preview is not None:
            raise Invalid("--preview is about one fact; give its ID")
        _whole(ctx, place, reason, dry_run, yes)
        return
    if dry_run:
        raise Invalid("--dry-run counts a whole place; `eunoe fact why ID` shows what there is of one fact")
    wanted = ids.check(id, "fact")
    if preview is not None:
        _hide(ctx, wanted, ids.check(preview, "preview"))
    else:
        emit_page(ctx, run(ctx, _one, wanted, reason), fact_delete_view.one)


async def _one(session: Session, id: str, reason: str) -> Deletion:  # noqa: A002
    async with memory(session) as client:
        return await client.delete_fact(id, reason)


def _hide(ctx: typer.Context, id: str, preview: str) -> None:  # noqa: A002
    """Have a preview say that the fact is not there."""

    async def do(client: Memory) -> Changed:
        fact = version(await client.fact(id))
        about = fact.identity
        made = await client.state_fact(
            about.subject,
            about.name,
            "",
            thread=about.owner if about.scope == "thread" else None,
            session=about.owner if about.scope == "session" else None,
            owner=about.owner if about.scope == "permanent" else None,
            preview=preview,
            replaces=fact.id,
            removes=True,
        )
        return stated(made, await client.fact(made.id, preview=preview))

    change(ctx, do, fact_changes_view.hidden)


def _whole(ctx: typer.Context, place: Place, reason: str, dry_run: bool, yes: bool) -> None:
    """Count first; then, once it is wanted, delete. What comes between the two is deleted too, and counted."""
    if dry_run or not yes:
        counted = look(ctx, _counted, place)
        if dry_run or not counted.facts:
            emit_page(ctx, counted, fact_delete_view.whole)
            return
        _ask(ctx, counted)
    found = run(ctx, _emptied, place, reason)
    emit_page(ctx, found, fact_delete_view.whole)
    if found.failed:
        raise typer.Exit(1)


def _ask(ctx: typer.Context, counted: ScopeDeletion) -> None:
    many = fact_delete_view.counted(counted.facts, counted.kinds)
    confirm(
        ctx,
        "Delete them?",
        lambda width: fact_delete_view.whole(counted, width),
        f"this would delete {many}; add --yes to do it, or --dry-run to only count",
    )


async def _counted(session: Session, place: Place) -> ScopeDeletion:
    await _require(session, place)
    async with memory(session) as client:
        return await client.delete_scope(*place, dry_run=True)


async def _emptied(session: Session, place: Place, reason: str) -> ScopeDeletion:
    await _require(session, place)
    async with memory(session) as client:
        return await client.delete_scope(*place, reason)


async def _require(session: Session, place: Place) -> None:
    scope, owner = place
    if scope == "thread":
        await require_thread(session, owner)


def _place(scope: Scope | str, thread: str, session: str, agent: str) -> Place | None:
    """The one place that the options name, None for none; raises `Invalid` for several."""
    places: tuple[Place, ...] = (("thread", thread), ("session", session), ("permanent", agent))
    named = [place for place in places if place[1]]
    if scope == "permanent" and not named:
        return ("permanent", SHARED)
    if scope and not named:
        raise Invalid(f"name the {scope} with --{scope}; a deletion is of one {scope} at a time")
    if len(named) > 1 or (scope and named[0][0] != scope):
        raise Invalid(f"name one place with {PLACES}; a deletion is of one place at a time")
    return named[0] if named else None
