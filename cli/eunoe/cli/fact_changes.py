"""What a change of a fact left behind: the fact as it is now, and where the change stands in the log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import msgspec
import typer
from rich.console import RenderableType

from eunoe.cli.asking import memory
from eunoe.cli.connect import run
from eunoe.cli.pages import emit_page
from eunoe.client.memory import Memory
from eunoe.client.stating import StatedFact
from eunoe.client.tickets import Receipt
from eunoe.runtime.session import Session
from eunoe.schemas import subjects
from eunoe.schemas.requests import FactReply, FactView

OWN = "newer"  # the rule by which a source's own later word replaces its earlier one


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """``id`` names the fact from here on; ``fact`` is its version now, ``replaced`` what its source said before.

    ``position`` is the change's own in the log. ``duplicate``: it was known already, under the id ``known``;
    ``added`` says whether it is in the log all the same, as one more who says so. ``leads``: what is in force
    under its name now, where something is and it is another.
    """

    id: str
    version: int
    position: int
    duplicate: bool
    fact: FactView
    known: str = ""
    added: bool = True
    replaced: tuple[FactView, ...] = ()
    leads: FactView | None = None


Do = Callable[[Memory], Awaitable[Changed]]


def change(ctx: typer.Context, do: Do, render: Callable[[Changed], Iterable[RenderableType]]) -> None:
    """Do it, and print what came of it."""
    emit_page(ctx, run(ctx, _with_memory, do), lambda found, width: render(found))


def stated(made: StatedFact, history: FactReply) -> Changed:
    """What a statement came to."""
    fact = version(history)
    new = fact.id == made.id  # and no word that only supports what was there
    return Changed(
        id=made.id,
        version=made.version or fact.version,
        position=made.receipt.position,
        duplicate=made.duplicate,
        fact=fact,
        known=made.known,
        added=not made.receipt.duplicate,
        replaced=tuple(one for one in history.versions if new and one.superseded_by == fact.id and one.rule == OWN),
    )


def acted(receipt: Receipt, history: FactReply) -> Changed:
    """What was done to a fact that is there."""
    fact = version(history)
    return Changed(
        id=fact.id,
        version=fact.version,
        position=receipt.position,
        duplicate=receipt.duplicate,
        fact=fact,
        leads=next((one for one in history.versions if one.id == history.current != fact.id), None),
    )


def version(history: FactReply) -> FactView:
    """The version that was asked for by its id, or by that of an assertion that supports it."""
    return next((view for view in history.versions if view.id == history.named), history.versions[-1])


async def where(client: Memory, made: StatedFact, preview: str | None = None) -> FactReply:
    """The history of what was stated, asked from the thread or session that it is of: from there an agent sees it."""
    chain = made.receipt.chain
    thread, session = subjects.chain_thread(chain), subjects.chain_session(chain)
    return await client.fact(made.id, thread=thread or None, session=session or None, preview=preview)


async def _with_memory(session: Session, do: Do) -> Changed:
    async with memory(session) as client:
        return await do(client)
