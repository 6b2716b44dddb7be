"""Turns that a caller has kept, and what a caller switches on and off."""

from __future__ import annotations

from typing import Any

import pytest

from eunoe.composition.plan import check
from eunoe.schemas.errors import DoesNotFit, Invalid
from eunoe.schemas.events import Prompt, Response


def contents(composed: Any) -> list[str]:
    return [message.get("content") or "" for message in composed.messages]


@pytest.mark.parametrize("keep", [1, 3])
def test_the_newest_turns_are_there_word_for_word(kit: Any, keep: int) -> None:
    """Ten turns of 250 tokens in 1,024, of which hardly three fit: as many as are kept stay, and are whole."""
    thread = kit.thread()
    for number in range(1, 11):
        thread.turn(Prompt(content=f"q{number}"), Response(content=f"{number} " + "x" * 920))

    composed = kit.compose(window=1024, keep=keep)(thread.fold(), request="next")

    wanted = [text for number in range(11 - keep, 11) for text in (f"q{number}", f"{number} " + "x" * 920)]
    assert contents(composed)[-1 - len(wanted) : -1] == wanted
    assert composed.recipe.turns == tuple(range(11 - keep, 11))


def test_turns_that_left_come_back_where_they_are_kept(kit: Any) -> None:
    """The cut mark is at turn 10, and three turns are kept: 8 to 10 are literal."""
    thread = kit.thread()
    for number in range(1, 11):
        thread.turn(*kit.asks(f"q{number}"))

    recipe = kit.compose(keep=3)(thread.fold(), request="next", mark=10).recipe

    assert (recipe.turns, recipe.first_turn, recipe.left) == ((8, 9, 10), 8, 7)


def test_a_kept_reply_keeps_its_copies_and_its_outputs_are_references(kit: Any) -> None:
    """What was said is whole; what a tool gave is a reference, as in any turn that is over."""
    output = " ".join(f"word{number}" for number in range(400))
    thread = kit.thread()
    thread.turn(*kit.asks("show it", *kit.reads(output), answer=output))

    cut, kept = (kit.compose(keep=keep)(thread.fold(), request="next") for keep in (0, 1))

    assert {one.how for one in cut.recipe.renderings} == {"reference", "cut"}
    assert {one.how for one in kept.recipe.renderings} == {"reference"}
    assert output in contents(kept)


def refusal(kit: Any, fold: Any, **how: Any) -> DoesNotFit:
    with pytest.raises(DoesNotFit) as refused:
        kit.compose(**how)(fold, request="next")
    return refused.value


def test_all_turns_that_are_kept_count_in_what_is_needed(kit: Any) -> None:
    """Of six turns in 512 tokens each takes 157: the prompt 31 bytes with what frames it, which are 8, and the reply
    596, which are 149. The request takes 33 bytes, which are 9, and the list of messages one more."""
    thread = kit.thread()
    for _ in range(6):
        thread.turn(Prompt(content="q1"), Response(content="x" * 562))
    fold = thread.fold()

    refused = refusal(kit, fold, window=512, keep=6)

    assert str(refused) == (
        "the request and the instructions take 10 tokens of a window of 512, the last 6 turns, which are kept, 942, "
        "and the least that a context can be is 952; keep fewer turns or use a larger window"
    )
    assert refused.detail == {"alone": 10, "floor": 952, "least": True, "window": 512}
    assert len(kit.compose(window=952, keep=6)(fold, request="next").recipe.turns) == 6
    assert refusal(kit, fold, window=951, keep=6).detail["floor"] == 952


def test_what_the_earlier_block_takes_is_not_laid_on_an_open_turn_that_there_is_not(kit: Any) -> None:
    """Three of six turns are kept, of 157 tokens each. That the others left is said in lines of 51, 63, 55 and 15 bytes
    with 6 between them, in a message of 28 and a comma: 219 bytes, which are 55 tokens. With two tools the now block is
    there too: lines of 47, 69, 34 and 15, and with the 6 and the 29 these are 200."""
    thread = kit.thread()
    for _ in range(6):
        thread.turn(Prompt(content="q1"), Response(content="x" * 562))
    fold = thread.fold()

    refused = refusal(kit, fold, window=256, keep=3)

    assert str(refused) == (
        "the request and the instructions take 10 tokens of a window of 256, the last 3 turns, which are kept, 471, "
        "the earlier block at its least 55, and the least that a context can be is 536; keep fewer turns or use a "
        "larger window"
    )
    with pytest.raises(DoesNotFit, match=", the earlier block at its least 55, the now block at its least 51, and "):
        kit.compose(window=256, keep=3)(fold, request="next", tools=("bash", "edit"))


