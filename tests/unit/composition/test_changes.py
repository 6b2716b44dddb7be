"""What the contexts of a turn changed, as lines in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from recipes import recipe

from eunoe.composition.changes import Changed, changes, named
from eunoe.schemas.context import Recipe, Rendering
from eunoe.schemas.events import ContextCondensed, ContextCut, ContextReferenced, ContextRefused, Event, MemoryUsed


def shown(**entries: str) -> tuple[Rendering, ...]:
    return tuple(Rendering(entry=int(name[1:]), how=how) for name, how in entries.items())  # type: ignore[arg-type]


def condensed(**rest: Any) -> ContextCondensed:
    given: dict[str, Any] = {
        "context": "c1", "turn": 3, "turns_before": 12, "turns_after": 5, "fill_before": 7012, "fill_after": 4880,
        "target": 0.6, "goal": 4915, "headroom": 300, "steps": ("left 7 turns",),
    }  # fmt: skip
    return ContextCondensed(**{**given, **rest})


def told(
    *contexts: tuple[Recipe, Iterable[Event]], before: Recipe | None = None, known: bool = True
) -> tuple[str, ...]:
    found = Changed(contexts[0][0], before, known)
    for made, events in contexts:
        found.add(made, events)
    return changes(found)


def test_every_kind_of_change_has_its_line_in_order() -> None:
    """Condensed, referenced, cut, shortened, arguments, pending, refused, floor."""
    made = recipe(
        refused="c0",
        pending=(4, 5, 6),
        floor=True,
        renderings=shown(e3="reference", e4="reference", e6="cut", e9="excerpt", e10="arguments", e12="arguments"),
    )
    events = (
        ContextRefused(context="c0", turn=3, tokens=9120),
        ContextCut(context="c1", turn=3, cuts=((6, 3, 400), (6, 4, 240))),
        ContextReferenced(context="c1", turn=3, entries=((3, 4),)),
        condensed(steps=("left 7 turns", "squeezed facts"), floor=True),
        MemoryUsed(context="c1", turn=3),
    )

    assert told((made, events)) == (
        "condensed from 12 turns to 5, from 7,012 to 4,880 tokens: left 7 turns, squeezed facts",
        "referenced entries 3-4",
        "cut entry 6: 640 bytes that copy outputs",
        "shortened entry 9",
        "held back arguments of entries 10, 12",
        "pending: the facts of turns 4-6",
        "refused: c0 was 9,120 tokens to its provider; composed again, by its count",
        "at its floor",
    )


def test_several_contexts_of_a_turn_are_told_together() -> None:
    """From what was before the first to what is after the last, each step once."""
    first = condensed(turns_before=2, turns_after=1, fill_before=900, fill_after=600, steps=("left 1 turn",))
    second = condensed(
        turns_before=1, turns_after=1, fill_before=800, fill_after=500, steps=("left 1 turn", "left 2 rounds")
    )
    third = ContextReferenced(context="c3", turn=3, entries=((8, 8),))

    assert told((recipe(), [first]), (recipe(), [second]), (recipe(), [third])) == (
        "condensed 2 times, from 2 turns to 1, from 900 to 500 tokens: left 1 turn, left 2 rounds",
        "referenced entry 8",
    )


def test_counts_before_and_after_a_refusal_are_told_apart() -> None:
    """What is condensed by the provider's count may count for more than what was there by the other one."""
    first = condensed(turns_before=2, turns_after=1, fill_before=1962, fill_after=1395, steps=("left 1 turn",))
    refusal = ContextRefused(context="c1", turn=3, tokens=2100)
    second = condensed(turns_before=1, turns_after=0, fill_before=2930, fill_after=2019, steps=("left 1 turn",))

    assert told((recipe(), [first]), (recipe(refused="c1"), [refusal, second])) == (
        "condensed 2 times, from 2 turns to 0, from 1,962 tokens to 2,019 by the provider's count: left 1 turn",
        "refused: c1 was 2,100 tokens to its provider; composed again, by its count",
    )
    assert told((recipe(), []), (recipe(refused="c1"), [refusal, second])) == (
        "condensed from 1 turn to 0, from 2,930 to 2,019 tokens: left 1 turn",
        "refused: c1 was 2,100 tokens to its provider; composed again, by its count",
    )


def test_what_was_shortened_without_a_turn_leaving_names_no_turns() -> None:
    """As many before as after."""
    assert told((recipe(), [condensed(turns_before=5, steps=("shortened to 512 bytes",))])) == (
        "condensed from 7,012 to 4,880 tokens: shortened to 512 bytes",
    )


def test_a_recipe_alone_is_compared_with_the_one_before() -> None:
    """What was rendered so before is no change, and a step is told as it was."""
    before = recipe(renderings=shown(e3="reference", e6="cut"))
    made = recipe(renderings=shown(e3="reference", e5="reference", e6="cut", e7="cut"), steps=("left 2 turns",))

    assert told((made, []), before=before) == ("condensed: left 2 turns", "referenced entry 5", "cut entry 7")
    assert told((made, [])) == ("condensed: left 2 turns", "referenced entries 3, 5", "cut entries 6-7")


def test_nothing_is_said_to_be_new_where_what_was_before_is_not_known() -> None:
    """Only what the context says of itself is left."""
    made = recipe(renderings=shown(e3="reference", e9="excerpt"), floor=True)

    assert told((made, []), known=False) == ("at its floor",)


def test_a_refusal_whose_count_is_lost_is_told_all_the_same() -> None:
    """The recipe names the context in whose place it stands."""
    assert told((recipe(refused="c0"), [])) == ("refused: c0 was too long for its provider; composed again",)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([3], "entry 3"),
        ([3, 4], "entries 3-4"),
        ([1, 3, 5, 7], "entries 1, 3, 5, 7"),
        ([1, 3, 5, 7, 9], "5 entries from 1 to 9"),
        ([1, 2, 3, 5, 7, 9], "entries 1-3, 5, 7, 9"),
    ],
)
def test_entries_are_named_by_spans(numbers: list[int], expected: str) -> None:
    """Of more than four spans, only how many entries and where."""
    assert named(numbers) == expected
