"""What a record does to facts, by who wrote it: an act counts only from who may do it."""

from __future__ import annotations

import pytest
from fact_desks import recorded

from eunoe.facts.acts import act, done, whole
from eunoe.facts.kinds import Kinds
from eunoe.schemas.events import (
    ConflictRaised,
    ConflictResolved,
    Event,
    FactApproved,
    FactDeleted,
    FactLabelled,
    FactMoved,
    FactPinned,
    FactRecorded,
    FactRetired,
)
from eunoe.schemas.facts import Act, Identity, Indexed, Source
from eunoe.schemas.records import Header, Record
from eunoe.schemas.subjects import Role

KINDS = Kinds()
ABOUT = Identity("thread", "t", "note", "n")
ANNS = Source(kind="model", principal="ann")
BASH = Source(kind="tool", principal="bash")
ANNS_BASH = Source(kind="tool", principal="bash", agent="ann")


def record(*events: Event, role: Role, principal: str, chain: str = "thread.t") -> Record:
    header = Header(
        v=1, space="test", chain=chain, record=5, prev="", time=9_000, role=role, principal=principal,
        producer="p", n=1, request="", digests=(),
    )  # fmt: skip
    return Record(position=50, header=header, hash="", events=events)


def acted(event: Event, role: Role, principal: str, source: Source, *, at: int = 1) -> Act | None:
    """What the event does to a fact of that source, in its document; None for nothing."""
    target = Indexed(id="f", identity=ABOUT, source=source, order=(at, 1, 0))
    found = [act(what, target) for what in done(record(event, role=role, principal=principal), KINDS)]
    return found[0] if found else None


TO_SESSION = FactMoved(id="f", fact=recorded("x", subject="note", name="n", scope="session", owner="s").fact)
TO_ALL = FactMoved(id="f", fact=recorded("x", subject="note", name="n", scope="permanent", owner="shared").fact)
APPROVED = FactApproved(id="f", fact=TO_ALL.fact)


@pytest.mark.parametrize(
    ("role", "principal", "event", "source", "allowed"),
    [
        ("agent", "ann", FactRetired(id="f"), ANNS, True),
        ("agent", "bob", FactRetired(id="f"), ANNS, False),
        ("agent", "ann", FactRetired(id="f"), ANNS_BASH, True),
        ("agent", "bob", FactRetired(id="f"), ANNS_BASH, False),
        ("agent", "ann", FactRetired(id="f"), BASH, False),
        ("agent", "ann", FactRetired(id="f"), Source(kind="person", principal="ann"), False),
        ("tool", "bash", FactRetired(id="f"), BASH, True),
        ("tool", "bash", FactRetired(id="f"), ANNS_BASH, False),
        ("tool", "make", FactRetired(id="f"), BASH, False),
        ("worker", "extraction", FactRetired(id="f"), BASH, False),
        ("person", "ada", FactRetired(id="f"), Source(kind="person", principal="ada"), True),
        ("person", "ada", FactRetired(id="f"), Source(kind="person", principal="eve"), False),
        ("agent", "ann", FactDeleted(id="f"), ANNS, False),
        ("caller", "app", FactDeleted(id="f"), Source(kind="caller", principal="app"), False),
        ("person", "ada", FactDeleted(id="f"), Source(kind="person", principal="eve"), True),
        ("agent", "ann", APPROVED, ANNS, False),
        ("caller", "app", APPROVED, ANNS, False),
        ("person", "ada", APPROVED, ANNS, True),
        ("agent", "ann", FactLabelled(id="f", add=(1,)), ANNS, True),
        ("agent", "bob", FactLabelled(id="f", add=(1,)), ANNS, False),
        ("person", "ada", FactLabelled(id="f", add=(1,)), ANNS, True),
        ("agent", "ann", FactPinned(id="f"), ANNS_BASH, True),
        ("agent", "bob", FactPinned(id="f"), ANNS_BASH, False),
        ("worker", "facts", FactPinned(id="f"), ANNS, False),
        ("person", "ada", FactPinned(id="f", pinned=False), ANNS, True),
        ("agent", "ann", TO_SESSION, ANNS, True),
        ("agent", "bob", TO_SESSION, ANNS, False),
        ("agent", "ann", TO_ALL, ANNS, False),
        ("caller", "app", TO_ALL, Source(kind="caller", principal="app"), True),
        ("caller", "app", TO_ALL, ANNS, False),
        ("person", "ada", TO_ALL, ANNS, True),
    ],
)
def test_who_may_do_what(role: Role, principal: str, event: Event, source: Source, allowed: bool) -> None:
    """An author takes back, labels, pins and moves its own; a person all but take back another's word."""
    assert (acted(event, role, principal, source) is not None) == allowed


