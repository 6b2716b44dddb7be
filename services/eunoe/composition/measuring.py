"""What a context measures, whole and layer by layer. Pure.

The whole is counted once, and nothing that is long again: of the layers all but the largest are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eunoe.composition.counter import Counter
from eunoe.composition.formats import Piece
from eunoe.composition.render import Rendered
from eunoe.schemas.context import Layer, LayerName, Recipe


def measure(rendered: Rendered, counter: Counter, anchor: int) -> tuple[int, dict[LayerName, int]]:
    """The tokens of a context with what the anchor adds, and those of each layer that says anything.

    The layers add up to the whole: what frames the pieces, and the anchor, is shared out among them.
    """
    counted = counter.count(rendered.data)
    sizes = _sizes(rendered)
    if not sizes:
        return counted + anchor, {}
    largest = max(sizes, key=lambda name: sizes[name])
    counts: dict[LayerName, int] = dict.fromkeys(sizes, 0)
    for name, pieces in rendered.layers:
        if name in sizes and name != largest:
            counts[name] = counter.count(_joined(pieces))
    counts[largest] = max(counted - sum(counts.values()), 1)
    return counted + anchor, shared(counted + anchor, counts)


def layers(rendered: Rendered, recipe: Recipe, *, text: bool) -> tuple[Layer, ...]:
    """The layers that say anything, as large as their recipe says, and with their text when somebody looks.

    Where the recipe does not say how large each is, its tokens are shared out by their bytes.
    """
    sizes = _sizes(rendered)
    tokens = recipe.layers or shared(recipe.tokens, sizes)
    return tuple(
        Layer(name=name, tokens=tokens.get(name, 0), text=_joined(pieces).decode() if text else "")
        for name, pieces in rendered.layers
        if name in sizes
    )


def shared(total: int, counts: Mapping[LayerName, int]) -> dict[LayerName, int]:
    """``total`` in whole parts as large, in proportion, as the counts; what is left goes to the largest remainders."""
    whole = max(sum(counts.values()), 1)
    shares: dict[LayerName, int] = {name: total * count // whole for name, count in counts.items()}
    order = sorted(counts, key=lambda name: -(total * counts[name] % whole))
    for name in order[: total - sum(shares.values())]:
        shares[name] += 1
    return shares


def _sizes(rendered: Rendered) -> dict[LayerName, int]:
    """The bytes of each layer that says anything, in order."""
    sizes: dict[LayerName, int] = {}
    for name, pieces in rendered.layers:
        if size := sum(len(piece.data) for piece in pieces):
            sizes[name] = size
    return sizes


def _joined(pieces: Sequence[Piece]) -> bytes:
    return b"\n".join(piece.data for piece in pieces)
