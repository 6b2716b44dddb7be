"""What a refusal of a provider says, and which contexts can have been refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recipes import recipe as recipe_of

from eunoe.composition import anchoring, overflow
from eunoe.composition.fold import Fold
from eunoe.composition.profiles import profile
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe
from eunoe.schemas.errors import DoesNotFit, Invalid, NotFound
from eunoe.schemas.events import ContextComposed, ContextRefused, Prompt, Usage
from eunoe.schemas.requests import ComposeRequest, Refused

WINDOW = 8192


def test_a_reported_count_moves_the_estimate_within_bounds() -> None:
    """The difference is added; half the count below and half the window above are the most."""
    assert anchoring.reported(1000, 1400, 8192) == 400
    assert anchoring.reported(1000, 100, 8192) == -500
    assert anchoring.reported(1000, 9000, 8192) == 4096
    assert anchoring.reported(0, 500, 8192) == 0


def test_a_report_may_confirm_what_a_refusal_taught() -> None:
    """Where 6,000 tokens were added before, up to as many stay; another report cannot add more than that."""
    assert anchoring.reported(1000, 6500, 8192, before=6000) == 5500
    assert anchoring.reported(1000, 9000, 8192, before=6000) == 6000


def test_what_is_refused_counts_for_more_than_a_window() -> None:
    """As the provider counted it; where that is less than the window, for one token more than that."""
    assert anchoring.at_most(5000, 9000, 8192) == 4000
    assert anchoring.at_most(5000, 8192, 8192) == 3193
    assert anchoring.at_most(5000, 10, 8192) == 3193


@pytest.mark.parametrize(
    ("counted", "tokens", "left"),
    [
        (6000, 12_000, 2500),  # twice as many: half of 5,000; with all of the 6,000 more of it would fit
        (2000, 10_500, 952),  # 5.25 times
        (4000, 12_500, 1500),  # 3.1 times: 1,600, and with all of the 8,500 no more than 1,500 fit
        (4000, 13_000, 1000),  # with all of the 9,000 no more than 1,000
        (4000, 13_400, 1492),  # with all of the 9,400 only 600, less than half of 1,492
        (1000, 30_000, 166),  # with all of the 29,000 nothing fits: it cannot be what is always there
    ],
)
def test_a_refusal_leaves_what_fits_by_a_factor_and_by_a_difference(counted: int, tokens: int, left: int) -> None:
    """In a window of 10,000 whose goal is 5,000: what of it is left, by our own count, for the next context."""
    assert 5000 - anchoring.refused(counted, tokens, 10_000, 5000) == left


def recipe(id: str, *, tokens: int = 6000, refused: str = "", anchor: int = 0, turn: int = 1, **more: Any) -> Recipe:  # noqa: A002
    said = {"id": id, "turn": turn, "turns": (), "first_turn": 1, "window": WINDOW, "tokens": tokens, **more}
    return recipe_of(refused=refused, settings={"anchor": anchor}, **said)


def folded(kit: Any, *recipes: Recipe) -> Fold:
    """A thread whose first turn is open, with these recipes."""
    thread = kit.thread()
    key = thread.open(Prompt(content="q"))
    for one in recipes:
        thread.append(ContextComposed(recipe=one))
    assert key
    return thread.fold()  # type: ignore[no-any-return]


def told(fold: Fold, context: str, tokens: int = 9000, turn: int = 1) -> overflow.Overflow:
    return overflow.overflow(fold, turn, profile(recipe("c")), Refused(context=context, tokens=tokens), 4915)


def test_a_first_refusal_says_what_counts_lack(kit: Any) -> None:
    """Of 6,100 tokens 100 were added already: 6,000 here were 9,000 there. The log is to be told."""
    found = told(folded(kit, recipe("c1", tokens=6100, anchor=100)), "c1")

    assert (found.counted, found.anchor, found.at_most, found.known) == (6000, 4915 - 3276, 3000, False)
    assert found.events == (ContextRefused(context="c1", turn=1, tokens=9000),)


def test_a_refusal_that_is_in_the_log_is_no_second_one(kit: Any) -> None:
    """What was composed in its place is the turn's last: the answer was lost, and what it taught is kept."""
    found = told(folded(kit, recipe("c1"), recipe("c2", tokens=7000, refused="c1", anchor=3000)), "c1")

    assert (found.anchor, found.known, found.events) == (3000, True, ())


def test_what_stands_in_the_place_of_a_refused_context_is_not_refused_too(kit: Any) -> None:
    """Then nothing helps but a larger window, and the error has the provider's figure and the own one."""
    fold = folded(kit, recipe("c1"), recipe("c2", tokens=4800, refused="c1"))

    with pytest.raises(DoesNotFit) as error:
        told(fold, "c2", 8_300)

    assert str(error.value) == (
        "the provider refused context c2 too, which was composed in the place of c1: it counted 8,300 tokens, where "
        "4,800 were counted here, of a window of 8,192; use a larger window, or shorten the request, the instructions "
        "or the tools"
    )
    assert error.value.detail == {"tokens": 8300, "counted": 4800, "window": 8192}


def test_a_later_context_of_the_turn_may_be_refused_again(kit: Any) -> None:
    """The one that stood in for a refused one was answered, and the turn went on."""
    fold = folded(kit, recipe("c1"), recipe("c2", refused="c1", anchor=3000), recipe("c3", tokens=9000, anchor=3000))

    assert told(fold, "c3", 9500).at_most == 3500


