"""How much of a context is as it was in the last one: measured on the bytes of both."""

from __future__ import annotations

from typing import Any

import pytest

from eunoe.composition import outline
from eunoe.schemas.context import FORMATS

FORMS = list(FORMATS)


@pytest.mark.parametrize("form", FORMS)
def test_an_ordinary_turn_leaves_everything_before_its_request_as_it_was(kit: Any, form: str) -> None:
    """Instructions, the earlier block and every literal turn are the same bytes; only what follows them is new."""
    thread = kit.thread()
    thread.instruct("Be brief. " * 40)
    for number in range(40):
        thread.turn(*kit.asks(f"q{number}", *kit.reads("x" * 700), answer="words " * 20))
    earlier = [kit.fact("value", name=f"{at}.py", turn=1) for at in range(9)]
    now = [kit.fact("value", name="now", turn=0)]
    compose = kit.compose(window=4096, format=form, memory_tool=True)
    fold = thread.fold()
    before = compose(fold, request="one more", earlier=earlier, now=now)
    thread.turn(*kit.asks("one more", answer="fine"))
    fold = thread.fold()
    named = {one.turn: said for one in before.recipe.outline if (said := outline.asked_in(fold.turns[one.turn]))}

    after = compose(fold, request="another", earlier=earlier, now=now, before=before.recipe, named=named)

    assert (after.recipe.steps, before.recipe.left > 0, len(before.recipe.outline) > 3) == ((), True, True)
    layers = dict(before.rendered.layers)
    last = layers["literal"][-1].data
    end = before.rendered.data.index(layers["now"][0].data)
    unchanged = before.rendered.data.rindex(last, 0, end) + len(last)
    assert after.recipe.stable >= unchanged
    assert after.rendered.data[: after.recipe.stable] == before.rendered.data[: after.recipe.stable]
    assert after.recipe.stable < before.recipe.bytes


@pytest.mark.parametrize("form", FORMS)
def test_the_same_request_is_the_same_to_its_last_byte(kit: Any, form: str) -> None:
    """Composed once more, with the recipe of the first time."""
    thread = kit.thread()
    thread.instruct("Be brief.")
    thread.turn(*kit.asks("one"))
    fold = thread.fold()
    compose = kit.compose(format=form)
    first = compose(fold, request="next")

    again = compose(fold, request="next", before=first.recipe)

    assert again.recipe.stable == again.recipe.bytes == len(first.rendered.data)


def test_other_instructions_leave_nothing_as_it_was(kit: Any) -> None:
    """They are the first bytes of an OpenAI request; a profile's first context has none before it either."""
    recipes: list[Any] = []
    for text in ("Be brief.", "Be kind."):
        thread = kit.thread()
        thread.instruct(text)
        thread.turn(*kit.asks("one"))
        last = recipes[-1] if recipes else None
        recipes.append(kit.compose()(thread.fold(), request="next", before=last).recipe)

    assert [recipe.stable for recipe in recipes] == [0, 0]
    assert [recipe.before for recipe in recipes] == ["", recipes[0].id]


def test_rounds_that_left_an_open_turn_stay_away_until_more_have_to(kit: Any) -> None:
    """Of 40 outputs of 100 bytes in 1,024 tokens some leave; with the next round the same bytes begin the request."""
    thread = kit.thread()
    rounds = [kit.reads(f"output {number:03}" * 10, call=f"c{number}") for number in range(41)]
    key = thread.open(*kit.asks("fix it")[:1], *(event for one in rounds[:40] for event in one))
    compose = kit.compose(window=1024)
    first = compose(thread.fold(), key=key).recipe
    thread.append(*rounds[40], key=key)

    second = compose(thread.fold(), key=key, before=first).recipe

    assert first.dropped_rounds > 0
    assert (second.dropped_rounds, second.steps) == (first.dropped_rounds, ())
    assert second.stable > 0.8 * first.bytes


def test_outputs_of_an_open_turn_that_became_references_stay_so_while_it_goes_on(kit: Any) -> None:
    """Of six outputs of 3 KiB in 4,096 tokens three become references; though the provider then reports 2,000 tokens
    fewer, so that all of them had room, the next request begins with the same bytes, and nothing is done anew."""
    thread = kit.thread()
    rounds = [kit.reads(f"output {number}\n" * 330, call=f"c{number}") for number in range(6)]
    key = thread.open(*kit.asks("fix it")[:1], *(event for one in rounds for event in one))
    compose = kit.compose(window=4096)
    first = compose(thread.fold(), key=key)

    second = compose(thread.fold(), key=key, before=first.recipe, anchor=-2_000)
    anew = compose(thread.fold(), key=key, anchor=-2_000).recipe

    assert first.recipe.steps == ("referenced 3 rounds",)
    assert (anew.steps, anew.renderings) == ((), ())
    assert (second.recipe.steps, second.rendered.data) == ((), first.rendered.data)


def test_a_squeezed_block_stays_squeezed_until_turns_are_due_again(kit: Any) -> None:
    """One large turn squeezes 4 KiB of facts to 1 KiB; with a small turn more the block is the same, and nothing is
    due."""
    thread = kit.thread()
    facts = [kit.fact("v" * 60, name=f"{at}.py", turn=0) for at in range(60)]
    thread.turn(*kit.asks("large", answer="x" * 17_600))
    compose = kit.compose(window=8192, headroom=0)
    first = compose(thread.fold(), request="y" * 8_000, earlier=facts).recipe
    thread.turn(*kit.asks("small"))

    second = compose(thread.fold(), request="y" * 8_000, earlier=facts, before=first).recipe

    assert first.steps == ("squeezed facts",)
    assert second.steps == ()
    assert second.earlier == first.earlier
