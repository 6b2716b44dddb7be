"""The bar of a window."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eunoe.cli import bars
from eunoe.schemas.context import Layer, LayerName

NAMES: tuple[LayerName, ...] = ("instructions", "earlier", "literal", "now", "request")


def layers(*tokens: int) -> tuple[Layer, ...]:
    return tuple(Layer(name=name, tokens=count) for name, count in zip(NAMES, tokens, strict=False))


def test_a_bar_shows_each_layer_by_its_letter_and_share() -> None:
    """Of 100 tokens in 20 columns, five are one column; what is free are dots."""
    drawn = bars.bar(layers(10, 20, 30, 5, 5), 100, 20)

    assert drawn.plain == "IIEEEELLLLLLNR······"


def test_a_layer_that_holds_anything_has_a_column() -> None:
    """One token of a thousand is lifted to one column, which the free part gives."""
    drawn = bars.bar(layers(0, 1, 500, 0, 1), 1000, 10)

    assert drawn.plain == "ELLLLLR···"


def test_a_full_bar_lifts_at_the_cost_of_its_longest_layer() -> None:
    """With nothing free, the longest layer gives its column."""
    drawn = bars.bar(layers(1, 0, 999), 1000, 10)

    assert drawn.plain == "ILLLLLLLLL"


def test_remainders_go_to_the_largest() -> None:
    """A third each of ten columns: 3.33 each, and the first of equal remainders gets the tenth."""
    drawn = bars.bar(layers(1, 1), 3, 10)

    assert drawn.plain == "IIIIEEE···"


def test_a_legend_names_what_is_there_and_what_is_free() -> None:
    """Empty layers are left out; numbers are grouped."""
    pieces = bars.legend(layers(0, 1200, 300), 8192)

    assert [piece.plain for piece in pieces] == ["E earlier 1,200", "L literal 300", "· free 6,692"]


def test_a_legend_of_an_overfull_window_has_nothing_free() -> None:
    """More tokens than the window never show as a negative number."""
    assert bars.legend(layers(300), 256)[-1].plain == "· free 0"


@given(
    st.lists(st.integers(min_value=0, max_value=100_000), min_size=1, max_size=5),
    st.integers(min_value=256, max_value=200_000),
    st.integers(min_value=10, max_value=200),
)
def test_the_columns_always_add_up(tokens: list[int], window: int, width: int) -> None:
    """The bar has exactly its width, every held layer at least one column, in the order of the layers."""
    drawn = bars.bar(layers(*tokens), window, width)
    found = bars.segments(layers(*tokens), window, width)

    assert drawn.cell_len == width
    assert [segment.name for segment in found] == [name for name, count in zip(NAMES, tokens, strict=False) if count]
    assert all(segment.columns >= 1 for segment in found)
    assert drawn.plain.replace("·", "") == "".join(bars.LETTERS[one.name] * one.columns for one in found)