def test_only_the_last_context_of_a_turn_can_have_been_refused(kit: Any) -> None:
    """Of another turn, before the last, or of no turn at all: each is said."""
    fold = folded(kit, recipe("c1"), recipe("c2"))

    with pytest.raises(NotFound, match="no context of turn 2 was composed"):
        told(fold, "c2", turn=2)
    with pytest.raises(Invalid, match="context 'c1' is not the last of turn 1, which is c2"):
        told(fold, "c1")
    with pytest.raises(Invalid, match="context 'else' is not the last of turn 1"):
        told(fold, "else")
    with pytest.raises(NotFound):
        told(folded(kit), "c1")


def test_a_context_is_refused_in_the_shape_that_it_had(kit: Any) -> None:
    """Composing for another window or format does not tell whether it is smaller."""
    fold = folded(kit, recipe("c1", window=4096), recipe("c2", format="anthropic"))

    with pytest.raises(Invalid, match=r"c1 was composed for 4,096 tokens \(bytes/4, openai\); compose it again for"):
        told(fold, "c1")


def test_each_shape_of_a_turn_has_a_last_context_of_its_own(kit: Any) -> None:
    """A refusal of the one is answered, though another was composed since."""
    fold = folded(kit, recipe("c1"), recipe("c2", window=4096))

    assert told(fold, "c1").at_most == 3000


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (ComposeRequest(key="k"), "give its key, and store it"),
        (ComposeRequest(store=True), "give its key, and store it"),
        (ComposeRequest(key="k", store=True, turn=3), "give its key, and store it"),
    ],
)
def test_a_refusal_is_of_the_open_turn_and_stored(request_: ComposeRequest, said: str) -> None:
    """A look changes nothing, and nothing is refused in the past."""
    with pytest.raises(Invalid, match=said):
        overflow.check(request_, Refused(context="c1", tokens=9000))


@pytest.mark.parametrize("tokens", [0, -1, limits.LAST_NUMBER + 1])
def test_a_provider_counts_tokens(tokens: int) -> None:
    """No fewer than one, and no more than can be said."""
    with pytest.raises(Invalid, match=f"counts from 1 to 9,007,199,254,740,991 tokens of a context, not {tokens:,}"):
        overflow.check(ComposeRequest(key="k", store=True), Refused(context="c1", tokens=tokens))
    with pytest.raises(Invalid, match="name it by its id"):
        overflow.check(ComposeRequest(key="k", store=True), Refused(context="", tokens=1))


@given(tokens=st.one_of(st.integers(1, 20_000), st.integers(1, limits.LAST_NUMBER)), turns=st.integers(0, 40))
def test_whatever_a_provider_says_a_smaller_context_comes_or_none(kit: Any, tokens: int, turns: int) -> None:
    """By our own count smaller than the refused one, by the new one within the window; else `DoesNotFit`."""
    thread = kit.thread()
    for _ in range(turns):
        thread.turn(*kit.asks("q", answer="word " * 120))
    key = thread.open(Prompt(content="word " * 200))
    compose = kit.compose(window=4096)
    first = compose(thread.fold(), key=key)
    given = (first.recipe.tokens, tokens, 4096)
    second, floor = None, 0
    for anchor in (anchoring.refused(*given, 2457), anchoring.at_most(*given)):
        try:
            second = compose(thread.fold(), key=key, before=first.recipe, anchor=anchor, refused=first.recipe.id)
        except DoesNotFit as error:
            second, floor = None, error.detail["floor"]
        if second is None or second.recipe.tokens - anchor < first.recipe.tokens:
            break

    if second is None:
        assert floor > 4096
        return
    assert len(second.rendered.messages) < len(first.rendered.messages)
    assert second.recipe.tokens - anchor < first.recipe.tokens
    assert second.recipe.tokens <= 4096
    goal = second.recipe.settings["goal"]
    assert second.recipe.floor or second.recipe.settings["fill_after"] <= goal


def test_in_the_place_of_a_refused_context_turns_leave_down_to_the_goal_though_none_is_due(kit: Any) -> None:
    """Ten turns of 160 tokens and 1,200 that are added are some 2,800 of 4,096: below 3,481, where turns are due, and
    above the goal of 2,457."""
    thread = kit.thread()
    for _ in range(10):
        thread.turn(*kit.asks("q", answer="x" * 572))
    compose, fold = kit.compose(window=4096, headroom=0), thread.fold()

    plain = compose(fold, request="next", anchor=1_200).recipe
    instead = compose(fold, request="next", anchor=1_200, refused="c1").recipe

    assert (plain.steps, plain.left) == ((), 0)
    assert 2_457 < plain.tokens < 3_481
    assert instead.left > 0
    assert instead.settings["fill_after"] <= instead.settings["goal"] == 2_457


def test_usage_after_a_refusal_moves_what_it_taught(kit: Any) -> None:
    """The provider took what stood in for the refused context, and said what it counted: 500 more, no longer 3,000."""
    thread = kit.thread()
    key = thread.open(Prompt(content="q"))
    thread.append(ContextComposed(recipe=recipe("c2", tokens=4000, refused="c1", anchor=3000)))
    before = thread.fold().anchor(profile(recipe("c")))
    thread.append(Usage(input_tokens=1500), key=key)

    assert before == 3000
    assert thread.fold().anchor(profile(recipe("c"))) == 500


def test_usage_that_says_nothing_of_what_went_in_teaches_nothing(kit: Any) -> None:
    """Of a reply only the tokens that came out were reported; the report that follows has what went in."""
    thread = kit.thread()
    key = thread.open(Prompt(content="q"))
    thread.append(ContextComposed(recipe=recipe("c1", tokens=1000)))
    thread.append(Usage(output_tokens=20), key=key)
    thread.append(Usage(input_tokens=1500), key=key)

    assert thread.fold().anchor(profile(recipe("c"))) == 500
