"""One turn on a page: what was said in it, and beside that what its model read. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import groupby
from xml.etree.ElementTree import Element

from eunoe.cli import bars, context_diff, context_view, words
from eunoe.cli.context_bar import bar
from eunoe.cli.context_fetch import Turned
from eunoe.cli.html_tree import node
from eunoe.cli.threads_view import outcome
from eunoe.schemas.context import Context, Layer, LayerName, Rendering
from eunoe.schemas.requests import Shown

PART = 16_384  # characters of one part of a context on a page
PARTS = 262_144  # characters of all parts of one context on a page
OPEN: frozenset[LayerName] = frozenset({"now", "request"})  # layers whose text is not folded away
SAID = frozenset({"prompt", "response"})  # kinds of entries whose text is not folded away


def turn(thread: str, found: Turned, *, opened: bool, entries: Container[int]) -> Element:
    """A turn to unfold. ``entries`` are those of the whole page, which what is shown otherwise links to."""
    number = found.line.turn if found.line else found.context.turn if found.context else 0
    made = node("details", node("summary", title(found)), class_="turn", id=f"turn-{number}")
    if opened:
        made.set("open", "open")
    for item in _head(found):
        made.append(item)
    read = _read(thread, found, entries)
    said = node("div", node("h3", "What was said"), id=f"said-{number}")
    for of, held in groupby(found.said, key=lambda entry: entry.turn):
        said.extend([*([node("h3", f"turn {of}")] if of != number else []), *(_entry(thread, one) for one in held)])
    made.append(node("div", said, read, class_="beside") if found.said else read)
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
    if found.context is None:
        yield node("p", found.missing)
        return
    context = found.context
    yield node("p", context_view.title(context))
    yield bar(tokens(context), context.window, context.window)
    said = [("changed", change) for change in found.line.changes] if found.line else []
    told = [*said, *context_view.told(context)]
    yield node("dl", *(node(tag, text) for pair in told for tag, text in zip(("dt", "dd"), pair, strict=True)))


def _read(thread: str, found: Turned, entries: Container[int]) -> Element:
    """What the model read, layer by layer; then what it was shown otherwise than it was said, and the facts."""
    made = node("div", node("h3", "What the model read"))
    if found.context is not None:
        room = PARTS
        parts = context_diff.parts(found.context)
        for layer in found.context.layers:
            drawn, used = _layer(thread, found.context.turn, layer, parts[layer.name], room)
            made.append(drawn)
            room -= used
        for item in (_otherwise(found.context, entries), _facts(found.context)):
            if item is not None:
                made.append(item)
    return made


def _layer(thread: str, turn: int, layer: Layer, parts: list[context_diff.Part], room: int) -> tuple[Element, int]:
    """A layer to unfold, in ``room`` characters; and how many of them it took."""
    head = f" {layer.name} · {layer.tokens:,} tokens · {context_view.LAYERS[layer.name]}"
    made = node("details", node("summary", _key(layer.name), head), class_="layer")
    if layer.name in OPEN:
        made.set("open", "open")
    used = 0
    for index, part in enumerate(parts):
        if used >= room:
            left = words.count(len(parts) - index, "more part")
            made.append(
                node("p", f"{left}, for which this page has no room: eunoe context {thread} {turn}", class_="note")
            )
            break
        if part.who:
            made.append(node("h4", part.who))
        for item in _text(part.text, PART, f"eunoe context {thread} {turn}"):
            made.append(item)
        used += min(len(part.text), PART)
    return made, used


def _otherwise(context: Context, entries: Container[int]) -> Element | None:
    """How each entry is shown that is not shown whole, with where it stands as it was said."""
    if not context.recipe.renderings:
        return None
    rows = [node("li", _linked(one.entry, entries), f": {_how(one)}") for one in context.recipe.renderings]
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


def _facts(context: Context) -> Element | None:
    if not context.facts:
        return None
    rows = [
        node("tr", node("td", node("code", fact.id)), node("td", fact.layer), node("td", fact.line.removeprefix("- ")))
        for fact in context.facts
    ]
    head = node("tr", *(node("th", name, scope="col") for name in ("id", "layer", "fact, and its source")))
    table = node("table", node("thead", head), node("tbody", *rows), class_="facts")
    return node("details", node("summary", words.count(len(rows), "fact")), table, class_="more")


def _entry(thread: str, entry: Shown) -> Element:
    """An entry as the log has it; calls and outputs are folded away."""
    head = " · ".join(_named(entry))
    attached = [node("p", f"attached: {one}", class_="note") for one in entry.attachments]
    left = entry.size - len(entry.content.encode())
    more = f"{left:,} more bytes: eunoe show {thread} {entry.entry}" if left > 0 and not entry.erased else ""
    text = [*attached, _written(entry.content), *([node("p", more, class_="note")] if more else [])]
    if entry.kind in SAID:
        return node("div", node("h4", head), *text, class_="entry", id=f"entry-{entry.entry}")
    folded = node("details", node("summary", head), *text, class_="more")
    return node("div", folded, class_="entry", id=f"entry-{entry.entry}")


def _named(entry: Shown) -> Iterator[str]:
    yield f"entry {entry.entry}"
    yield entry.kind
    if entry.tool:
        yield entry.tool
    if entry.kind == "tool.result":
        yield outcome(entry)
    yield words.size(entry.size)


def _linked(entry: int, entries: Container[int]) -> Element | str:
    return node("a", f"entry {entry}", href=f"#entry-{entry}") if entry in entries else f"entry {entry}"


def _key(name: LayerName) -> Element:
    return node("span", bars.LETTERS[name], class_=f"key {name}", aria_hidden="true")


def _text(text: str, most: int, whole: str) -> Iterator[Element]:
    """A text, its beginning where it is longer than ``most`` characters."""
    yield _written(text[:most])
    if len(text) > most:
        yield node("p", f"{len(text) - most:,} more characters: {whole}", class_="note")


def _written(text: str) -> Element:
    return node("pre", text, dir="auto", tabindex="0")
