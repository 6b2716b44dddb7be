"""What a caller may state, and where it goes."""

from __future__ import annotations

import pytest

from eunoe.client import stating
from eunoe.schemas.errors import Denied, Invalid
from eunoe.schemas.facts import Identity
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
        stating.assertion(ADA, DECISION, value, at=1)


def test_a_task_may_be_longer() -> None:
    """300 characters."""
    task = Identity("thread", "t", "task", "current")

    assert stating.assertion(ADA, task, "x" * 300, at=1).value == "x" * 300


def test_a_worker_states_nothing() -> None:
    """Only people, programs, agents and tools do."""
    with pytest.raises(Denied):
        stating.source(Caller("viewer", "eve"))


def test_an_approved_proposal_is_permanent_and_shared() -> None:
    """The person's own assertion of the same value."""
    source = stating.source(Caller("agent", "builder"))
    proposal = FactView(
        id="f1",
        identity=Identity("thread", "t", "decision", "colour"),
        value="green",
        version=1,
        state="proposed",
        source=source,
        at=1,
        position=1,
    )
    fact = stating.approved(ADA, proposal, 5)

    assert (fact.identity, fact.value, fact.source.kind, fact.fact_class, fact.at) == (
        DECISION,
        "green",
        "person",
        "permanent",
        5,
    )
