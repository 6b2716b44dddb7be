"""Turns of which everything was erased, in contexts composed after that."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from eunoe.schemas.events import Entry, Event, Prompt, Response


def gone(thread: Any, *turns: int, entries: tuple[int, ...] = ()) -> None:
    """Erase those turns, or those entries, of a thread that was built."""

    def left(event: Event) -> Event:
        if isinstance(event, Entry) and (event.turn in turns or event.entry in entries):
            return msgspec.structs.replace(event, content="", erased=True)
        return event

    for index, record in enumerate(thread.records):
        thread.records[index] = msgspec.structs.replace(record, events=tuple(map(left, record.events)))


def contents(composed: Any) -> list[str]:
    return [message.get("content") or "" for message in composed.messages]


def test_turns_of_which_all_was_erased_are_left_out_and_counted_once(kit: Any) -> None:
    """Of four turns the second and third are gone: no line of theirs, and one in the earlier block."""
    thread = kit.thread()
    for number in range(1, 5):
        thread.turn(*kit.asks(f"q{number}", *kit.reads("one")))
    gone(thread, 2, 3)

    composed = kit.compose()(thread.fold(), request="next")

    block, *said = [text for text in contents(composed) if text]
    assert block.splitlines()[2] == "Everything said in 2 turns was erased."
    assert said == ["q1", "one", "done", "q4", "one", "done", "next"]
    assert (composed.recipe.turns, composed.recipe.erased, composed.recipe.left) == ((1, 4), 2, 0)
    assert composed.recipe.first_turn == 1
    kit.check_openai(composed.messages)


def test_a_turn_of_which_only_some_was_erased_keeps_its_places(kit: Any) -> None:
    """A call without its arguments still has its result."""
    thread = kit.thread()
    thread.turn(*kit.asks("look", *kit.reads("one")))
    gone(thread, entries=(1, 2, 4))

    composed = kit.compose()(thread.fold(), request="next")

    assert contents(composed)[0] == "[entry 1 was erased]"
    assert contents(composed)[2:] == ["one", "[entry 4 was erased]", "next"]
    assert composed.recipe.erased == 0
    kit.check_openai(composed.messages)


def test_a_thread_of_which_all_was_erased_says_only_that(kit: Any) -> None:
    """And the request; an Anthropic conversation begins with the user all the same."""
    thread = kit.thread()
    thread.turn(*kit.asks("one"))
    gone(thread, 1)

    composed = kit.compose(format="anthropic")(thread.fold(), request="next")

    assert "Everything said in 1 turn was erased." in composed.rendered.messages.decode()
    assert "[entry" not in composed.rendered.messages.decode()
    assert (composed.recipe.turns, composed.recipe.first_turn, composed.recipe.left) == ((), 1, 0)
    kit.check_anthropic(composed.messages)


def test_an_erased_turn_before_the_cut_mark_is_none_that_left(kit: Any) -> None:
    """Turns 1 to 6 with the mark at 4, where 2 and 5 are gone: two left, two are erased, and two are shown."""
    thread = kit.thread()
    for number in range(1, 7):
        thread.turn(*kit.asks(f"q{number}"))
    gone(thread, 2, 5)

    recipe = kit.compose()(thread.fold(), request="next", mark=4).recipe

    assert (recipe.turns, recipe.first_turn, recipe.left, recipe.erased) == ((4, 6), 4, 2, 2)


def test_turns_that_leave_take_the_erased_ones_before_them_along(kit: Any) -> None:
    """Ten turns of 250 tokens, as many as fit in their places, where turns 2 and 9 are gone.

    The goal of 1,228 tokens holds four turns beside the block of what left, so 6, 7, 8 and 10 stay.
    """
    thread = kit.thread()
    for _ in range(10):
        thread.turn(Prompt(content="q"), Response(content="x" * (1000 - 31 - 1 - 36 - 1)))
    gone(thread, 2, 9)

    recipe = kit.compose(window=2048, headroom=0)(thread.fold(), request="next").recipe

    assert (recipe.turns, recipe.first_turn, recipe.left, recipe.erased) == ((6, 7, 8, 10), 6, 4, 2)
    assert recipe.steps == ("left 4 turns",)


@pytest.mark.parametrize("kept", [0, 1])
def test_a_past_of_erased_turns_is_not_looked_at_without_end(kit: Any, kept: int) -> None:
    """Each counts for a token: of 1,100 the newest 1,025 are looked at in a window of 1,024, and 64 before those."""
    thread = kit.thread()
    for _ in range(1100):
        thread.turn(*kit.asks("q"))
    gone(thread, *range(1 + kept, 1101))

    recipe = kit.compose(window=1024)(thread.fold(), request="next").recipe

    assert (recipe.turns, recipe.erased, recipe.left, recipe.first_turn) == ((), 1089, 11, 76)


def test_a_context_with_erased_turns_is_composed_again_from_its_recipe(kit: Any) -> None:
    """The count stands in the recipe, so the same bytes come of it."""
    thread = kit.thread()
    for number in range(1, 4):
        thread.turn(*kit.asks(f"q{number}"))
    gone(thread, 2)
    fold = thread.fold()

    first, again = (kit.compose()(fold, request="next") for _ in range(2))

    assert first.recipe == again.recipe
    assert first.rendered.data == again.rendered.data
