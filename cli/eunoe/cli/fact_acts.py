"""What is done to a fact that is there: approve, move to another scope, pin, label, retire."""

from __future__ import annotations

from typing import Annotated

import typer

from eunoe.cli import fact_changes_view
from eunoe.cli.app import App
from eunoe.cli.asking import given
from eunoe.cli.fact_changes import Changed, acted, change, stated, where
from eunoe.cli.fact_place import NewOption, check_new, require_begun
from eunoe.cli.facts import (
    SCOPES,
    FromSessionOption,
    FromThreadOption,
    IdArgument,
    OfPreviewOption,
    scope_given,
)
from eunoe.client.memory import Memory
from eunoe.schemas import ids
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Scope

ReasonOption = Annotated[str, typer.Option(metavar="TEXT", help="Why; it stays in the fact's history.")]


def register(fact: App) -> None:
    fact.command("approve", epilog="Example: eunoe fact approve fk3vz")(approve)
    fact.command("scope", epilog="Example: eunoe fact scope fk3vz permanent")(scope)
    fact.command("pin", epilog="Example: eunoe fact pin fk3vz")(pin)
    fact.command("label", epilog="Example: eunoe fact label fk3vz release infra")(label)
    fact.command("retire", epilog="Example: eunoe fact retire fk3vz --reason 'the release is out'")(retire)


def approve(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    preview: OfPreviewOption = None,
) -> None:
    """Admit a proposal, for everyone.

    From here on it is a permanent fact of yours, which names what it came from. One of a preview stays in that preview:
    what is to hold is stated live.
    """
    wanted = ids.check(id, "fact")
    given(preview, "preview")

    async def do(client: Memory) -> Changed:
        made = await client.approve(wanted, preview=preview)
        return stated(made, await where(client, made, preview))

    change(ctx, do, fact_changes_view.approved)


def scope(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    to: Annotated[str, typer.Argument(metavar="|".join(SCOPES), help="Where it is to hold.")],
    thread: Annotated[
        str | None,
        typer.Option(metavar="THREAD", help="Which thread it goes to, or is now [default: its own]."),
    ] = None,
    new: NewOption = False,
    session: Annotated[
        str | None,
        typer.Option(metavar="SESSION", help="Which session it goes to, or is now [default: its own]."),
    ] = None,
    owner: Annotated[
        str | None, typer.Option(metavar="OWNER", help="With permanent: shared, or an agent [default: shared].")
    ] = None,
    preview: OfPreviewOption = None,
    reason: ReasonOption = "",
) -> None:
    """Move a fact to another scope.

    Its history stays where it was and names the new fact, which takes labels and pin along. An agent names the thread
    or session that the fact is of now. A fact of a preview stays in that preview.
    """
    wanted, target = ids.check(id, "fact"), _scope(to)
    _check(thread, session, preview)
    given(owner, "owner")
    check_new(new, thread, target)
    if owner is not None and target != "permanent":
        raise Invalid(f"--owner says whose a permanent fact is, and {target} means another place")

    async def do(client: Memory) -> Changed:
        await require_begun(client, thread if target == "thread" else None, new)
        made = await client.move(
            wanted, target, thread=thread, session=session, owner=owner, reason=reason, preview=preview
        )
        return stated(made, await where(client, made, preview))

    change(ctx, do, fact_changes_view.moved)


def pin(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    off: Annotated[bool, typer.Option("--off", help="Take the pin off.")] = False,
    preview: OfPreviewOption = None,
    thread: FromThreadOption = None,
    session: FromSessionOption = None,
) -> None:
    """Pin a fact, or take the pin off.

    A pinned fact leads in every context that shows it. How much may be pinned is limited.
    """
    wanted = ids.check(id, "fact")
    _check(thread, session, preview)

    async def do(client: Memory) -> Changed:
        turn = client.unpin if off else client.pin
        receipt = await turn(wanted, thread=thread, session=session, preview=preview)
        return acted(receipt, await client.fact(wanted, thread=thread, session=session, preview=preview))

    change(ctx, do, fact_changes_view.pinned)


def label(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    labels: Annotated[
        list[str], typer.Argument(metavar="LABEL", help="Declared labels (`eunoe kinds`).", show_default=False)
    ],
    remove: Annotated[bool, typer.Option("--remove", help="Take these labels off.")] = False,
    preview: OfPreviewOption = None,
    thread: FromThreadOption = None,
    session: FromSessionOption = None,
) -> None:
    """Put labels on a fact, or take them off."""
    wanted, names = ids.check(id, "fact"), tuple(given(name, "label") for name in labels)
    _check(thread, session, preview)

    async def do(client: Memory) -> Changed:
        add, off = ((), names) if remove else (names, ())
        receipt = await client.label(wanted, add=add, remove=off, thread=thread, session=session, preview=preview)
        return acted(receipt, await client.fact(wanted, thread=thread, session=session, preview=preview))

    change(ctx, do, fact_changes_view.labelled)


def retire(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    reason: ReasonOption = "",
    preview: OfPreviewOption = None,
    thread: FromThreadOption = None,
    session: FromSessionOption = None,
) -> None:
    """Take back what you stated yourself.

    What others say of the same stays.
    """
    wanted = ids.check(id, "fact")
    _check(thread, session, preview)

    async def do(client: Memory) -> Changed:
        receipt = await client.retire_fact(wanted, reason, thread=thread, session=session, preview=preview)
        return acted(receipt, await client.fact(wanted, thread=thread, session=session, preview=preview))

    change(ctx, do, fact_changes_view.retired)


def _check(thread: str | None, session: str | None, preview: str | None) -> None:
    """Raise `Invalid` for a place that is named and is none."""
    for name, what in ((thread, "thread"), (session, "session"), (preview, "preview")):
        given(name, what)


def _scope(name: str) -> Scope:
    found = scope_given(name)
    if not found:
        raise Invalid(f"say where the fact is to hold: {', '.join(SCOPES)}")
    return found
