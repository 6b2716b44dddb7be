"""Facts that say from when and until when they hold: what holds at a moment, worked by hand."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.facts.document import BelowFloor, add, build, empty, encode, sufficient
from eunoe.facts.fold import View, fold
from eunoe.facts.runs import holds
from eunoe.schemas import limits
from eunoe.schemas.facts import Act, Assertion, Identity, Source, Stated

IDENTITY = Identity(scope="thread", owner="t1", subject="tests", name="pytest")
State = Callable[..., Stated]
Do = Callable[..., Act]


def at(valid: int | None, *events: Stated | Act) -> View:
    return fold(build(IDENTITY, events), valid=valid)


def value(view: View) -> str:
    return view.current.value if view.current else ""


def told(view: View) -> list[tuple[str, int, str, str, str]]:
    return [(v.value, v.number, v.state, v.rule, v.superseded_by) for v in view.versions]


def test_a_succession_in_time_is_history_and_no_conflict(state: State) -> None:
    """28k from 2020, 32k from 2023, told in either order by one person: each holds in its time (F53)."""
    old = state("28k", 1, kind="person", who="ada", valid=(2020, 2023))
    new = state("32k", 2, kind="person", who="ada", valid=(2023, None))
    now = at(2026, old, new)
    assert told(now) == [("28k", 1, "superseded", "past", new.id), ("32k", 2, "current", "", "")]
    assert not now.conflict
    assert [value(at(year, old, new)) for year in (2019, 2020, 2022, 2023)] == ["", "28k", "28k", "32k"]

    first = state("32k", 1, kind="person", who="ada", valid=(2023, None))
    backfilled = state("28k", 2, kind="person", who="ada", valid=(2020, 2023))
    assert told(at(2026, first, backfilled)) == [
        ("32k", 1, "current", "", ""),
        ("28k", 2, "superseded", "past", first.id),
    ]
    assert [value(at(year, first, backfilled)) for year in (2019, 2022, 2023)] == ["", "28k", "32k"]


def test_a_later_assertion_replaces_an_earlier_one_only_for_its_time(state: State) -> None:
    """Berlin always, Paris in the tenth to the twentieth: before and after it is Berlin again."""
    berlin, paris = state("Berlin", 1), state("Paris", 2, valid=(10, 20))
    assert [value(at(moment, berlin, paris)) for moment in (9, 10, 19, 20)] == ["Berlin", "Paris", "Paris", "Berlin"]
    assert told(at(5, berlin, paris)) == [("Berlin", 1, "current", "", ""), ("Paris", 2, "superseded", "future", "")]
    assert told(at(15, berlin, paris)) == [
        ("Berlin", 1, "superseded", "newer", paris.id),
        ("Paris", 2, "current", "", ""),
    ]
    assert told(at(25, berlin, paris)) == [
        ("Berlin", 1, "current", "", ""),
        ("Paris", 2, "superseded", "past", berlin.id),
    ]


def test_an_undated_assertion_replaces_all_before_it(state: State) -> None:
    """Paris for a while, then Rome without a time: Rome, in that while as well."""
    paris, rome = state("Paris", 1, valid=(10, 20)), state("Rome", 2)
    assert [value(at(moment, paris, rome)) for moment in (5, 15, 25)] == ["Rome", "Rome", "Rome"]


def test_sources_disagree_only_while_both_hold(state: State) -> None:
    """A person's value until the tenth, a tool's without an end: a conflict before, none after."""
    person = state("28k", 1, kind="person", who="ada", valid=(None, 10))
    tool = state("32k", 2)
    before, after = at(9, person, tool), at(10, person, tool)
    assert (value(before), before.conflict) == ("28k", True)
    assert (value(after), after.conflict) == ("32k", False)


def test_without_a_moment_the_last_word_counts(state: State) -> None:
    """Whenever it holds."""
    events = [state("Berlin", 1), state("Paris", 2, valid=(10, 20))]
    assert told(at(None, *events)) == [
        ("Berlin", 1, "superseded", "newer", events[1].id),
        ("Paris", 2, "current", "", ""),
    ]


def test_versions_keep_the_numbers_they_have_among_all(state: State) -> None:
    """The second of three does not hold now; the third is still the third."""
    events = [state("a", 1), state("b", 2, valid=(10, 20)), state("c", 3)]
    assert [(v.value, v.number) for v in at(50, *events).versions] == [("a", 1), ("b", 2), ("c", 3)]


def test_a_value_that_goes_on_around_another_is_one_version(state: State) -> None:
    """Up, down for a while, up: outside of that while it was said twice, and holds since the first time."""
    first, down, again = state("up", 1), state("down", 2, valid=(10, 20)), state("up", 3, valid=(20, None))
    now = at(30, first, down, again)
    assert now.current is not None
    assert (now.current.id, now.current.number, now.current.supports) == (first.id, 1, 2)


def test_a_delete_covers_every_time(state: State, do: Do) -> None:
    """What its lineage said until then holds at no moment, what is said after it does; the history says so."""
    old, new = state("28k", 1, valid=(10, 20)), state("32k", 2, valid=(20, None))
    delete = do("deleted", new, 3)
    for moment in (15, 25):
        view = at(moment, old, new, delete)
        assert view.current is None
        assert [v.state for v in view.versions] == ["deleted", "deleted"]
    assert value(at(15, old, new, delete, state("29k", 4, valid=(10, 20)))) == "29k"


def test_what_is_taken_back_holds_at_none_of_its_times_and_the_rest_stays(state: State, do: Do) -> None:
    """The later value is retired: in its own time nothing holds, before it the earlier one still does."""
    old, new = state("28k", 1, valid=(10, 20)), state("32k", 2, valid=(20, None))
    retire = do("retired", new, 3)
    assert [value(at(moment, old, new, retire)) for moment in (15, 25)] == ["28k", ""]
    assert told(at(15, old, new, retire)) == [
        ("28k", 1, "current", "", ""),
        ("32k", 2, "retired", "retired", retire.id),
    ]
    back = do("retired", old, 3)
    assert [value(at(moment, old, new, back)) for moment in (15, 25)] == ["", "32k"]
    assert told(at(25, old, new, back))[0] == ("28k", 1, "retired", "retired", back.id)


@pytest.mark.parametrize(
    ("span", "moment", "expected"),
    [
        ((None, None), 0, True),
        ((5, None), 4, False),
        ((5, None), 5, True),
        ((None, 5), 4, True),
        ((None, 5), 5, False),
        ((5, 6), 5, True),
    ],
)
def test_a_span_is_half_open(state: State, span: tuple[int | None, int | None], moment: int, expected: bool) -> None:
    """From its beginning to just before its end."""
    assert holds(state("x", 1, valid=span).fact, moment) == expected


def test_a_lineage_with_times_keeps_more(state: State) -> None:
    """With one dated assertion 256 stay instead of 16; the first that is dated asks for what has left."""
    undated = [state(f"v{number}", number) for number in range(1, 31)]
    document = build(IDENTITY, undated)
    assert len(document.assertions) == limits.INLINE_ASSERTIONS
    assert sufficient(document)
    assert not sufficient(document, recorded=5)
    dated = state("dated", 31, valid=(10, 20))
    with pytest.raises(BelowFloor):
        add(document, [dated])
    whole = build(IDENTITY, [*undated, dated])
    assert len(whole.assertions) == 31
    assert whole.floors == {}
    more = [state(f"w{number}", number) for number in range(32, 300)]
    bounded = add(whole, more)
    assert len(bounded.assertions) == limits.INLINE_DATED
    assert bounded.floors["tool"].dated
    assert not sufficient(bounded)
    assert encode(bounded) == encode(build(IDENTITY, [*undated, dated, *more]))
    assert encode(add(bounded, [state("x", 300, valid=(1, 2))])) == encode(
        build(IDENTITY, [*undated, dated, *more, state("x", 300, valid=(1, 2))])
    )


SPANS = st.sampled_from([(None, None), (None, 10), (5, None), (5, 15), (10, 20)])


@st.composite
def spoken(draw: st.DrawFn) -> list[Stated]:
    """Up to 12 assertions of one source in order, of three values with spans."""
    found: list[Stated] = []
    for number in range(1, draw(st.integers(1, 12)) + 1):
        start, end = draw(SPANS)
        fact = Assertion(
            identity=IDENTITY,
            value=draw(st.sampled_from(["x", "y", "z"])),
            source=Source(kind="tool", principal="bash"),
            at=number,
            valid_from=start,
            valid_to=end,
        )
        found.append(Stated(id=f"f{number}", position=number, index=0, fact=fact))
    return found


@settings(deadline=None)
@given(spoken(), st.integers(0, 25), st.randoms(use_true_random=False))
def test_what_holds_is_the_last_word_that_covers_the_moment(
    events: list[Stated], moment: int, shuffler: random.Random
) -> None:
    """And every assertion is in some version, none in two; order of arrival does not matter."""
    arrivals = list(events)
    shuffler.shuffle(arrivals)
    document = add(empty(IDENTITY), arrivals)
    assert encode(document) == encode(build(IDENTITY, events))
    view = fold(document, valid=moment)
    covering = [event for event in events if holds(event.fact, moment)]
    assert value(view) == (covering[-1].fact.value if covering else "")
    said = [stated.id for version in view.versions for stated in version.said]
    assert sorted(said) == sorted(set(said))
    assert {event.id for event in covering} <= set(said)
