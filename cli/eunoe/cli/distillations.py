"""`eunoe distillations`: what was distilled, summarised and reviewed of a thread, and what that took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from eunoe.cli import distil_view
from eunoe.cli.app import App
from eunoe.cli.asking import ask, gate, require_thread
from eunoe.cli.connect import look
from eunoe.cli.pages import emit_page
from eunoe.client import distilling
from eunoe.runtime.session import Session
from eunoe.runtime.tasks import each
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import Invalid, NotFound
from eunoe.schemas.requests import Distillation, DistillationsReply, FactReply, FactRequest, FactView

_AT_ONCE = 16  # facts that are asked for at once


@dataclass(frozen=True, slots=True)
class One:
    """One piece of work, with its facts as they stand now."""

    distillation: Distillation
    facts: tuple[FactView, ...]


def register(app: App) -> None:
    app.command("distillations", epilog="Example: eunoe distillations builder")(distillations)


def distillations(
    ctx: typer.Context,
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="A thread's id.")],
    record: Annotated[
        int | None,
        typer.Argument(
            metavar="RECORD", min=1, help="One of them: its facts, what a review decided, and what was set aside."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, max=limits.DISTILLATIONS_SHOWN, help="Pieces of work on a page.")
    ] = limits.DISTILLATIONS_SHOWN,
    before: Annotated[int, typer.Option(metavar="RECORD", min=0, help="Go on before this record.")] = 0,
) -> None:
    """List what was distilled, summarised and reviewed of a thread, newest first.

    When, by what, what came of it, what it took, and why where nothing came of it; at the end what all of it took.
    """
    ids.check(thread, "thread")
    if record is None:
        emit_page(ctx, look(ctx, _page, thread, limit, before), distil_view.listed)
        return
    if before:
        raise Invalid("--before goes with the list, and one record was named; give one of them")
    emit_page(
        ctx,
        look(ctx, _one, thread, record),
        lambda found, width: distil_view.whole(found.distillation, {one.id: one for one in found.facts}, width),
    )


async def _page(session: Session, thread: str, limit: int, before: int) -> DistillationsReply:
    await require_thread(session, thread)
    return await distilling.distillations(gate(session), thread, limit=limit, before=before)


async def _one(session: Session, thread: str, record: int) -> One:
    page = await _page(session, thread, 1, record + 1)
    if not page.distillations or page.distillations[0].record != record:
        raise NotFound(f"record {record} of {thread!r} is no such work; `eunoe distillations {thread}` lists it")
    found = page.distillations[0]
    return One(found, await facts_of(session, thread, [found]))


async def facts_of(
    session: Session, thread: str, made: Iterable[Distillation], position: int = 0
) -> tuple[FactView, ...]:
    """The facts that these pieces of work stated, as they stand once documents reflect the log up to ``position``;
    without those that are gone."""
    wanted = [id_ for one in made for id_ in one.facts]
    found: dict[str, FactView | None] = {}

    async def fetch(id_: str) -> None:
        found[id_] = await _fact(session, thread, id_, position)

    await each(wanted, fetch, _AT_ONCE)
    return tuple(fact for id_ in wanted if (fact := found[id_]) is not None)


async def _fact(session: Session, thread: str, id_: str, position: int) -> FactView | None:
    request = FactRequest(id=id_, after=Watermark(log=position))
    try:
        reply = await ask(session, "fact", request, FactReply, subjects.thread_chain(thread))
    except NotFound:
        return None
    return _version(reply.versions, id_)


def _version(versions: Sequence[FactView], id_: str) -> FactView | None:
    return next((one for one in versions if one.id == id_), versions[-1] if versions else None)
