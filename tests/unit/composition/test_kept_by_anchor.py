"""Turns that are kept are there, or it is `DoesNotFit`, also for a model of which a provider counts fewer tokens."""

from __future__ import annotations

from typing import Any

import pytest

from eunoe.schemas.errors import DoesNotFit


def thread_of(kit: Any, turns: int, tokens: int) -> Any:
    """Turns of so many tokens: 68 bytes frame a turn's two messages."""
    thread = kit.thread()
    for _ in range(turns):
        thread.turn(*kit.asks("q", answer="x" * (4 * tokens - 68)))
    return thread


def test_kept_turns_stay_where_a_provider_counts_less(kit: Any) -> None:
    """Three turns of 520 tokens are 1,560, and with the 600 less that the provider counts 960 of 1,024: they fit."""
    composed = kit.compose(window=1024, headroom=0, keep=3)(thread_of(kit, 3, 520).fold(), request="n", anchor=-600)

    assert composed.recipe.turns == (1, 2, 3)


def test_kept_turns_that_do_not_fit_are_refused_where_a_provider_counts_less(kit: Any) -> None:
    """With 300 less they are 1,260: nothing of them is left out in silence."""
    with pytest.raises(DoesNotFit):
        kit.compose(window=1024, headroom=0, keep=3)(thread_of(kit, 3, 520).fold(), request="n", anchor=-300)


def test_no_turn_leaves_before_any_is_due_where_a_provider_counts_less(kit: Any) -> None:
    """Four turns of 400 tokens are 1,600, and half of that for the provider: 800, where they are due at 870."""
    recipe = kit.compose(window=1024, headroom=0)(thread_of(kit, 4, 400).fold(), request="n", anchor=-800).recipe

    assert (recipe.turns, recipe.left) == ((1, 2, 3, 4), 0)
