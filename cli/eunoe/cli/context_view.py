"""A context as people read it: how its window is filled, what it reflects, and what the model reads. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from eunoe.cli import bars, messages_view, words
from eunoe.cli.context_basis import Basis
from eunoe.cli.context_told import told
from eunoe.cli.output import clean
from eunoe.cli.pages import verbatim
from eunoe.schemas.context import Context, LayerName

LAYERS: dict[LayerName, str] = {
    "instructions": "the caller's own instructions, word for word",
    "earlier": "what memory knows from before the turns below",
    "literal": "turns word for word, oldest first",
    "now": "where things stand, and what bears on the request",
    "request": "what is asked",
}

ID = 5  # characters of a fact's id that a command mostly takes for it


def context(found: Context, width: int, basis: Basis | None = None) -> Iterator[RenderableType]:
    """Head, bar, legend and remarks, then every layer with its text, and the facts in them by their ids; ``basis`` is
    that of the next request, None of a past one."""
    yield Text(clean(title(found, basis)), style="bold")
    yield bars.bar(found.layers, found.window, width)
    yield from flow(bars.legend(found.layers, found.window), width)
    yield from remarks(found, basis)
    yield from body(found, width)
    yield from facts(found, width)


def title(found: Context, basis: Basis | None = None) -> str:
    """``thread builder, turn 7: 1,216 of 2,048 tokens (openai)``."""
    turn = f"turn {found.turn}" if basis is None else f"next (turn {found.turn})"
    used = f"{found.tokens:,} of {found.window:,} tokens"
    return f"thread {found.thread}, {turn}: {used} ({found.format})"


def flow(pieces: Sequence[Text], width: int) -> Iterator[Text]:
    """Pieces on as few lines as fit, none of them broken."""
    row = Text()
    for piece in pieces:
        if row and row.cell_len + 3 + piece.cell_len > width:
            yield row
            row = Text()
        row = row.append("   " if row else "").append_text(piece)
    if row:
        yield row


def remarks(found: Context, basis: Basis | None = None) -> Iterator[Text]:
    """What a reader must know of this context before believing it, and what was done to make it."""
    for name, what in told(found, basis):
        yield Text(f"{name}: ", style="bold").append(clean(what), style="not bold")


def facts(found: Context, width: int) -> Iterator[RenderableType]:
    """Every fact that is shown, with the id that a command takes, its layer, and its line with its source."""
    if not found.facts:
        return
    yield Text()
    yield rule(f"{words.count(len(found.facts), 'fact')} · `eunoe fact why ID` says where one is from", width)
    shown = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for column in ("id", "layer", "line"):
        shown.add_column(column, overflow="fold", no_wrap=column != "line")
    length = shortest([fact.id for fact in found.facts])
    for fact in found.facts:
        shown.add_row(clean(fact.id[:length]), fact.layer, clean(fact.line.removeprefix("- ")))
    yield shown


def shortest(ids: Sequence[str]) -> int:
    """Characters that tell these ids apart, `ID` at least."""
    known = set(ids)
    longest = max(map(len, known), default=0)
    return next(
        (length for length in range(ID, longest) if len({one[:length] for one in known}) == len(known)), longest
    )


def body(found: Context, width: int) -> Iterator[Text]:
    """Every layer that holds something, or the messages where the layers come without their texts."""
    if not any(layer.text for layer in found.layers):
        system = [("system", found.system)] if found.system else []
        yield from _said([*system, *messages_view.of(found.messages)])
        return
    said_by = messages_view.speakers(found.messages)
    for layer in found.layers:
        if layer.tokens or layer.text:
            yield Text()
            yield rule(f"{layer.name} · {layer.tokens:,} tokens · {LAYERS[layer.name]}", width)
            yield from _said(messages_view.of_layer(layer.text, found.format, said_by))


def _said(parts: Iterable[messages_view.Said]) -> Iterator[Text]:
    for index, (who, what) in enumerate(parts):
        if who or index:
            yield Text()
        if who:
            yield Text(clean(f"[{who}]"), style="bold cyan", no_wrap=True)
        yield verbatim(what)


def rule(text: str, width: int) -> Text:
    """A line across, with what stands below it."""
    said = f"── {words.one_line(text, width - 4)} "
    return Text(said + "─" * max(0, width - len(said)), style="bold")
