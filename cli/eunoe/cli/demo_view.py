"""The scenes of the demo as people read them, in plain words. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from eunoe.audit.anchors import Anchor
from eunoe.audit.verify import Verdict, describe
from eunoe.cli import (
    audit_view,
    bars,
    context_view,
    distil_view,
    fact_delete_view,
    fact_view,
    facts_view,
    importing_view,
    messages_view,
    summary_view,
    words,
)
from eunoe.cli.context_basis import Basis
from eunoe.cli.demo_tour import Data, Prose, Scene, Several
from eunoe.cli.importing_view import Outcome
from eunoe.cli.output import clean
from eunoe.client.deleting import Deletion
from eunoe.schemas.context import Context
from eunoe.schemas.requests import FactReply, FactsReply, Shown

NEXT = (
    ("eunoe up", "keeps a server and every worker running on this machine"),
    ("eunoe import FILE", "brings a transcript in: OpenAI messages, Claude Code, SWE-agent, an export of Eunoe"),
    ("eunoe --help", "lists everything else; the README shows how agents use Eunoe from Python"),
)
ENDS = 3  # lines shown of the beginning and of the end of a long output


def opening(width: int) -> Iterator[RenderableType]:
    yield Text("Eunoe is the memory of a fleet of agents.", style="bold")
    yield Text(
        "It records what every agent says and does, learns facts from it, and composes for each request what the "
        "model has to know, within its window. This tour runs a server and all workers in a temporary folder."
    )


def scene(found: Scene, width: int) -> Iterator[RenderableType]:
    """Title, explanation, command, and what there is to see."""
    yield Text()
    yield Text(f"── {found.title} ".ljust(width, "─"), style="bold cyan")
    yield Text(found.told)
    yield Text()
    yield Text(f"$ {found.command}", style="bold")
    for item in data(found.data, width - 2):
        yield _indented(item)


def closing(width: int) -> Iterator[RenderableType]:
    yield Text()
    yield Text("── That was it ".ljust(width, "─"), style="bold cyan")
    yield Text("The temporary folder is gone. Begin for real:")
    for command, what in NEXT:
        yield Text(f"$ {command}", style="bold")
        yield _indented(Text(what))


def data(found: Data, width: int) -> Iterator[RenderableType]:
    match found:
        case Outcome():
            yield Text(importing_view.line(found))
        case FactsReply():
            yield from list(facts_view.facts(found, width))[:-2]
        case FactReply():
            yield from fact_view.history(found, width)
        case Prose():
            yield from _prose(found, width)
        case Deletion():
            yield from fact_delete_view.one(found, width)
        case Context():
            yield from _seen(found, width)
        case Shown():
            yield from _ends(found, width)
        case Anchor():
            yield from audit_view.anchor(found)
        case _:
            yield from _several(found, width)


def _several(found: Several, width: int) -> Iterator[RenderableType]:
    for item in found:
        if isinstance(item, Verdict):
            yield from _verdict(item)
        else:
            yield from _window(item, width)
            yield Text()


def _window(found: Context, width: int) -> Iterator[Text]:
    """What the next request carries in a window."""
    yield Text(clean(context_view.title(found, Basis())))
    yield bars.bar(found.layers, found.window, width)
    yield from context_view.flow(bars.legend(found.layers, found.window), width)


def _indented(item: RenderableType) -> RenderableType:
    if isinstance(item, Text) and not item.plain:
        return item
    return Padding(item, (0, 0, 0, 2), expand=False)


def _verdict(found: Verdict) -> Iterator[Text]:
    records = words.count(found.records, "record")
    if found.fine:
        yield Text(f"{records}: whole, nothing was changed", style="green")
        return
    yield Text(f"{records}: {words.count(len(found.problems), 'problem')}, the first of them:", style="red")
    yield Text("  " + clean(describe(found.problems[0])), style="red")


def _seen(found: Context, width: int) -> Iterator[RenderableType]:
    """The bar, and the lines that memory put into the context."""
    yield from _window(found, width)
    for layer in found.layers:
        if layer.name in ("earlier", "now"):
            yield Text()
            yield Text(f"{layer.name}:", style="bold")
            for _, text in messages_view.of_layer(layer.text, found.format):
                yield from (Text(clean(line)) for line in text.splitlines() if not line.startswith("<"))


def _prose(found: Prose, width: int) -> Iterator[RenderableType]:
    """What was drawn, and the beginning of the summary."""
    yield from distil_view.made(found.made, width)
    for version in found.summary.versions:
        lines = version.text.splitlines()
        yield Text()
        yield Text(summary_view.heading(version), style="bold")
        yield from (Text(words.one_line(line, width)) for line in lines[: 2 * ENDS])
        if len(lines) > 2 * ENDS:
            yield Text(f"… {len(lines) - 2 * ENDS} more lines …", style="dim")


def _ends(found: Shown, width: int) -> Iterator[Text]:
    """The first and the last lines of an entry."""
    lines = found.content.splitlines()
    yield Text(f"entry {found.entry} · {clean(found.tool)} · {words.size(found.size)}", style="dim")
    yield from (Text(words.one_line(line, width)) for line in lines[:ENDS])
    if len(lines) > 2 * ENDS:
        yield Text(f"… {len(lines) - 2 * ENDS} more lines …", style="dim")
    yield from (Text(words.one_line(line, width)) for line in lines[max(ENDS, len(lines) - ENDS) :])
