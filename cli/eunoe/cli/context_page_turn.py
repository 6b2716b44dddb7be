"""One turn on a page: what was said in it, and beside that what its model read. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from eunoe.cli import bars, context_diff, context_told, context_view, words
from eunoe.cli.context_asked import NEXT
from eunoe.cli.context_bar import bar
from eunoe.cli.context_diff import Part
from eunoe.cli.context_fetch import Turned
from eunoe.cli.context_page_said import Said, written
from eunoe.cli.html_tree import node
from eunoe.schemas.context import Context, Layer, LayerName, Rendering

PART = 16_384  # characters of one part of a context on a page
PARTS = 262_144  # characters of all parts of one layer on a page
OPEN: frozenset[LayerName] = frozenset({"now", "request"})  # layers whose text is not folded away


def turn(found: Turned, said: Said, *, opened: bool) -> Element:
    """A turn to unfold; what its context shows otherwise than it was said leads to where that stands."""
    number = found.line.turn if found.line else found.context.turn if found.context else 0
    made = node("details", node("summary", title(found)), *_head(found), class_="turn", id=f"turn-{number}")
    if opened:
        made.set("open", "open")
    read = node("div", node("h3", "What the model read"), *(_read(found, found.context, said) if found.context else ()))
    made.append(node("div", said.of(found, number), read, class_="beside") if found.said else read)
    return made


def title(found: Turned) -> str:
    """``turn 7 · committed · 2026-01-31 09:05 · builder: the first words of its prompt``."""
    if found.line is None:
        return "the next request"
    line = found.line
    parts = [f"turn {line.turn}", line.state, words.day(line.time), *([line.agent] if line.agent else [])]
    return f"{' · '.join(parts)}: {line.prompt or '(nothing)'}"


def tokens(context: Context) -> dict[LayerName, int]:
    """The tokens of each layer."""
    return {layer.name: layer.tokens for layer in context.layers}


def _head(found: Turned) -> Iterator[Element]:
    """The bar, what the turn changed, and what must be known of its context."""
    told = [("changed", change) for change in found.line.changes] if found.line else []
    if found.context is None:
        yield node("p", found.missing)
    else:
        context = found.context
        yield node("p", context_view.title(context, found.basis))
        yield bar(tokens(context), context.window, context.window)
        told += context_told.told(context, found.basis)
    if told:
        yield node("dl", *(node(tag, text) for pair in told for tag, text in zip(("dt", "dd"), pair, strict=True)))


def _read(found: Turned, context: Context, said: Said) -> Iterator[Element]:
    """What the model read, layer by layer; then what it was shown otherwise than it was said, and the facts."""
    parts = context_diff.parts(context)
    whole = f"eunoe context {shlex.quote(said.thread)} {NEXT if found.line is None else context.turn}"
    yield from (_layer(layer, parts[layer.name], whole) for layer in context.layers)
    if context.recipe.renderings:
        yield _otherwise(context, said)
    if context.facts:
        yield _facts(context)


def _layer(layer: Layer, parts: Sequence[Part], whole: str) -> Element:
    """A layer to unfold; of more than there is room for, ``whole`` is the command that shows it."""
    head = f" {layer.name} · {layer.tokens:,} tokens · {context_view.LAYERS[layer.name]}"
    made = node("details", node("summary", _key(layer.name), head), class_="layer")
    if layer.name in OPEN:
        made.set("open", "open")
    room = PARTS
    for index, part in enumerate(parts):
        if room <= 0:
            more = words.count(len(parts) - index, "more part")
            made.append(node("p", f"{more}, for which this page has no room: {whole}", class_="note"))
            break
        made.extend(_part(part, whole))
        room -= min(len(part.text), PART)
    return made


def _part(part: Part, whole: str) -> Iterator[Element]:
    """Who says it, and what; of a long one, the beginning."""
    if part.who:
        yield node("h4", part.who)
    yield written(part.text[:PART])
    if len(part.text) > PART:
        yield node("p", f"{len(part.text) - PART:,} more characters: {whole}", class_="note")


def _otherwise(context: Context, said: Said) -> Element:
    """How each entry is shown that is not shown whole, with where it stands as it was said."""
    rows = [node("li", said.link(one.entry), f": {_how(one)}") for one in context.recipe.renderings]
    head = f"{words.count(len(rows), 'entry', 'entries')} shown otherwise than said"
    return node("details", node("summary", head), node("ul", *rows), class_="more")


def _how(one: Rendering) -> str:
    match one.how:
        case "reference":
            return "a reference stands for it"
        case "arguments":
            return "without its long arguments"
        case "excerpt":
            return f"its beginning and its end, in {words.size(one.size)}"
        case "cut":
            copied = sum(end - start for start, end, _ in one.spans)
            outputs = ", ".join(dict.fromkeys(f"entry {output}" for _, _, output in one.spans))
            return f"without {copied:,} characters that it copies from {outputs}"


def _facts(context: Context) -> Element:
    rows = [
        node("tr", node("td", node("code", fact.id)), node("td", fact.layer), node("td", fact.line.removeprefix("- ")))
        for fact in context.facts
    ]
    head = node("tr", *(node("th", name, scope="col") for name in ("id", "layer", "fact, and its source")))
    table = node("table", node("thead", head), node("tbody", *rows), class_="facts")
    return node("details", node("summary", words.count(len(rows), "fact")), table, class_="more")


def _key(name: LayerName) -> Element:
    return node("span", bars.LETTERS[name], class_=f"key {name}", aria_hidden="true")
