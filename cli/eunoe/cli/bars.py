"""A window drawn as one bar: a letter for each layer, so that it reads without colour. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from eunoe.schemas.context import Layer, LayerName

FREE = "·"
LETTERS: dict[LayerName, str] = {"instructions": "I", "earlier": "E", "literal": "L", "now": "N", "request": "R"}
STYLES: dict[LayerName, str] = {
    "instructions": "black on white",
    "earlier": "black on cyan",
    "literal": "black on green",
    "now": "black on yellow",
    "request": "black on magenta",
}


@dataclass(frozen=True, slots=True)
class Segment:
    """One layer in the bar: how many of its columns it fills."""

    name: LayerName
    tokens: int
    columns: int


def segments(layers: Sequence[Layer], window: int, width: int) -> tuple[Segment, ...]:
    """The layers that hold something, by share of the window; together with the free part exactly ``width``.

    A layer that holds something has one column at least. What is left of the rounding goes to the largest
    remainders; a layer that was lifted to one column takes it from the longest.
    """
    held = [layer for layer in layers if layer.tokens > 0]
    total = max(window, sum(layer.tokens for layer in held), 1)
    shares = _apportion([*(layer.tokens for layer in held), total - sum(layer.tokens for layer in held)], width)
    columns = _lift(shares[:-1], shares[-1])
    return tuple(Segment(layer.name, layer.tokens, cells) for layer, cells in zip(held, columns, strict=True))


def bar(layers: Sequence[Layer], window: int, width: int) -> Text:
    """The bar itself, ``width`` columns."""
    drawn = Text()
    for segment in segments(layers, window, width):
        drawn.append(LETTERS[segment.name] * segment.columns, style=STYLES[segment.name])
    drawn.append(FREE * (width - drawn.cell_len), style="dim")
    return drawn


def legend(layers: Sequence[Layer], window: int) -> list[Text]:
    """One piece for each layer that holds something, and one for what is free."""
    pieces = []
    for layer in layers:
        if layer.tokens > 0:
            piece = Text(LETTERS[layer.name], style=STYLES[layer.name])
            pieces.append(piece.append(f" {layer.name} {layer.tokens:,}", style="default on default"))
    free = window - sum(layer.tokens for layer in layers)
    pieces.append(Text(FREE, style="dim").append(f" free {max(free, 0):,}", style="default on default"))
    return pieces


def _apportion(parts: Sequence[int], width: int) -> list[int]:
    """Whole columns for each part, adding up to ``width`` (largest remainder; on a tie the earlier part)."""
    total = sum(parts)
    shares = [part * width // total for part in parts]
    order = sorted(range(len(parts)), key=lambda index: (-(parts[index] * width % total), index))
    for index in order[: width - sum(shares)]:
        shares[index] += 1
    return shares


def _lift(columns: Sequence[int], free: int) -> list[int]:
    lifted = list(columns)
    for index, cells in enumerate(lifted):
        if cells:
            continue
        if free:
            free -= 1
        else:
            longest = max(range(len(lifted)), key=lambda other: lifted[other])
            if lifted[longest] < 2:
                break
            lifted[longest] -= 1
        lifted[index] = 1
    return lifted
