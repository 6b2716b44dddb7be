"""Deletions as people read them: what goes, and every trace of what went. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from eunoe.cli import words
from eunoe.cli.fact_view import named
from eunoe.cli.output import clean, table
from eunoe.client.deleting import Deletion, PreviewDeletion, ScopeDeletion, places
from eunoe.schemas.requests import FactView, Trace

KINDS = 6  # kinds of facts that a count names
FAILED = 10  # facts that could not be deleted, of which each is named
STAYS = "no read shows it any more; `eunoe facts --all` and its history still do"


def one(found: Deletion, width: int) -> Iterator[RenderableType]:
    """One fact's receipt: each trace with what became of it."""
    if not found.deleted:
        yield Text("deleted before: ").append(_said(found.fact))
    for index, fact in enumerate(found.deleted):
        yield Text("says the same, deleted too: " if index else "deleted: ").append(_said(fact))
    for also in found.along:
        yield Text("of another time, deleted too: ", style="yellow").append(_said(also))
    yield Text(STAYS, style="dim")
    for other in found.remaining:
        yield (
            Text("in its place now: ", style="yellow").append(_said(other)).append(clean(f" — from {other.from_text}"))
        )
    if found.traces:
        yield Text()
        yield _traces(found.traces)


def whole(found: ScopeDeletion | PreviewDeletion, width: int) -> Iterator[RenderableType]:
    """A whole place, or a preview owner by owner: how many facts of each kind, and which of them stayed."""
    if isinstance(found, PreviewDeletion):
        yield from (_place(place) for place in found.places)
    yield _took(found)
    if found.facts and not found.dry_run:
        yield Text(STAYS.replace("it any more", "them any more").replace("its history", "their histories"), style="dim")
    failed = [one for place in places(found) for one in place.failed]
    for one_failed in failed[:FAILED]:
        yield Text(f"not deleted: {one_failed.fact.id}: {clean(one_failed.reason)}", style="yellow")
    if len(failed) > FAILED:
        yield Text(f"not deleted: {len(failed) - FAILED:,} more; the same command takes what is left")


def _took(found: ScopeDeletion | PreviewDeletion) -> Text:
    """``thread · builder: deleted 12 facts (file 9, tests 3)``."""
    where, failed = _where(found), sum(len(place.failed) for place in places(found))
    if not found.facts:
        return Text(f"{where}: no facts here")
    if found.dry_run:
        return Text(f"{where}: {counted(found.facts, found.kinds)} would go; nothing was changed")
    part = f"{found.facts - failed:,} of " if failed else ""
    return Text(f"{where}: deleted {part}{counted(found.facts, found.kinds)}")


def _place(found: ScopeDeletion) -> Text:
    return Text(clean(f"{found.scope} · {found.owner}: {counted(found.facts, found.kinds)}"), style="dim")


def _where(found: ScopeDeletion | PreviewDeletion) -> str:
    parts = [found.scope, found.owner] if isinstance(found, ScopeDeletion) else []
    return clean(" · ".join([*parts, *([f"preview {found.preview}"] if found.preview else [])]))


def counted(facts: int, kinds: Mapping[str, int]) -> str:
    """``12 facts (file 9, tests 3)``."""
    by_number = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    said = tuple(f"{name} {number:,}" for name, number in by_number)
    return words.count(facts, "fact") + (f" ({words.listed(said, KINDS)})" if said else "")


def _said(fact: FactView) -> Text:
    return Text(fact.id, style="bold").append(clean(f"  {named(fact.identity)}: {fact.value}"), style="not bold")


def _traces(traces: Iterable[Trace]) -> Table:
    made = table("trace", "where", "what became of it", fold=("where", "what became of it"))
    for trace in traces:
        made.add_row(trace.kind, clean(trace.where), clean(trace.fate))
    return made
