"""A document is the set of its events: order of arrival, duplicates and bounds do not change its bytes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eunoe.facts.document import BelowFloor, add, build, decode, empty, encode, highest
from eunoe.facts.fold import fold
from eunoe.facts.lineage import author, lineage, order
from eunoe.schemas import ids, limits
from eunoe.schemas.facts import Act, ActKind, Assertion, Identity, Source, Stated

IDENTITY = Identity(scope="thread", owner="t1", subject="tests", name="pytest")
SOURCES = [
    Source(kind="tool", principal="bash"),
    Source(kind="model", principal="a"),
    Source(kind="person", principal="ada"),
]


ACTS: list[ActKind] = ["retired", "deleted", "approved"]


@st.composite
def histories(draw: st.DrawFn, most: int = 60) -> list[Stated | Act]:
    """Assertions of three lineages with few values, and acts on earlier ones; ``at`` may tie."""
    found: list[Stated | Act] = []
    stated: list[Stated] = []
    for position in range(1, draw(st.integers(1, most)) + 1):
        at = draw(st.integers(0, 30))
        where = ids.fact_id("thread.t1", str(position), 0)
        if stated and draw(st.integers(0, 4)) == 0:
            target = draw(st.sampled_from(stated))
            kind = draw(st.sampled_from(ACTS))
            found.append(
                Act(
                    id=where,
                    kind=kind,
                    target=target.id,
                    lineage=lineage(target.fact.source),
                    order=order(target),
                    author=author(target.fact.source),
                    by="person ada",
                    at=max(at, target.fact.at),
                    position=position,
                    index=0,
                )
            )
            continue
        source = draw(st.sampled_from(SOURCES))
        fact = Assertion(identity=IDENTITY, value=draw(st.sampled_from(["x", "X ", "y", "z"])), source=source, at=at)
        stated.append(Stated(id=where, position=position, index=0, fact=fact))
        found.append(stated[-1])
    return found


@settings(deadline=None)
@given(histories(most=15), st.randoms(use_true_random=False))
def test_any_arrival_order_with_duplicates_gives_the_same_bytes(
    events: list[Stated | Act], shuffler: random.Random
) -> None:
    """Events that fit a document make the same bytes in any order, each arriving once or twice."""
    arrivals = [*events, *events]
    shuffler.shuffle(arrivals)
    document = empty(IDENTITY)
    for event in arrivals:
        document = add(document, [event])
    assert encode(document) == encode(build(IDENTITY, events))
    assert decode(encode(document)) == document


@settings(deadline=None)
@given(histories(), st.randoms(use_true_random=False))
def test_a_bounded_document_depends_on_its_set_alone(events: list[Stated | Act], shuffler: random.Random) -> None:
    """Over the bounds too: what cannot be placed below a floor is made again from the set so far."""
    arrivals = [*events, *events]
    shuffler.shuffle(arrivals)
    document, seen = empty(IDENTITY), list[Stated | Act]()
    for event in arrivals:
        seen.append(event)
        try:
            document = add(document, [event])
        except BelowFloor:
            document = build(IDENTITY, seen)
        assert encode(document) == encode(build(IDENTITY, seen))


@settings(deadline=None)
@given(histories())
def test_the_bounds_hide_history_and_change_nothing_else(events: list[Stated | Act]) -> None:
    """Heads, their numbers, supports and states are those of the whole set."""
    bounded, whole = fold(build(IDENTITY, events)), fold(build(IDENTITY, events, bounded=False))
    assert bounded.heads == whole.heads
    assert bounded.current == whole.current
    assert set(bounded.versions) <= set(whole.versions)


@settings(deadline=None)
@given(histories())
def test_a_document_keeps_at_most_the_newest_of_each_lineage(events: list[Stated | Act]) -> None:
    """No lineage keeps more than 16 assertions, and counts with its floor make the whole."""
    document = build(IDENTITY, events)
    for source in SOURCES:
        kept = [s for s in document.assertions if lineage(s.fact.source) == lineage(source)]
        all_of_it = [e for e in events if isinstance(e, Stated) and lineage(e.fact.source) == lineage(source)]
        floor = document.floors.get(lineage(source))
        assert len(kept) <= limits.INLINE_ASSERTIONS
        assert len(kept) + (floor.count if floor else 0) == len(all_of_it)


def test_every_order_of_three_runs_ends_failed_with_three_versions(state: Callable[..., Stated]) -> None:
    """Failed at 1, passed at 2, failed at 3: three versions, the last in force, in all six orders of arrival."""
    runs = [state("failed", 1), state("passed", 2), state("failed", 3)]
    for arrival in itertools.permutations(runs):
        document = empty(IDENTITY)
        for event in arrival:
            document = add(document, [event])
        view = fold(document)
        assert [(v.value, v.number, v.state) for v in view.versions] == [
            ("failed", 1, "superseded"),
            ("passed", 2, "superseded"),
            ("failed", 3, "current"),
        ]


def test_an_event_below_the_floor_is_refused(state: Callable[..., Stated]) -> None:
    """Of 17 assertions the first is folded; at its order or before it nothing can be added."""
    document = build(IDENTITY, [state(f"v{at}", at) for at in range(2, 19)])
    assert document.floors["tool"].order == (2, 2, 0)
    with pytest.raises(BelowFloor):
        add(document, [state("v1", 1)])
    with pytest.raises(BelowFloor):
        add(document, [state("v2", 2)])
    assert len(add(document, [state("v19", 19)]).assertions) == 16


def test_what_was_logged_again_counts_once(state: Callable[..., Stated]) -> None:
    """The same statement under its id at two positions, as of a number that its chain forgot: the first one counts,
    whether the document grew or was made from the whole log; the value that came between stays in force."""
    one, between = state("x", 1), state("y", 3)
    again = msgspec.structs.replace(one, position=5, fact=msgspec.structs.replace(one.fact, at=5))
    grown = add(add(add(empty(IDENTITY), [one]), [between]), [again])
    assert grown == build(IDENTITY, [one, between, again])
    current = fold(grown).current
    assert current is not None
    assert current.value == "y"


def test_however_many_say_the_same_the_document_is_bounded(state: Callable[..., Stated]) -> None:
    """A thousand agents report one value: the first of them, by whom the version goes, and those that came last are
    told apart, and the newest of these still holds it when the others take it back."""
    said = [state("up", number, agent=f"agent-{number}") for number in range(1, 1_001)]
    document = build(IDENTITY, said)
    assert len(document.floors["tool/agents"].supporters) == limits.SUPPORTERS
    assert len(encode(document)) < 64 * limits.KIB
    current = fold(document).current
    assert current is not None
    assert (current.id, current.newest) == (said[0].id, (1_000, 1_000, 0))


@given(st.lists(st.booleans(), min_size=1, max_size=40))
@example([False, True, *[False] * 20])
def test_the_newest_body_is_known_where_its_assertion_left_the_document(bodies: list[bool]) -> None:
    """Of supports of one value, some with a body: the last one's, bounded or not."""
    source = Source(kind="tool", principal="bash")
    fact = Assertion(identity=IDENTITY, value="x", source=source, at=0)
    said = [
        Stated(id=ids.fact_id("thread.t1", str(number), 0), position=number, index=0, fact=fact, has_content=has)
        for number, has in enumerate(bodies, start=1)
    ]
    expected = ([""] + [one.id for one in said if one.has_content])[-1]
    for bounded in (True, False):
        current = fold(build(IDENTITY, said, bounded=bounded)).current
        assert current is not None
        assert current.body == expected


def test_the_highest_position_counts_what_left_the_document(state: Callable[..., Stated]) -> None:
    """A document of positions 1 to 20 names 20; an empty one names 0."""
    assert highest(build(IDENTITY, [state("v", at) for at in range(1, 21)])) == 20
    assert highest(empty(IDENTITY)) == 0
