"""A context as people read it: how its window is filled, what it reflects, and what the model reads. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from eunoe.cli import bars, messages_view, words
from eunoe.cli.output import clean
from eunoe.cli.pages import verbatim
from eunoe.composition.changes import named
from eunoe.runtime import revisions
from eunoe.schemas.context import Assessment, Context, LayerName, Recipe, ShownSummary, Watermark

LAYERS: dict[LayerName, str] = {
    "instructions": "the caller's own instructions, word for word",
    "earlier": "what memory knows from before the turns below",
    "literal": "turns word for word, oldest first",
    "now": "where things stand, and what bears on the request",
    "request": "what is asked",
}


_RENDERINGS = {
    "reference": ("reference",),
    "cut": ("cut reply", "cut replies"),
    "excerpt": ("excerpt",),
    "arguments": ("call without its long arguments", "calls without their long arguments"),
}
ID = 5  # characters of a fact's id that a command mostly takes for it

Said = tuple[str, str]
"""What is said of a context: under which name, and what."""


def context(found: Context, width: int) -> Iterator[RenderableType]:
    """Head, bar, legend and remarks, then every layer with its text, and the facts in them by their ids."""
    yield Text(clean(title(found)), style="bold")
    yield bars.bar(found.layers, found.window, width)
    yield from flow(bars.legend(found.layers, found.window), width)
    yield from remarks(found)
    yield from body(found, width)
    yield from facts(found, width)


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
    """What a reader must know of this context before believing it, and what was done to make it."""
    for name, what in told(found):
        yield Text(f"{name}: ", style="bold").append(clean(what), style="not bold")


def told(found: Context) -> Iterator[Said]:
    """What the remarks say: doubts first, then what was done, then figures."""
    yield from (*_doubts(found), *_deeds(found), *_figures(found))


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


def _doubts(found: Context) -> Iterator[Said]:
    if found.note:
        yield "note", found.note
    if found.differs:
        yield "differs", found.differs
    if found.reconstructed:
        yield "reconstructed", "no model saw this; it is what a request of this turn would have carried"
    if found.stale:
        yield "not fresh", f"{', '.join(found.stale)}; ask again, or wait longer"


def _deeds(found: Context) -> Iterator[Said]:
    """What left, what stands for it, and what was shortened."""
    recipe = found.recipe
    if recipe.refused:
        yield "refused", f"composed in place of {recipe.refused}, which was too long for its provider"
    if recipe.pending:
        yield "pending", pending(found)
    if recipe.ahead:
        turns = [turn for first, last in recipe.ahead for turn in range(first, last + 1)]
        yield "ahead", f"{named(turns, 'turn', 'turns')} {'leaves' if len(turns) == 1 else 'leave'} next"
    if recipe.left:
        yield "left out", f"{words.count(recipe.left, 'turn')} before turn {recipe.first_turn}"
    if recipe.summary:
        yield "summary", summarised(recipe.summary, found.summary)
    if recipe.outline:
        more = f", and leaves {recipe.outline_hidden:,} unnamed" if recipe.outline_hidden else ""
        yield "outline", f"names {named([one.turn for one in recipe.outline], 'turn', 'turns')}{more}"
    if recipe.erased:
        yield "erased", f"everything said in {words.count(recipe.erased, 'turn')}"
    if recipe.steps:
        yield "done to fit", ", ".join(recipe.steps)
    if recipe.renderings:
        yield "in short", ", ".join(_renderings(recipe))


def pending(found: Context) -> str:
    """Of which turns facts were not there, and what has them drawn: a look asks for nothing."""
    turns, thread = named(found.recipe.pending, "turn", "turns"), shlex.quote(found.thread)
    return f"facts of {turns} were not drawn yet; they are once an agent goes on, or now by `eunoe distil {thread}`"


def summarised(shown: ShownSummary, source: str) -> str:
    """Which version of the running summary it is, of which turns, and what made it, as far as that is there."""
    said = ", ".join(filter(None, (f"version {shown.version}", source)))
    return f"{said}, shortened to {shown.size:,} bytes" if shown.size else said


def _renderings(recipe: Recipe) -> Iterator[str]:
    """How many entries are not shown whole, by how they are shown."""
    for how, what in _RENDERINGS.items():
        if count := sum(one.how == how for one in recipe.renderings):
            yield words.count(count, *what)


def _figures(found: Context) -> Iterator[Said]:
    recipe = found.recipe
    if found.assessment is not None:
        yield "assessed", assessed(found.assessment)
    if recipe.tools:
        yield "tools", words.listed(recipe.tools, len(recipe.tools))
    anchor = int(recipe.settings.get("anchor", 0))
    corrected = f", {anchor:+,} by what the provider counted" if anchor else ""
    model = f" for {recipe.model}" if recipe.model else ""
    yield "counted by", f"{found.counter or recipe.counter}{model}{corrected}"
    if recipe.bytes and not found.reconstructed:
        yield "stable", stable(recipe)
    yield "reflects", reflects(found.watermark)


def assessed(found: Assessment) -> str:
    """What was decided about the request before it was composed, and how."""
    said = [f"by {found.method}" + (f" of {found.model}" if found.model else "")]
    said += [f"the call failed: {found.failure}"] if found.failure else []
    said += [f"intent: {found.intent}"] if found.intent else []
    said += [f"task: {found.task}"] if found.task else []
    return "; ".join(said)


def stable(recipe: Recipe) -> str:
    """How much of the context a provider may have in its cache."""
    if not recipe.stable:
        return f"none of its {recipe.bytes:,} bytes lead as in a context before it"
    share = recipe.stable * 100 // recipe.bytes
    return f"its first {recipe.stable:,} of {recipe.bytes:,} bytes ({share}%) are those of the context before it"


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
