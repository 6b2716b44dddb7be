"""A context as people read it: how its window is filled, what it reflects, and what the model reads. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from eunoe.cli import bars, messages_view, words
from eunoe.cli.output import clean
from eunoe.cli.pages import verbatim
from eunoe.runtime import revisions
from eunoe.schemas.context import Context, LayerName, Watermark

_LAYERS: dict[LayerName, str] = {
    "instructions": "the caller's own instructions, word for word",
    "earlier": "what memory knows from before the turns below",
    "literal": "turns word for word, oldest first",
    "now": "where things stand, and what bears on the request",
    "request": "what is asked",
}


def context(found: Context, width: int) -> Iterator[Text]:
    """Head, bar, legend and remarks, then every layer with its text."""
    yield Text(clean(title(found)), style="bold")
    yield bars.bar(found.layers, found.window, width)
    yield from flow(bars.legend(found.layers, found.window), width)
    yield from remarks(found)
    yield from body(found, width)


def title(found: Context) -> str:
    turn = f"turn {found.turn}" if found.recipe.turn and found.turn else "the next request"
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


def remarks(found: Context) -> Iterator[Text]:
    """What a reader must know of this context before believing it."""
    said = [("note", found.note), ("differs", found.differs)]
    if found.reconstructed:
        said.append(("reconstructed", "no request was made here through Eunoe, so this is what one would have carried"))
    if found.stale:
        said.append(("not fresh", f"{', '.join(found.stale)}; ask again, or wait longer"))
    if found.recipe.pending:
        said.append(("pending", f"facts of turns {', '.join(map(str, found.recipe.pending))} are still to come"))
    if found.recipe.left:
        said.append(("left out", f"{words.count(found.recipe.left, 'turn')} before turn {found.recipe.first_turn}"))
    if found.recipe.erased:
        said.append(("erased", f"everything said in {words.count(found.recipe.erased, 'turn')}"))
    said.append(("done to fit", ", ".join(found.recipe.steps)))
    said.append(("reflects", reflects(found.watermark)))
    for name, what in said:
        if what:
            yield Text(f"{name}: ", style="bold").append(clean(what), style="not bold")


def reflects(watermark: Watermark) -> str:
    """``the log to 45; facts: permanent 3, session 2, thread 9`` (how far each of the three buckets is).

    Facts that were made again say in which generation these are, and 0 for a bucket that is still of an older one.
    """
    buckets = {"permanent": watermark.permanent, "session": watermark.session, "thread": watermark.thread}
    now = max(map(revisions.generation, buckets.values()))
    facts = ", ".join(f"{name} {revisions.seq(revision, now)}" for name, revision in buckets.items())
    return f"the log to {watermark.log}; facts: {facts}" + (f", of generation {now}" if now > 1 else "")


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
            yield _rule(f"{layer.name} · {layer.tokens:,} tokens · {_LAYERS[layer.name]}", width)
            yield from _said(messages_view.of_layer(layer.text, found.format, said_by))


def _said(parts: Iterable[messages_view.Said]) -> Iterator[Text]:
    for index, (who, what) in enumerate(parts):
        if who or index:
            yield Text()
        if who:
            yield Text(clean(f"[{who}]"), style="bold cyan", no_wrap=True)
        yield verbatim(what)


def _rule(text: str, width: int) -> Text:
    said = f"── {words.one_line(text, width - 4)} "
    return Text(said + "─" * max(0, width - len(said)), style="bold")
