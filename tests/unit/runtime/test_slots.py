"""Which set of buckets is in use, whatever a kill or a loss left of the two; and revisions over generations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.runtime import revisions, slots
from eunoe.runtime.bucket_doors import InUse
from eunoe.runtime.slots import Slot, in_use
from eunoe.schemas.facts import Origin

NOTHING = (None, None, None)


def origins(generation: int, count: int = 3, name: str = "x") -> tuple[Origin | None, ...]:
    """The origins of a set of which ``count`` buckets say that they are of that generation."""
    found = [Origin(v=1, id=name, generation=generation)] * count
    return (*found, *[None] * (3 - count))


@pytest.mark.parametrize(
    ("first", "second", "sealed", "expected"),
    [
        (NOTHING, NOTHING, (), InUse(1, 1, whole=False, new=True)),
        (origins(1), NOTHING, (), InUse(1, 1, whole=True)),
        (origins(1), origins(2, 2), (1,), InUse(1, 1, whole=True, sealed=True)),
        (origins(1), origins(2), (1,), InUse(2, 2, whole=True, left=True)),
        (NOTHING, origins(2), (), InUse(2, 2, whole=True)),
        (origins(3), origins(2), (2,), InUse(1, 3, whole=True, left=True)),
        (origins(1, 2), NOTHING, (), InUse(1, 1, whole=False)),
        (NOTHING, origins(4, 1), (), InUse(2, 4, whole=False)),
        (origins(5, 2), origins(4, 3), (), InUse(2, 4, whole=True)),
        ((*origins(2, 2)[:2], Origin(v=1, id="y", generation=2)), NOTHING, (), InUse(1, 2, whole=False)),
    ],
    ids=[
        "a fresh space", "the first set", "a half-made successor", "a successor before the old one goes",
        "a successor alone", "turns", "a lost bucket", "two lost buckets", "a newer set that is not whole",
        "three buckets of two origins",
    ],
)  # fmt: skip
def test_the_newest_whole_set_is_in_use(
    first: tuple[Origin | None, ...], second: tuple[Origin | None, ...], sealed: tuple[int, ...], expected: InUse
) -> None:
    """Where none is whole, the one with the newest traces is to be made again: its generation is not used twice."""
    found = [Slot(1, first, 1 in sealed), Slot(2, second, 2 in sealed)]

    assert in_use(found) == in_use(found[::-1]) == expected


def test_the_slots_take_turns() -> None:
    assert [slots.other(1), slots.other(2)] == [2, 1]


SEQS = st.integers(1, revisions.SPAN - 1)
GENERATIONS = st.integers(1, 1_000)


@given(GENERATIONS, SEQS, GENERATIONS, SEQS)
def test_revisions_are_in_the_order_of_generations_and_then_of_sequences(a: int, x: int, b: int, y: int) -> None:
    """So what was seen of an older generation is always reached."""
    assert (revisions.of(a, x) < revisions.of(b, y)) == ((a, x) < (b, y))


@given(GENERATIONS, SEQS, GENERATIONS)
def test_a_revision_is_a_sequence_in_its_own_generation_alone(generation: int, seq: int, now: int) -> None:
    """In an older one it is beyond all there is, in a newer one before all there is."""
    revision = revisions.of(generation, seq)

    assert revisions.generation(revision) == generation
    assert revisions.seq(revision, now) == (seq if now == generation else 0 if now > generation else revisions.SPAN)


def test_the_first_generation_counts_as_its_bucket_does() -> None:
    assert [revisions.of(1, 0), revisions.of(1, 7), revisions.of(2, 7)] == [0, 7, 1_099_511_627_783]