def test_of_a_request_that_is_too_long_it_is_said_to_shorten_it(kit: Any) -> None:
    """It takes 2,000 bytes and 29 that frame it, which are 508 tokens, and the list one more. Beside them stands what
    is said of six turns that left, which is as long as of three."""
    thread = kit.thread()
    for _ in range(6):
        thread.turn(Prompt(content="q1"), Response(content="x" * 562))

    with pytest.raises(DoesNotFit) as refused:
        kit.compose(window=256)(thread.fold(), request="y" * 2_000)

    assert str(refused.value) == (
        "the request and the instructions take 509 tokens of a window of 256, the earlier block at its least 55, and "
        "the least that a context can be is 564; shorten the request or the instructions, or use a larger window"
    )


def test_what_the_open_turn_needs_is_named_beside_the_one_turn_that_is_kept(kit: Any) -> None:
    """The kept turn takes 8 and 149 tokens, and of the open one the last round stays, as excerpts."""
    thread = kit.thread()
    thread.turn(Prompt(content="q1"), Response(content="x" * 562))
    key = thread.open(Prompt(content="q2"), *(event for n in range(3) for event in kit.reads("y" * 900, call=f"c{n}")))
    fold = thread.fold()

    with pytest.raises(DoesNotFit) as refused:
        kit.compose(window=256, keep=1)(fold, key=key)

    assert "the last turn, which is kept, 157, what the open turn cannot do without 1" in str(refused.value)
    assert str(refused.value).endswith("; keep fewer turns or use a larger window")
    least = refused.value.detail["floor"]
    assert kit.compose(window=least, keep=1)(fold, key=key).recipe.turns == (1,)


def test_a_floor_with_one_turn_kept_says_so(kit: Any) -> None:
    """The kept turn and the request take more than 85 % of 190 tokens."""
    thread = kit.thread()
    thread.turn(Prompt(content="q1"), Response(content="x" * 562))

    note = kit.compose(window=190, keep=1)(thread.fold(), request="next").recipe.note

    assert note.startswith("context at its floor with the last turn kept: ")


def test_more_turns_than_64_are_not_kept() -> None:
    """The setting has a bound, and a request the same one."""
    check(8192, 0.6, 8, 64)
    with pytest.raises(Invalid, match="at most 64 turns are kept whatever else leaves, not 65"):
        check(8192, 0.6, 8, 65)


def test_facts_beside_a_request_come_as_they_were_chosen_and_then_by_its_words(kit: Any) -> None:
    """Of 60 facts the block holds some twenty; four more stand beside the request, those that were chosen first."""
    facts = [kit.fact("value", name=f"module{at}.py", turn=90 - at) for at in range(60)]
    thread = kit.thread()
    thread.turn(*kit.asks("one"))
    request, chosen = "module50.py module51.py module52.py module53.py module54.py", ("fmodule58.py", "fmodule57.py")

    def beside(**more: Any) -> list[str]:
        compose = kit.compose(window=2048, relevant=more.pop("relevant", True))
        made = compose(thread.fold(), request=request, earlier=facts, **more)
        return [one.id for one in made.recipe.now]

    assert beside(bearing=chosen)[:2] == list(chosen)
    assert len(beside(bearing=chosen)) == len(beside()) == 4
    assert beside(relevant=False) == []
    assert beside(relevant=False, bearing=chosen) == list(chosen)


def test_a_fact_that_was_chosen_for_a_request_is_not_said_twice(kit: Any) -> None:
    """It stands in the earlier block already."""
    fact = kit.fact("value", name="a.py", turn=9)
    thread = kit.thread()
    thread.turn(*kit.asks("one"))
    others = [kit.fact("value " * 60, name=f"{at}.py", turn=8) for at in range(12)]

    recipe = kit.compose(window=2048)(thread.fold(), request="next", earlier=[fact, *others], bearing=(fact.id,)).recipe

    assert fact.id in [one.id for one in recipe.earlier]
    assert recipe.earlier_hidden > 0
    assert recipe.now == ()


def test_the_earlier_block_does_not_change_with_what_is_asked(kit: Any) -> None:
    """Facts that bear on a request stand beside it, and are counted in the block as before."""
    facts = [kit.fact("value", name=f"module{at}.py", turn=90 - at) for at in range(60)]
    thread = kit.thread()
    thread.turn(*kit.asks("one"))

    asked, other = (
        kit.compose(window=2048)(thread.fold(), request=text, earlier=facts) for text in ("module50.py", "nothing")
    )

    assert asked.recipe.now
    assert not other.recipe.now
    assert contents(asked)[0] == contents(other)[0]


def test_tools_for_a_request_end_the_now_block(kit: Any) -> None:
    """One line, in which no name can pose as two."""
    composed = kit.compose()(kit.thread().fold(), request="next", tools=("read_file", "a, b"))

    assert 'Tools for this request: read_file, "a, b"\n</eunoe-record>' in contents(composed)[0]
