"""Which turns leave next, and how far what is drawn from turns is to come."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from eunoe.composition import ahead
from eunoe.composition.inputs import Inputs
from eunoe.composition.plan import plan
from eunoe.schemas.context import Recipe

WINDOW = 4096  # due at 3,481 tokens (0.85), down to 2,457 (0.6); ahead from 2,436 on (0.7 of what is due)
ANSWER = "x" * 752  # in a turn of 205 tokens, with its request and what frames the two


def thread_of(kit: Any, turns: int) -> Any:
    """Each turn takes the same room."""
    thread = kit.thread()
    for _ in range(turns):
        thread.turn(*kit.asks("q", answer=ANSWER))
    return thread


def composed(kit: Any, turns: int, **more: Any) -> Recipe:
    return kit.compose(window=WINDOW, headroom=0)(thread_of(kit, turns).fold(), **more).recipe  # type: ignore[no-any-return]


def test_nothing_is_asked_for_while_there_is_room(kit: Any) -> None:
    """Below 0.7 of what a context may fill, no turn is near leaving."""
    recipe = composed(kit, 11)

    assert recipe.tokens < 2_436
    assert recipe.ahead == ()


def test_the_turns_that_leave_once_the_context_is_due_are_named_before(kit: Any) -> None:
    """Whatever the fill is meanwhile: a turn of 205 tokens may go beyond 3,481, and down to 2,457 that is 1,229 tokens,
    just six turns; what is said of those, which is less than a turn, has a seventh leave."""
    recipes = [composed(kit, turns) for turns in range(13, 17)]

    assert all(2_436 <= recipe.tokens < 3_481 and not recipe.left for recipe in recipes)
    assert {recipe.ahead for recipe in recipes} == {((1, 7),)}


def test_the_turns_that_were_named_are_those_that_leave(kit: Any) -> None:
    """One turn more, and the context is due: what leaves was asked for before."""
    before = composed(kit, 16)
    more = next(count for count in range(17, 30) if composed(kit, count).left)

    after = composed(kit, more)

    assert 0 < after.left <= before.ahead[-1][1]


def test_aborted_turns_are_no_turns_that_leave(kit: Any) -> None:
    """They are between the spans."""
    thread = kit.thread()
    for number in range(1, 16):
        thread.turn(*kit.asks("q", answer=ANSWER), aborted=number == 3)

    recipe = kit.compose(window=WINDOW, headroom=0)(thread.fold()).recipe

    assert recipe.ahead[0] == (1, 2)
    assert recipe.ahead[1][0] == 4


@pytest.mark.parametrize(("keep", "expected"), [(0, ((1, 7),)), (14, ((1, 1),)), (15, ())])
def test_turns_that_are_kept_are_never_named(kit: Any, keep: int, expected: tuple[tuple[int, int], ...]) -> None:
    """Whatever the fill; where all are kept, none."""
    fold = thread_of(kit, 15).fold()
    settings = replace(kit.compose(window=WINDOW, headroom=0).settings, keep=keep)

    assert plan(Inputs(thread="t", fold=fold, turn=16), settings).recipe.ahead == expected


def test_work_goes_up_to_what_any_context_needs(kit: Any) -> None:
    """To the last turn that left one or leaves it next; 0 where nothing does."""
    plain = composed(kit, 1)
    left = msgspec.structs.replace(plain, left=4, first_turn=6)
    near = msgspec.structs.replace(left, ahead=((6, 7), (9, 12)))

    assert ahead.up_to([]) == ahead.up_to([plain]) == 0
    assert ahead.up_to([left]) == 5
    assert ahead.up_to([plain, near, left]) == 12
