"""What came of a change of a fact, in two lines and the way back. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from eunoe.cli import ways_back
from eunoe.cli.fact_changes import Changed
from eunoe.cli.fact_view import ended, named
from eunoe.cli.facts_view import heading, validity
from eunoe.cli.output import clean
from eunoe.schemas.requests import FactView


def stated(found: Changed) -> Iterator[Text]:
    """The fact as it stands now, what it replaced, and what contradicts it."""
    yield _said("stated" if found.added else "there already", found)
    yield from _standing(found.fact)
    if _again(found):
        yield Text(f"said before as {found.known}; now said once more")
        return
    if found.known and found.added:
        yield Text(f"known before as {found.known}; {clean(_who(found.fact))}")
    yield from _before(found)
    if found.added:
        yield _hint(_undo(found))


def approved(found: Changed) -> Iterator[Text]:
    """The fact that it is from here on; the proposal does not come back."""
    yield _said("approved", found)
    yield from _standing(found.fact)
    if found.known:
        yield Text(f"known before as {found.known}")
        return
    yield from _before(found)
    after = ways_back.again("delete", found.id, found.fact)
    yield _hint(_undo(found) if found.replaced else f"refuse it after all: {after}")


def moved(found: Changed) -> Iterator[Text]:
    yield _said("moved", found)
    yield from _standing(found.fact)
    yield from _before(found)
    if found.fact.cites:
        yield _hint(f"what it was before: {ways_back.came_from(found.fact)}")


def pinned(found: Changed) -> Iterator[Text]:
    """Pinned, or not any more, and the way back; or that it was so already."""
    on = found.fact.pinned
    if found.duplicate:
        yield _said("is pinned already" if on else "is not pinned", found)
        return
    yield _said("pinned" if on else "not pinned any more", found)
    yield _hint(f"undo: {ways_back.again('pin', found.fact.id, found.fact, *(['--off'] if on else []))}")


def labelled(found: Changed) -> Iterator[Text]:
    """Which labels it has now."""
    labels = ", ".join(found.fact.labels)
    yield _said("labelled", found)
    yield Text(clean(f"labels: {labels}" if labels else "it has no labels now"))


def hidden(found: Changed) -> Iterator[Text]:
    """That a preview does not show it."""
    yield Text(clean(f"taken away in the preview {found.fact.identity.preview}: {named(found.fact.identity)}"))
    yield _hint(_undo(found))


def retired(found: Changed) -> Iterator[Text]:
    """That it was taken back, and what holds instead where others say the same or something else."""
    fact = found.fact
    yield _said("taken back", found)
    if fact.state in ("current", "proposed"):
        yield Text(clean(f"others say the same: {'; '.join(fact.sources)}"))
    elif found.leads:
        leads = found.leads
        yield Text(
            f"in its place now: {leads.id}  {clean(leads.value)} — from {clean(leads.from_text)}", style="yellow"
        )
    yield _hint(f"what it was: {ways_back.history(fact)}")


def _undo(found: Changed) -> str:
    """Says again what was said before; where there was nothing, takes back what was said now."""
    before = found.replaced[-1] if found.replaced else None
    return "undo: " + (ways_back.restated(before) if before else ways_back.retired(found.id, found.fact))


def _before(found: Changed) -> Iterator[Text]:
    for before in found.replaced:
        yield Text(f"before: {clean(before.value)} ({before.id}, from {clean(before.from_text)})")


def _again(found: Changed) -> bool:
    """Whether the same source had said so already: then nothing came of it. Tools may share what they say."""
    one = found.fact.source.kind != "tool" or len(found.fact.sources) == 1
    return found.added and bool(found.known) and found.id != found.fact.id and one


def _who(fact: FactView) -> str:
    """Who says so now; a fact that another's outranks names its own source alone."""
    several = len(fact.sources) > 1
    return f"it is now from {'; '.join(fact.sources)}" if several else f"{fact.from_text} says so too"


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
    """A line with a command in it, which is never broken: it is there to be copied."""
    return Text(text, style="dim", no_wrap=True)
