"""What the log is told of a context, beside its recipe."""

from __future__ import annotations

from typing import Any

from eunoe.composition import telling
from eunoe.schemas.events import ContextComposed, ContextCondensed, ContextCut, ContextReferenced, MemoryUsed, Response

OUTPUT = " ".join(f"word{number}" for number in range(400))


def told(kit: Any, thread: Any, composed: Any, before: Any = None) -> dict[type, Any]:
    fold = thread.fold()
    stored = kit.stored_of(composed.recipe, fold, (), [])
    return {type(event): event for event in telling.events(composed.recipe, stored, before)}


def test_what_is_referenced_and_cut_is_told_once(kit: Any) -> None:
    """Turn 1 is entries 1 to 4; its reply copies the output (3,289 bytes). The next context shows the same again."""
    thread = kit.thread()
    thread.turn(*kit.asks("show it", *kit.reads(OUTPUT), answer=f"Here:\n\n{OUTPUT}\n\nDone."))
    first = kit.compose()(thread.fold(), request="next")
    thread.turn(*kit.asks("more"))

    one = told(kit, thread, first)
    two = told(kit, thread, kit.compose()(thread.fold(), request="next", before=first.recipe), first.recipe)

    assert one[ContextReferenced].entries == ((3, 3),)
    assert one[ContextCut].cuts == ((4, 3, len(OUTPUT)),)
    assert set(two) == {ContextComposed, MemoryUsed}


def test_what_left_is_told_with_its_figures(kit: Any) -> None:
    """Ten turns of 250 tokens in 2,048: some leave, down to 1,228."""
    thread = kit.thread()
    for number in range(10):
        thread.turn(*kit.asks(f"q{number}", answer="x" * 920))
    composed = kit.compose(window=2048, headroom=0)(thread.fold(), request="next")

    condensed: ContextCondensed = told(kit, thread, composed)[ContextCondensed]

    left = composed.recipe.left
    assert (condensed.turns_before, condensed.turns_after, condensed.steps) == (10, 10 - left, (f"left {left} turns",))
    assert (condensed.target, condensed.goal, condensed.headroom, condensed.floor) == (0.6, 1228, 0, False)
    assert condensed.fill_before > 0.85 * 2048 > 1228 >= condensed.fill_after
    assert condensed.context == composed.recipe.id


def test_the_prompts_of_named_turns_reached_the_model_and_rounds_that_left_did_not(kit: Any) -> None:
    """Of a turn that is named only its prompt did; of an open turn only what is still shown."""
    thread = kit.thread()
    for number in range(10):
        thread.turn(*kit.asks(f"q{number}", answer="x" * 920))
    over = kit.compose(window=2048, headroom=0)(thread.fold(), request="next")
    used = told(kit, thread, over)[MemoryUsed].entries
    left = over.recipe.left

    assert used == (*((2 * turn - 1, 2 * turn - 1) for turn in range(1, left + 1)), (2 * left + 1, 20))

    thread = kit.thread()
    rounds = [event for n in range(16) for event in kit.reads(f"{n} " * 175, call=f"c{n}")]
    key = thread.open(*kit.asks("fix it")[:1], *rounds)
    made = kit.compose(window=1024)(thread.fold(), key=key)
    gone = made.recipe.dropped_rounds

    assert gone > 0
    assert told(kit, thread, made)[MemoryUsed].entries == ((1, 1), (2 + 2 * gone, 33))


def test_instructions_reached_the_model_too(kit: Any) -> None:
    """They are entry 1, and the turn after them 2 and 3."""
    thread = kit.thread()
    thread.instruct("Be brief.")
    thread.turn(*kit.asks("one"))

    assert told(kit, thread, kit.compose()(thread.fold(), request="next"))[MemoryUsed].entries == ((1, 3),)


def test_an_open_turn_that_goes_on_is_told_again_only_where_more_was_done(kit: Any) -> None:
    """A reply more changes no step; nothing is told twice."""
    thread = kit.thread()
    rounds = [event for n in range(16) for event in kit.reads(f"{n} " * 175, call=f"c{n}")]
    key = thread.open(*kit.asks("fix it")[:1], *rounds)
    first = kit.compose(window=1024)(thread.fold(), key=key)
    thread.append(Response(content="Hm."), key=key)

    second = kit.compose(window=1024)(thread.fold(), key=key, before=first.recipe)

    assert ContextCondensed in told(kit, thread, first)
    assert ContextCondensed not in told(kit, thread, second, first.recipe)
