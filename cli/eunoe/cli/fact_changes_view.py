"""What came of a change of a fact, in two lines and the way back. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rich.text import Text

from eunoe.cli.fact_changes import Changed
from eunoe.cli.fact_view import ended, named
from eunoe.cli.facts_view import heading, validity
from eunoe.cli.output import clean
from eunoe.schemas.requests import FactView


def stated(found: Changed) -> Iterator[Text]:
    """The fact as it stands now, what it replaced, and what contradicts it."""
    yield _said("stated" if found.added else "there already", found)
    yield from _standing(found.fact)
    if found.known and found.added:
        yield Text(f"known before as {found.known}; it is now from {clean('; '.join(found.fact.sources))}")
    for before in found.replaced:
        yield Text(f"before: {clean(before.value)} ({before.id}, from {clean(before.from_text)})")
    if found.added:
        yield _hint(_take_back(found))


def approved(found: Changed) -> Iterator[Text]:
    yield _said("approved", found)
    yield from _standing(found.fact)
    yield _hint(f"undo: eunoe fact delete {found.id}")


def moved(found: Changed) -> Iterator[Text]:
    yield _said("moved", found)
    yield from _standing(found.fact)
    if found.fact.cites:
        yield _hint(f"what it was before: eunoe fact history {found.fact.cites}")


def pinned(found: Changed) -> Iterator[Text]:
    """Pinned, or not any more; and the way back."""
    on = found.fact.pinned
    yield _said("pinned" if on else "not pinned any more", found)
    yield _hint(f"undo: eunoe fact pin {found.fact.id}{' --off' if on else ''}")


def labelled(found: Changed) -> Iterator[Text]:
    """Which labels it has now."""
    labels = ", ".join(found.fact.labels)
    yield _said("labelled", found)
    yield Text(clean(f"labels: {labels}" if labels else "it has no labels now"))


def hidden(found: Changed) -> Iterator[Text]:
    """That a preview does not show it."""
    yield Text(clean(f"taken away in the preview {found.fact.identity.preview}: {named(found.fact.identity)}"))
    yield _hint(_take_back(found))


def retired(found: Changed) -> Iterator[Text]:
    """That it was taken back, and what holds instead where others say the same or something else."""
    fact = found.fact
    yield _said("taken back", found)
    if fact.state in ("current", "proposed"):
        yield Text(clean(f"others say the same: {'; '.join(fact.sources)}"))
    yield _hint(f"what it was: eunoe fact history {fact.id}")


def _take_back(found: Changed) -> str:
    preview = found.fact.identity.preview
    return f"undo: eunoe fact retire {found.id}" + (f" --preview {shlex.quote(clean(preview))}" if preview else "")


def _said(what: str, found: Changed) -> Text:
    fact = found.fact
    return Text(f"{what}: ").append(found.id, style="bold").append(clean(f"  {named(fact.identity)}: {fact.value}"))


def _standing(fact: FactView) -> Iterator[Text]:
    """Where it holds, as which version, and who says otherwise."""
    parts = [
        heading(fact.identity),
        f"version {fact.version}",
        ended(fact),
        *([validity(fact)] if validity(fact) else []),
    ]
    yield Text(clean(", ".join(parts)))
    yield from (Text(f"≠ {clean(other)}", style="yellow") for other in fact.others if fact.conflict)


def _hint(text: str) -> Text:
    return Text(text, style="dim")
