"""What is done to a fact that is there: approve, move to another scope, pin, label, retire."""

from __future__ import annotations

from typing import Annotated

import typer

from eunoe.cli import fact_changes_view
from eunoe.cli.app import App
from eunoe.cli.asking import given
from eunoe.cli.fact_changes import Changed, acted, change, stated
from eunoe.cli.facts import SCOPES, FromSessionOption, FromThreadOption, IdArgument, scope_given
from eunoe.client.memory import Memory
from eunoe.schemas import ids
from eunoe.schemas.errors import Denied, Invalid
from eunoe.schemas.facts import Scope

ReasonOption = Annotated[str, typer.Option(metavar="TEXT", help="Why; it stays in the fact's history.")]


def register(fact: App) -> None:
    fact.command("approve", epilog="Example: eunoe fact approve fk3vz")(approve)
    fact.command("scope", epilog="Example: eunoe fact scope fk3vz permanent")(scope)
    fact.command("pin", epilog="Example: eunoe fact pin fk3vz")(pin)
    fact.command("label", epilog="Example: eunoe fact label fk3vz release infra")(label)
    fact.command("retire", epilog="Example: eunoe fact retire fk3vz --reason 'the release is out'")(retire)


def approve(ctx: typer.Context, id: IdArgument) -> None:  # noqa: A002
    """Admit a proposal, for everyone.

    From here on it is a permanent fact of yours, which names what it came from.
    """
    wanted = ids.check(id, "fact")

    async def do(client: Memory) -> Changed:
        if client.gate.caller.role != "person":
            raise Denied(f"{client.gate.caller.kind} may not approve; only a person may")
        made = await client.approve(wanted)
        return stated(made, await client.fact(made.id))

    change(ctx, do, fact_changes_view.approved)


def scope(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    to: Annotated[str, typer.Argument(metavar="|".join(SCOPES), help="Where it is to hold.")],
    thread: Annotated[str | None, typer.Option(metavar="THREAD", help="Which thread [default: its own].")] = None,
    session: Annotated[str | None, typer.Option(metavar="SESSION", help="Which session [default: its own].")] = None,
    owner: Annotated[
        str | None, typer.Option(metavar="OWNER", help="With permanent: shared, or an agent [default: shared].")
    ] = None,
    reason: ReasonOption = "",
) -> None:
    """Move a fact to another scope.

    Its history stays where it was and names the new fact, which takes labels and pin along.
    """
    wanted, target = ids.check(id, "fact"), _scope(to)
    places = {"permanent": ("owner", owner), "session": ("session", session), "thread": ("thread", thread)}
    for place, (option, name) in places.items():
        if name is not None and place != target:
            raise Invalid(f"--{option} says where, and {target} means another place")
        given(name, option)

    async def do(client: Memory) -> Changed:
        made = await client.move(wanted, target, thread=thread, session=session, owner=owner, reason=reason)
        return stated(made, await client.fact(made.id))

    change(ctx, do, fact_changes_view.moved)


def pin(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    off: Annotated[bool, typer.Option("--off", help="Take the pin off.")] = False,
) -> None:
    """Pin a fact, or take the pin off.

    A pinned fact leads in every context that shows it. How much may be pinned is limited.
    """
    wanted = ids.check(id, "fact")

    async def do(client: Memory) -> Changed:
        receipt = await (client.unpin(wanted) if off else client.pin(wanted))
        return acted(receipt, await client.fact(wanted))

    change(ctx, do, fact_changes_view.pinned)


def label(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    labels: Annotated[
        list[str], typer.Argument(metavar="LABEL", help="Declared labels (`eunoe kinds`).", show_default=False)
    ],
    remove: Annotated[bool, typer.Option("--remove", help="Take these labels off.")] = False,
) -> None:
    """Put labels on a fact, or take them off."""
    wanted, names = ids.check(id, "fact"), tuple(given(name, "label") for name in labels)

    async def do(client: Memory) -> Changed:
        receipt = await client.label(wanted, add=() if remove else names, remove=names if remove else ())
        return acted(receipt, await client.fact(wanted))

    change(ctx, do, fact_changes_view.labelled)


def retire(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002
    reason: ReasonOption = "",
    thread: FromThreadOption = None,
    session: FromSessionOption = None,
    preview: Annotated[str | None, typer.Option(metavar="PREVIEW", help="It is of this preview.")] = None,
) -> None:
    """Take back what you stated yourself.

    What others say of the same stays.
    """
    wanted = ids.check(id, "fact")
    for name, what in ((thread, "thread"), (session, "session"), (preview, "preview")):
        given(name, what)

    async def do(client: Memory) -> Changed:
        receipt = await client.retire_fact(wanted, reason, thread=thread, session=session, preview=preview)
        return acted(receipt, await client.fact(wanted, thread=thread, session=session, preview=preview))

    change(ctx, do, fact_changes_view.retired)


def _scope(name: str) -> Scope:
    found = scope_given(name)
    if not found:
        raise Invalid(f"say where the fact is to hold: {', '.join(SCOPES)}")
    return found
