"""A window drawn as one bar on a page: a rectangle for each layer, with its letter where there is room. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from eunoe.cli.bars import LETTERS
from eunoe.cli.html_tree import node
from eunoe.schemas.context import LayerName

_LETTER = 2.0  # per cent of the bar that a letter needs


def bar(layers: Mapping[LayerName, int], window: int, longest: int) -> Element:
    """The layers of a window, by their tokens; ``longest`` is the window whose bar has the whole width."""
    whole = max(longest, window, sum(layers.values()), 1)
    made = node("svg", node("rect", class_="window", width=_percent(window, whole), height="22"), role="img")
    made.set("aria-label", described(layers, window))
    at = 0
    for name in LETTERS:
        if tokens := layers.get(name, 0):
            share = tokens * 100 / whole
            drawn = node("rect", class_=name, x=_percent(at, whole), width=_percent(tokens, whole), height="22")
            drawn.append(node("title", f"{name}: {tokens:,} tokens"))
            made.append(drawn)
            if share >= _LETTER:
                middle = f"{(at * 100 / whole) + share / 2:.3f}%"
                made.append(node("text", LETTERS[name], x=middle, y="15", text_anchor="middle", aria_hidden="true"))
            at += tokens
    return made


def described(layers: Mapping[LayerName, int], window: int) -> str:
    """The bar in words, for who does not see it."""
    held = [f"{name} {layers[name]:,}" for name in LETTERS if layers.get(name)]
    free = max(window - sum(layers.values()), 0)
    return f"{', '.join([*held, f'free {free:,}'])} of {window:,} tokens"


def _percent(part: int, whole: int) -> str:
    return f"{part * 100 / whole:.3f}%"
