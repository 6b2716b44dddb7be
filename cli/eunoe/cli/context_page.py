"""A page that shows a thread's contexts: as bars over time, and each beside what was said.

It stands on its own: it loads nothing, runs nothing, and allows itself nothing else than its own style, whatever
the contents of the thread say. Pure, but for the style, which is read with this module.
"""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from xml.etree.ElementTree import Element

from eunoe.cli import bars, context_page_turn, context_told, context_view, words
from eunoe.cli.context_bar import bar
from eunoe.cli.context_fetch import Paged, Turned
from eunoe.cli.context_page_said import Said
from eunoe.cli.html_tree import document, node

STYLE = resources.files("eunoe.cli").joinpath("context_page.css").read_text(encoding="utf-8")
COLUMNS = {
    "turn": "",
    "context": "",
    "tokens": "number",
    "window": "number wide",
    "as before": "number wide",
    "contexts": "number wide",
}
"""The columns of the list of contexts, and how each is set."""


def page(found: Paged) -> bytes:
    """The page, as a file holds it."""
    title = f"Contexts of thread {found.thread}"
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = node(
        "head",
        node("meta", charset="utf-8"),
        node("meta", http_equiv="Content-Security-Policy", content=policy),
        node("meta", name="viewport", content="width=device-width, initial-scale=1"),
        node("title", title),
        node("style", STYLE),
    )
    last = len(found.turns) - 1
    said = Said.on(found)
    turns = [context_page_turn.turn(one, said, opened=index == last) for index, one in enumerate(found.turns)]
    header = node("header", node("h1", "Contexts of thread ", node("bdi", found.thread)), node("p", counted(found)))
    return document(head, node("body", header, node("main", *_over_time(found), *_each(turns))))


def counted(found: Paged) -> str:
    """How many turns the page shows, of how many."""
    lines = [one.line for one in found.turns if one.line is not None]
    if not found.turns:
        return "no turns"
    if not lines:
        return f"the next request, after {words.count(found.total, 'turn')}"
    shown = f"turns {words.span(lines[0].turn, lines[-1].turn)}" if len(lines) > 1 else f"turn {lines[0].turn}"
    return shown if len(lines) == found.total else f"{shown} of {found.total:,}"


def _over_time(found: Paged) -> list[Element]:
    """The bars of all contexts, one under the other, on one scale."""
    if not found.turns:
        return [node("p", "There are no turns here.")]
    contexts = [one.context for one in found.turns if one.context is not None]
    longest = max((context.window for context in contexts), default=1)
    head = node("tr", *(node("th", name, scope="col", class_=style) for name, style in COLUMNS.items()))
    table = node("table", node("thead", head), node("tbody", *(_row(one, longest) for one in found.turns)))
    return [node("h2", "Over time" if len(found.turns) > 1 else "The window"), _legend(), table]


def _row(one: Turned, longest: int) -> Element:
    number = one.line.turn if one.line else one.context.turn if one.context else 0
    name = node("th", node("a", f"{number}" if one.line else "next", href=f"#turn-{number}"), scope="row")
    if one.context is None:
        return node("tr", name, node("td", one.missing, colspan=str(len(COLUMNS) - 1)))
    context, recipe = one.context, one.context.recipe
    stable = f"{recipe.stable * 100 // recipe.bytes}%" if context_told.follows(context) else ""
    count = (
        str(one.line.contexts) if one.line and one.line.contexts else "reconstructed" if context.reconstructed else ""
    )
    figures = (f"{context.tokens:,}", f"{context.window:,}", stable, count)
    cells = zip(figures, list(COLUMNS.values())[2:], strict=True)
    drawn = node("td", bar(context_page_turn.tokens(context), context.window, longest), class_="bar")
    return node("tr", name, drawn, *(node("td", figure, class_=style) for figure, style in cells))


def _legend() -> Element:
    keys = [
        node("li", node("span", letter, class_=f"key {name}"), f" {name}: {context_view.LAYERS[name]}")
        for name, letter in bars.LETTERS.items()
    ]
    return node("ul", *keys, node("li", node("span", bars.FREE, class_="key free"), " free"), class_="legend")


def _each(turns: list[Element]) -> list[Element]:
    return [node("h2", "Each context, beside what was said"), *turns] if turns else []
