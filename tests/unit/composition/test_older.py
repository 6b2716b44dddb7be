"""Folding against the order of a thread: what is passed over of older records changes no fold."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from eunoe.composition import older
from eunoe.composition.fold import Fold
from eunoe.composition.older import Older
from eunoe.runtime.doors import Stored
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.context import Recipe
from eunoe.schemas.events import ContextComposed, Event, MemoryUsed, Prompt, TurnCommitted, TurnOpened
from eunoe.schemas.records import Header

CHAIN = subjects.thread_chain("t")


def recipe(turn: int, window: int) -> Recipe:
    return Recipe(
        v=limits.SCHEMA_VERSION,
        id=f"c{turn}-{window}",
        turn=turn,
        window=window,
        format="openai",
        counter="bytes/4",
        renderer=limits.RENDERER_VERSION,
        position=turn,
        turns=(),
        first_turn=turn,
        sha256="",
    )


def sealed(number: int, events: tuple[Event, ...]) -> bytes:
    header = Header(
        v=limits.SCHEMA_VERSION,
        space="test",
        chain=CHAIN,
        record=number,
        prev="",
        time=number,
        role="worker",
        principal="composition",
        producer="p",
        n=number,
        request="",
        digests=(),
        turns=number,
        back=tuple(range(number - 1, max(0, number - 1 - limits.BACK_RECORDS), -1)),
    )
    return records.seal(header, events)[0]


def folded(fold: Fold) -> dict[str, Any]:
    return {name: value for name, value in vars(fold).items() if name != "turns"} | {
        "turns": {number: turn.items for number, turn in fold.turns.items()},
        "recipes": {profile: (one.recipe, one.position) for profile, one in fold.recipes.items()},
    }


@given(windows=st.lists(st.integers(0, 6), min_size=1, max_size=20))
def test_a_fold_of_what_is_not_passed_over_is_the_fold_of_everything(windows: list[int]) -> None:
    """The newest recipe of each profile counts, however many older ones are not read."""
    data = []
    for number, window in enumerate(windows, start=1):
        said: tuple[Event, ...] = (TurnOpened(turn=number), Prompt(turn=number, entry=number, content="x"))
        told = ContextComposed(recipe=recipe(number, 1000 + window))
        of_memory: tuple[Event, ...] = (told, MemoryUsed(context=told.recipe.id, turn=number, facts=(), entries=()))
        data.append(sealed(number, of_memory if window else (*said, TurnCommitted(turn=number, ordinal=number))))
    whole, part = Fold(CHAIN), Fold(CHAIN)

    for number in range(len(data), 0, -1):
        whole.add(records.read(number, data[number - 1]))
    part.add(records.read(len(data), data[-1]))
    places = {number: Stored("", number, data[number - 1]) for number in range(len(data) - 1, 0, -1)}
    for record in older.read(places, part.recipes).values():
        part.add(record)

    assert folded(part) == folded(whole)


def test_only_the_newest_recipe_of_a_profile_is_read() -> None:
    """One of a profile that no newer recipe has is taken, the next of it is not, and what was said always is."""
    one = Older([(1000, "bytes/4", "openai")])
    encode = msgspec.json.Encoder().encode

    found = [
        one.passed_over(encode(event))
        for event in (
            ContextComposed(recipe=recipe(3, 1000)),
            ContextComposed(recipe=recipe(2, 2000)),
            ContextComposed(recipe=recipe(1, 2000)),
            Prompt(content='{"type":"memory.used"'),
        )
    ]

    assert found == [True, False, True, False]


def test_what_cannot_be_read_is_not_passed_over() -> None:
    """A damaged recipe is found to be damaged."""
    assert not Older([]).passed_over(b'{"type":"context.composed","recipe":7}')


def test_records_that_cannot_be_read_are_left_out() -> None:
    """Neither one whose events are damaged nor an oldest one that does not say what was before it; the rest stays, and
    the oldest of that says what was before."""
    good = [sealed(number, (TurnOpened(turn=number),)) for number in (1, 2, 3)]
    places = {
        4: Stored("", 4, good[2].replace(b"turn.opened", b"turn.unknown")),
        3: Stored("", 3, good[2]),
        2: Stored("", 2, good[1]),
        1: Stored("", 1, sealed(1, (TurnOpened(turn=1),)).replace(b'"turns":1', b'"turns":"')),
        0: None,
    }

    found = older.read(places, [])

    assert list(found) == [3, 2]
    assert found[2].header.back == (1,)
    assert found[3].header.time == 3
