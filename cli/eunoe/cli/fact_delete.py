"""`eunoe fact delete`: one fact, or every fact of a place, with a receipt of every trace."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

from eunoe.cli import fact_changes_view, fact_delete_view
from eunoe.cli.app import App
from eunoe.cli.asking import ask, given, memory, require_thread
from eunoe.cli.confirming import confirm
from eunoe.cli.connect import look, run
from eunoe.cli.fact_acts import ReasonOption
from eunoe.cli.fact_changes import Changed, change, stated, version, where
from eunoe.cli.fact_view import ended
from eunoe.cli.facts import scope_given
from eunoe.cli.pages import emit_page
from eunoe.client.deleting import Deletion, PreviewDeletion, ScopeDeletion, asserted, places
from eunoe.client.memory import Memory
from eunoe.facts.lineage import SHARED
from eunoe.runtime.session import Session
from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactReply, FactRequest, FactView

PLACES = "--thread, --session, --agent or --scope permanent"
MaybeIdArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="ID", help=f"A fact's id, or its first {subjects.INDEX_PREFIX} or more characters.", show_default=False
    ),
]
OnlyPreviewOption = Annotated[
    str | None,
    typer.Option(metavar="PREVIEW", help="Only in this preview: a fact, a place, or (alone) all of the preview."),
]
Place = tuple[Scope, str]
"""A scope and an owner in it."""


class Whole(NamedTuple):
    """What goes at once: a place, its facts of a preview alone where one is named, or (without a place) a preview."""

    place: Place | None
    preview: str | None


def register(fact: App) -> None:
    fact.command("delete", epilog="Example: eunoe fact delete fk3vz --reason 'it was never decided'")(delete)


def delete(
    ctx: typer.Context,
    id: MaybeIdArgument = None,  # noqa: A002
    reason: ReasonOption = "",
    preview: OnlyPreviewOption = None,
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

    Instead of an ID, an option names a whole place: its facts are counted, and deleted once you say yes. Places go
    one at a time: no command empties the memory of every thread, session or agent at once.

    In a preview its own fact is deleted, and a live one is only taken away there. --preview alone drops the preview.

    What was deleted stays in the log: `eunoe facts --all` and its history show it to people.
    """
    place = _place(scope_given(scope), given(thread, "thread"), given(session, "session"), given(agent, "agent"))
    given(preview, "preview")
    if id is not None and place:
        raise Invalid(f"give an ID, or a place with {PLACES}, and not both")
    if id is None:
        if not place and preview is None:
            raise Invalid(f"give the ID of a fact, a place with {PLACES}, or a whole preview with --preview")
        _whole(ctx, Whole(place, preview), reason, dry_run, yes)
        return
    if dry_run:
        raise Invalid("--dry-run counts a whole place; `eunoe fact why ID` shows what there is of one fact")
    wanted = ids.check(id, "fact")
    if preview is None or look(ctx, _is_of, wanted, preview):
        emit_page(ctx, run(ctx, _one, wanted, reason, preview), fact_delete_view.one)
    else:
        _hide(ctx, wanted, preview)


async def _one(session: Session, id: str, reason: str, preview: str | None) -> Deletion:  # noqa: A002
    async with memory(session) as client:
        return await client.delete_fact(id, reason, preview=preview)


async def _is_of(session: Session, id: str, preview: str) -> bool:  # noqa: A002
    """Whether a fact is the preview's own, and not one that is live."""
    found = await ask(session, "fact", FactRequest(id=id, preview=preview), FactReply)
    return version(found).identity.preview == preview


def _hide(ctx: typer.Context, id: str, preview: str) -> None:  # noqa: A002
    """Have a preview say that the fact is not there."""

    async def do(client: Memory) -> Changed:
        fact = version(await client.fact(id, preview=preview))
        _check_seen(fact, preview)
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
        return stated(made, await where(client, made, preview))

    change(ctx, do, fact_changes_view.hidden)


def _check_seen(fact: FactView, preview: str) -> None:
    """Raise `Invalid` for a live fact that the preview does not show, so that there is nothing to take away."""
    if fact.rule == "preview":
        by = "takes it away" if fact.state == "removed" else "stands in its place"
        raise Invalid(f"{fact.id} is not seen in the preview {preview!r}: there {fact.superseded_by} {by}")
    if not asserted(fact):
        raise Invalid(f"{fact.id} is not in force: it is {ended(fact)}")


def _whole(ctx: typer.Context, what: Whole, reason: str, dry_run: bool, yes: bool) -> None:
    """Count first; then, once it is wanted, delete. What comes between the two is deleted too, and counted."""
    if dry_run or not yes:
        counted = look(ctx, _counted, what)
        if dry_run or not counted.facts:
            emit_page(ctx, counted, fact_delete_view.whole)
            return
        _ask(ctx, counted)
    found = run(ctx, _emptied, what, reason)
    emit_page(ctx, found, fact_delete_view.whole)
    if any(place.failed for place in places(found)):
        raise typer.Exit(1)


def _ask(ctx: typer.Context, counted: ScopeDeletion | PreviewDeletion) -> None:
    many = fact_delete_view.counted(counted.facts, counted.kinds)
    confirm(
        ctx,
        "Delete them?",
        lambda width: fact_delete_view.whole(counted, width),
        f"this would delete {many}; add --yes to do it, or --dry-run to only count",
    )


async def _counted(session: Session, what: Whole) -> ScopeDeletion | PreviewDeletion:
    return await _deleted(session, what, "", dry_run=True)


async def _emptied(session: Session, what: Whole, reason: str) -> ScopeDeletion | PreviewDeletion:
    return await _deleted(session, what, reason, dry_run=False)


async def _deleted(session: Session, what: Whole, reason: str, *, dry_run: bool) -> ScopeDeletion | PreviewDeletion:
    if what.place and what.place[0] == "thread":
        await require_thread(session, what.place[1])
    async with memory(session) as client:
        if what.place:
            return await client.delete_scope(*what.place, reason, preview=what.preview, dry_run=dry_run)
        assert what.preview is not None, "a place or a preview is named"
        return await client.delete_preview(what.preview, reason, dry_run=dry_run)


def _place(scope: Scope | str, thread: str, session: str, agent: str) -> Place | None:
    """The one place that the options name, None for none; raises `Invalid` for several."""
    places: tuple[Place, ...] = (("thread", thread), ("session", session), ("permanent", agent))
    named = [place for place in places if place[1]]
    if scope == "permanent" and not named:
        return ("permanent", SHARED)
    if scope and not named:
        raise Invalid(f"name the {scope} with --{scope}; a deletion is of one {scope} at a time, never of all")
    if len(named) > 1 or (scope and named[0][0] != scope):
        raise Invalid(f"name one place with {PLACES}; a deletion is of one place at a time")
    return named[0] if named else None
