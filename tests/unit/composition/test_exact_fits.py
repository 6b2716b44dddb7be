"""Contexts whose tokens a vocabulary counts: they fit by that count, warm or cold, and each layer has its part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recipes import recipe

from eunoe.composition.counter import ByteCounter, Counter
from eunoe.composition.counters import vocabularies
from eunoe.composition.formats import Piece
from eunoe.composition.measuring import layers, measure, shared
from eunoe.composition.render import Rendered
from eunoe.schemas.context import FORMATS, LayerName
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.events import Event, Prompt, Response

COUNTERS: list[Counter] = [ByteCounter(), *(vocabularies.load(name) for name in vocabularies.NAMES)]

said = st.builds(
    lambda text, times: (text or "x") * times,
    st.text(max_size=30)
    | st.sampled_from(['"},{"', "2026-11-30T04:01:02Z ", "日本語 ", " \n", "def f(x):\n    ", "<|x|>"]),
    st.sampled_from([1, 5, 60, 500]),
)
turn = st.tuples(said, st.none() | said, said)
threads = st.lists(turn, max_size=10)


def build(kit: Any, turns: list[tuple[str, str | None, str]]) -> Any:
    thread = kit.thread()
    for number, (prompt, output, reply) in enumerate(turns):
        used: tuple[Event, ...] = () if output is None else kit.reads(output, call=f"c{number}")
        thread.turn(Prompt(content=prompt), *used, Response(content=reply))
    if not thread.records:
        thread.turn()
    return thread


@pytest.mark.parametrize("form", FORMATS)
@given(turns=threads, counter=st.sampled_from(COUNTERS), window=st.sampled_from([1024, 2048, 8192]), asked=said)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_context_fits_by_the_count_of_its_own_bytes(
    kit: Any, form: str, turns: Any, counter: Counter, window: int, asked: str
) -> None:
    """The recipe says what the counter counts of the bytes that are sent, and that is within the window; composed of
    turns that were weighed before, and by another counter in between, it is the same."""
    thread = build(kit, turns)
    shape = kit.compose(window=window, format=form, counter=counter)
    fold = thread.fold()
    try:
        cold = shape(fold, request=asked)
    except DoesNotFit:
        return
    kit.compose(window=32_768, format=form, counter=COUNTERS[1])(fold, request="x")
    warm = shape(fold, request=asked)

    assert cold.recipe.tokens == counter.count(cold.rendered.data) <= window
    assert sum(cold.recipe.layers.values()) == cold.recipe.tokens
    assert (warm.recipe, warm.rendered.data) == (cold.recipe, cold.rendered.data)


class Counting:
    """Counts bytes, and what it was given to count."""

    name = "counting"

    def __init__(self) -> None:
        self.seen: list[int] = []

    def count(self, data: bytes) -> int:
        self.seen.append(len(data))
        return len(data)


def pieces(size: int) -> tuple[Piece, ...]:
    return (Piece("user", b"x" * size),)


def of_540(*parts: tuple[LayerName, Sequence[Piece]]) -> Rendered:
    return Rendered(b"x" * 540, "", parts)


def test_the_whole_is_counted_once_and_of_the_layers_all_but_the_largest() -> None:
    """Of layers of 10, 500 and 20 bytes in a whole of 540: 540, 10 and 20 are counted; 510 are left for the largest."""
    counter = Counting()
    rendered = of_540(("earlier", pieces(10)), ("literal", pieces(500)), ("now", ()), ("request", pieces(20)))

    tokens, found = measure(rendered, counter, 0)

    assert (tokens, found) == (540, {"earlier": 10, "literal": 510, "request": 20})
    assert counter.seen == [540, 10, 20]


def test_what_a_provider_counts_besides_is_shared_out_among_the_layers() -> None:
    """54 more for layers of 10, 510 and 20: one, 51 and two; and 540 less leaves nothing of any."""
    rendered = of_540(("earlier", pieces(10)), ("literal", pieces(500)), ("request", pieces(20)))

    assert measure(rendered, Counting(), 54) == (594, {"earlier": 11, "literal": 561, "request": 22})
    assert measure(rendered, Counting(), -540) == (0, {"earlier": 0, "literal": 0, "request": 0})


def test_remainders_go_to_the_largest_first() -> None:
    """Ten in parts of 1 : 1 : 1 are 4, 3 and 3."""
    assert shared(10, {"earlier": 1, "literal": 1, "now": 1}) == {"earlier": 4, "literal": 3, "now": 3}
    assert shared(0, {}) == {}


def test_a_recipe_that_does_not_say_how_large_its_layers_are_shares_its_tokens_by_bytes() -> None:
    """A hundred tokens for layers of 10 and 30 bytes: 25 and 75, and their texts for whoever looks."""
    made = recipe(turn=1, window=8192, counter="gone", turns=(), first_turn=1, tokens=100)
    rendered = Rendered(b"", "", (("literal", pieces(10)), ("now", ()), ("request", pieces(30))))

    found = layers(rendered, made, text=True)

    assert [(one.name, one.tokens, len(one.text)) for one in found] == [("literal", 25, 10), ("request", 75, 30)]
