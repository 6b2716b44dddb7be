"""Facts in order: whatever is put and taken away, a shelf is what ordering its facts all anew would be."""

from __future__ import annotations

from collections import Counter
from typing import Any

import known_facts
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from eunoe.composition import choosing
from eunoe.composition.known import Known
from eunoe.composition.shelf import COMMON, WORTH, Facts, Shelf
from eunoe.schemas import limits

WORDS = ("alpha", "beta", "gamma", "delta")


def fact(number: int, *, rank: int = 0, turn: int = 0, words: str = "", size: int = 30, said: bool = False) -> Known:
    """Fact ``number`` (which is also where it is in the log); ``said``: sources disagree on it."""
    order = (True, True, not said, True, True, -rank, -number, 0, f"f{number}")
    listed = words.split()
    return known_facts.fact(f"f{number}", order, turn=turn, position=number, conflict=said, size=size, words=listed)


facts = st.builds(
    lambda number, rank, turn, words, said: fact(number, rank=rank, turn=turn, words=" ".join(words), said=said),
    st.integers(0, 40),
    st.integers(0, 3),
    st.integers(0, 4),
    st.sets(st.sampled_from(WORDS)),
    st.booleans(),
)
changes = st.lists(st.tuples(st.sampled_from("abcdef"), st.lists(facts, max_size=3)), max_size=30)


def apply(steps: list[tuple[str, list[Known]]]) -> tuple[Shelf, dict[str, Known]]:
    """The shelf after some changes of documents, and the facts that it must hold by their ids.

    A fact is of one document: its id gets that document's name.
    """
    shelf, held = Shelf(), dict[str, dict[str, Known]]()
    for key, found in steps:
        own = {one.id: _named(one, key) for one in found}
        shelf.put(key, own.values())
        held[key] = own
    return shelf, {one.id: one for own in held.values() for one in own.values()}


def _named(one: Known, key: str) -> Known:
    """The same fact under another id; what it has for its line and words stays."""
    name = f"{one.id}{key}"
    found = replace(one, first=replace(one.first, id=name), rank=(*one.rank[:8], name))
    vars(found).update(vars(one))
    return found


@given(changes)
def test_any_changes_give_what_ordering_all_anew_gives(steps: list[tuple[str, list[Known]]]) -> None:
    """Order, number, the facts of each turn and of each word, and the size, as from a plain sort."""
    shelf, expected = apply(steps)

    assert list(shelf) == sorted(expected.values(), key=lambda one: one.rank)
    assert len(shelf) == len(expected)
    for turn in range(5):
        assert {one.id for one in shelf.of_turn(turn)} == {i for i, one in expected.items() if one.turn == turn}
    for word in WORDS:
        assert {one.id for one in shelf.sharing(word)} == {i for i, o in expected.items() if word in o.words}
    fresh = Shelf()
    fresh.put("all", expected.values())
    assert shelf.size == fresh.size


@given(changes, changes, st.sets(st.sampled_from(WORDS)), st.sets(st.integers(1, 4)))
def test_two_shelves_are_read_as_one(
    one: list[tuple[str, list[Known]]],
    other: list[tuple[str, list[Known]]],
    request: set[str],
    turns: set[int],
) -> None:
    """In one order; and of those not said by a turn in view, the ones that share words, those first that share most
    that few others have, and of those that share as much the first and the last in turns."""
    left, first = apply([("left " + key, found) for key, found in one])
    right, second = apply([("right " + key, found) for key, found in other])
    both = sorted((first | second).values(), key=lambda fact: fact.rank)
    view, words = frozenset(turns), frozenset(request)

    found = Facts(left, right)

    assert list(found) == both
    assert len(found) == len(both)
    wanted = [fact for fact in both if fact.words & words and (fact.conflict or fact.turn not in turns)]
    shared = Counter(word for fact in both for word in fact.words)
    worth = {fact.id: sum(WORTH // shared[word] for word in fact.words & words) for fact in wanted}
    groups = [
        [fact for fact in wanted if worth[fact.id] == value] for value in sorted(set(worth.values()), reverse=True)
    ]
    bearing = [group[-1 - at // 2] if at % 2 else group[at // 2] for group in groups for at in range(len(group))]
    assert list(found.bearing(words, frozenset(), view)) == bearing[: limits.RELEVANT_FACTS]


def test_of_facts_that_no_word_tells_apart_the_newest_and_the_oldest_bear_on_a_request() -> None:
    """Six files that were read: two from each end of their order; the one that is named too comes before them all."""
    read = [fact(number, words="read") for number in range(1, 7)]
    found, asked = Facts.of([*read, fact(0, words="read named")]), frozenset({"read", "named"})

    assert [one.id for one in Facts.of(read).bearing(asked, frozenset(), frozenset())] == ["f6", "f1", "f5", "f2"]
    assert [one.id for one in found.bearing(asked, frozenset(), frozenset())] == ["f0", "f6", "f1", "f5"]


def test_a_word_that_most_facts_share_tells_nothing_apart() -> None:
    """Of 65 facts about parts, the one that is named besides is found; the common word alone finds none."""
    found = Facts.of([fact(number, words="part") for number in range(COMMON)] + [fact(99, words="part seven")])

    assert [one.id for one in found.bearing(frozenset({"part", "seven"}), frozenset(), frozenset())] == ["f99"]
    assert found.bearing(frozenset({"part"}), frozenset(), frozenset()) == ()


def test_a_fact_that_is_too_long_for_the_room_left_is_passed_over() -> None:
    """75 bytes hold the first and the third; the order stays."""
    one, long, two = fact(3, rank=3, size=30), fact(2, rank=2, size=60), fact(1, rank=1, size=45)

    assert choosing.within([one, long, two], 75) == (one, two)


def test_what_is_looked_at_does_not_grow_with_what_is_held() -> None:
    """Of ten thousand facts, a block of ten looks at the ten and the 32 that are passed over then."""
    looked: list[Any] = []
    held = [fact(number) for number in range(10_000)]

    chosen = choosing.within((looked.append(one) or one for one in held), 300)  # type: ignore[func-returns-value]  # append returns None

    assert len(chosen) == 10
    assert len(looked) == 10 + choosing.PASSED_OVER
