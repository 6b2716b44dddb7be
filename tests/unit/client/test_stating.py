"""What a caller may state, and where it goes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest

from eunoe.client import stating
from eunoe.schemas.errors import Denied, Invalid
from eunoe.schemas.facts import Identity, Provenance, Scope, Source
from eunoe.schemas.requests import FactView
from eunoe.schemas.subjects import Caller

ADA = Caller("person", "ada")
DECISION = Identity("permanent", "shared", "decision", "colour")


@pytest.mark.parametrize(
    ("where", "expected", "chain"),
    [
        ({}, Identity("permanent", "shared", "d", "n"), "book.permanent.shared"),
        ({"owner": "builder"}, Identity("permanent", "builder", "d", "n"), "book.permanent.builder"),
        ({"session": "s.1"}, Identity("session", "s.1", "d", "n"), "book.session.s=2E1"),
        ({"thread": "t"}, Identity("thread", "t", "d", "n"), "thread.t"),
    ],
)
def test_where_a_fact_belongs(where: dict[str, str], expected: Identity, chain: str) -> None:
    """Permanent unless a thread or session is named; its events go to that chain."""
    found = stating.identity("d", "n", **where)

    assert (found, stating.chain_of(found)) == (expected, chain)


@pytest.mark.parametrize("where", [{"subject": ""}, {"name": ""}, {"thread": "t", "session": "s"}])
def test_what_belongs_nowhere(where: dict[str, str]) -> None:
    """Blank names, and two places at once."""
    with pytest.raises(Invalid):
        stating.identity(**{"subject": "d", "name": "n", **where})


@pytest.mark.parametrize("value", ["", "  ", "two\nlines", "x" * 201])
def test_values_that_are_refused(value: str) -> None:
    """A value is one line of at most 200 characters; a person's is refused, never cut."""
    with pytest.raises(Invalid):
        stating.assertion(ADA, DECISION, value)


def test_a_task_may_be_longer() -> None:
    """300 characters."""
    task = Identity("thread", "t", "task", "current")

    assert stating.assertion(ADA, task, "x" * 300).value == "x" * 300


def test_a_worker_states_nothing() -> None:
    """Only people, programs, agents and tools do."""
    with pytest.raises(Denied):
        stating.source(Caller("viewer", "eve"))


def proposal() -> FactView:
    return FactView(
        id="f1",
        identity=Identity("thread", "t", "decision", "colour"),
        value="green",
        version=1,
        state="proposed",
        source=stating.source(Caller("agent", "builder")),
        at=1,
        position=1,
        turn=3,
        thread="t",
        session="s",
        agent="builder",
        entries=(4,),
        valid_to=9,
        to_offset=120,
    )


def test_what_is_approved_or_moved_is_stated_by_who_does_it_and_cites_what_it_was() -> None:
    """The person's own assertion of the same value for the same time, with where it came from."""
    fact = stating.moved(ADA, proposal(), stating.elsewhere(proposal(), "permanent"), "why")

    assert (fact.identity, fact.value, fact.source, fact.fact_class, fact.at) == (
        DECISION,
        "green",
        Source(kind="person", principal="ada"),
        "permanent",
        0,
    )
    assert (fact.cites, fact.content, fact.valid_from, fact.valid_to, fact.to_offset) == ("f1", "why", None, 9, 120)
    assert fact.provenance == Provenance(agent="builder", session="s", thread="t", turn=3, entries=(4,))


@pytest.mark.parametrize(
    ("scope", "named", "expected"),
    [
        ("permanent", {}, Identity("permanent", "shared", "decision", "colour")),
        ("permanent", {"owner": "builder"}, Identity("permanent", "builder", "decision", "colour")),
        ("session", {}, Identity("session", "s", "decision", "colour")),
        ("session", {"session": "s2"}, Identity("session", "s2", "decision", "colour")),
        ("thread", {}, Identity("thread", "t", "decision", "colour")),
    ],
)
def test_where_a_fact_is_moved_to(scope: Scope, named: dict[str, str], expected: Identity) -> None:
    """Where it came from, unless another place is named."""
    assert stating.elsewhere(proposal(), scope, **named) == expected


def test_a_fact_that_came_from_no_session_needs_one_to_go_to() -> None:
    """A place is asked for, never guessed."""
    with pytest.raises(Invalid, match="came from no session; name the one that it goes to"):
        stating.elsewhere(msgspec.structs.replace(proposal(), session=""), "session")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        (5, 5),
        (datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), 1000),
        (datetime(1970, 1, 1, 2, 0, 1, 5999, tzinfo=timezone(timedelta(hours=2))), 1005),
    ],
)
def test_moments_are_milliseconds_of_utc(given: stating.Moment | None, expected: int | None) -> None:
    """An offset is counted in."""
    assert stating.moment(given) == expected


def test_the_offset_in_which_a_moment_is_given_is_kept() -> None:
    """In minutes east of UTC, each its own: a summer and a winter."""
    start = datetime(2026, 7, 1, tzinfo=timezone(timedelta(hours=2)))
    end = datetime(2026, 12, 1, tzinfo=timezone(-timedelta(minutes=30)))
    fact = stating.assertion(ADA, DECISION, "green", valid_from=start, valid_to=end)
    assert (fact.from_offset, fact.to_offset) == (120, -30)
    assert fact.valid_from == 1_782_856_800_000  # 2026-06-30T22:00:00Z


def test_a_moment_of_no_zone_is_refused() -> None:
    """F86: it could be any of forty; nothing is guessed."""
    with pytest.raises(Invalid, match="valid_from does not say in which time zone 2026-01-01T00:00:00 is"):
        stating.assertion(ADA, DECISION, "green", valid_from=datetime(2026, 1, 1))  # noqa: DTZ001 - what is refused


@pytest.mark.parametrize("where", ["thread", "session", "owner", "preview"])
@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_a_blank_place_is_refused_and_never_taken_for_everywhere(where: str, blank: str) -> None:
    """F82: an empty name would make a session's fact one that everybody shares."""
    with pytest.raises(Invalid, match="id is empty"):
        stating.identity("d", "n", **{where: blank})