def test_what_goes_where_nothing_arrives_stays() -> None:
    """A move or an approval whose own assertion says nothing, or is at the wrong place, ends nothing either."""
    blank = FactMoved(id="f", fact=recorded(" ", subject="note", scope="session", owner="s").fact)
    elsewhere = FactMoved(id="f", fact=recorded("x", subject="note", owner="u").fact)
    for event in (blank, elsewhere):
        assert acted(event, "person", "ada", ANNS) is None


def test_a_move_to_its_own_place_ends_nothing() -> None:
    """It would end what it asserts; into the same place from another source it takes that one over."""
    here = FactMoved(id="f", fact=recorded("x", subject="note", name="n").fact)
    assert acted(here, "agent", "ann", ANNS) is None
    assert acted(here, "person", "ada", ANNS) is not None


def test_an_act_comes_after_what_it_is_about() -> None:
    """A clock that is behind does not make a delete miss its target; when it was recorded is said as it is."""
    found = acted(FactDeleted(id="f", reason="wrong\nfact"), "person", "ada", ANNS_BASH, at=99_000)
    assert found is not None
    assert (found.at, found.recorded, found.position, found.order) == (99_000, 9_000, 50, (99_000, 1, 0))
    assert (found.lineage, found.author, found.by, found.reason) == (
        "tool/agents",
        "tool/bash/ann",
        "person ada",
        "wrong fact",
    )


def test_numbers_that_no_label_has_are_left_out() -> None:
    """Each once, in order."""
    found = acted(FactLabelled(id="f", add=(7, 0, 3, 7, 1_024), remove=(-1, 5)), "person", "ada", ANNS)
    assert found is not None
    assert (found.kind, found.add, found.remove) == ("labelled", (3, 7), (5,))


@pytest.mark.parametrize(
    ("event", "kind"),
    [(FactPinned(id="f"), "pinned"), (FactPinned(id="f", pinned=False), "unpinned"), (TO_SESSION, "moved")],
)
def test_acts_have_the_names_of_what_they_do(event: Event, kind: str) -> None:
    """As `Act` lists them."""
    found = acted(event, "person", "ada", ANNS)
    assert found is not None
    assert found.kind == kind


def test_only_a_worker_tells_that_sources_disagree() -> None:
    """It is of the whole identity, and of no fact in particular."""
    events = (ConflictRaised(identity=ABOUT, facts=("f1", "f2")), ConflictResolved(identity=ABOUT, facts=("f1",)))
    found = list(whole(record(*events, role="worker", principal="facts")))
    assert [(about, one.kind, one.ids, one.target, one.lineage, one.index) for about, one in found] == [
        (ABOUT, "raised", ("f1", "f2"), "", "", 0),
        (ABOUT, "resolved", ("f1",), "", "", 1),
    ]
    assert list(whole(record(*events, role="person", principal="ada"))) == []
    assert list(done(record(*events, recorded("x"), role="worker", principal="facts"), KINDS)) == []


def test_a_plain_assertion_is_no_act() -> None:
    """And an act asserts nothing of its own."""
    assert isinstance(recorded("x"), FactRecorded)
    assert list(done(record(recorded("x"), role="person", principal="ada"), KINDS)) == []
