"""What a record's fact events mean, by who wrote it: no payload says more than its writer may."""

from __future__ import annotations

import msgspec
import pytest
from fact_desks import recorded

from eunoe.facts.acts import act, done
from eunoe.facts.admission import told
from eunoe.facts.kinds import Kinds
from eunoe.schemas.events import Event, FactApproved, FactDeleted, FactRecorded, FactRetired
from eunoe.schemas.facts import Assertion, Identity, Indexed, Provenance, Source, SourceClass
from eunoe.schemas.records import Header, Record
from eunoe.schemas.subjects import Role

KINDS = Kinds()


def record(*events: Event, role: Role = "agent", principal: str = "a", chain: str = "thread.t") -> Record:
    header = Header(
        v=1,
        space="test",
        chain=chain,
        record=5,
        prev="",
        time=9_000,
        role=role,
        principal=principal,
        producer="p",
        n=1,
        request="",
        digests=(),
    )
    return Record(position=50, header=header, hash="", events=events)


def admitted(event: FactRecorded | FactApproved, **who: str) -> Assertion | None:
    made = record(event, **who)  # type: ignore[arg-type]
    found = [assertion.stated.fact for assertion in told(made, KINDS)]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("role", "kind", "expected"),
    [
        ("agent", "person", Source(kind="model", principal="a")),
        ("caller", "person", Source(kind="caller", principal="a")),
        ("person", "model", Source(kind="person", principal="a")),
        ("tool", "person", Source(kind="tool", principal="a")),
        ("worker", "person", Source(kind="model", principal="forged")),
        ("worker", "tool", Source(kind="tool", principal="forged")),
        ("person", "caller", Source(kind="caller", principal="forged")),
    ],
)
def test_the_source_is_who_wrote_the_record(role: str, kind: SourceClass, expected: Source) -> None:
    """Whatever a payload claims; a worker speaks for tools and models, never for people, a person for callers."""
    fact = admitted(recorded("x", kind=kind, who="forged"), role=role)
    assert fact is not None
    assert fact.source == expected


def test_a_claim_about_everyone_is_a_proposal_of_the_thread() -> None:
    """From an agent; from a person it is what it says. In a book there is no thread to propose in."""
    claim = recorded("tabs", subject="preference", name="Indent", scope="permanent", owner="shared")
    fact = admitted(claim)
    assert fact is not None
    assert (fact.proposal, fact.identity, fact.fact_class) == (
        True,
        Identity("thread", "t", "preference", "indent"),
        "permanent",
    )
    stated = admitted(claim, role="person")
    assert stated is not None
    assert (stated.proposal, stated.identity) == (False, Identity("permanent", "shared", "preference", "indent"))
    assert admitted(claim, chain="book.permanent.shared") is None


def test_an_agents_own_permanent_fact_is_no_proposal() -> None:
    """In its own book it writes."""
    fact = admitted(recorded("x", subject="memo", scope="permanent", owner="a"), chain="book.permanent.a")
    assert fact is not None
    assert not fact.proposal


@pytest.mark.parametrize("value", ["", "  ", "\x00", "\u2028"])
def test_what_says_nothing_is_left_out(value: str) -> None:
    """Blank after cleaning: no assertion."""
    assert admitted(recorded(value)) is None


def test_values_are_one_bounded_line() -> None:
    """Cut at 200 characters with a mark; a task at 300; breaks and control characters as the values' rule says."""
    long = admitted(recorded("x" * 500))
    task = admitted(recorded("x\n" * 500, subject="task"))
    assert long is not None
    assert task is not None
    assert (len(long.value), long.value[-1], len(task.value)) == (200, "…", 300)
    assert "\n" not in task.value


@pytest.mark.parametrize(("given", "expected"), [(0, 9_000), (4_000, 4_000), (10_000, 9_000)])
def test_the_time_is_the_facts_own_and_never_later_than_acceptance(given: int, expected: int) -> None:
    """So that nobody writes into the future, where nothing could supersede it."""
    fact = admitted(recorded("x", at=given))
    assert fact is not None
    assert fact.at == expected


def test_a_fact_of_another_thread_is_left_out() -> None:
    """The chain says which thread it is."""
    assert admitted(recorded("x", owner="u")) is None


def test_provenance_does_not_name_another_agent() -> None:
    """Thread and agent come from the subject."""
    fact = recorded("x").fact
    said = msgspec.structs.replace(fact, provenance=Provenance(agent="boss", thread="other", turn=3))
    found = admitted(FactRecorded(fact=said))
    assert found is not None
    assert found.provenance == Provenance(agent="a", thread="t", turn=3)


@pytest.mark.parametrize(
    ("role", "principal", "event", "source", "allowed"),
    [
        ("agent", "a", FactRetired(id="f"), Source(kind="model", principal="a"), True),
        ("agent", "b", FactRetired(id="f"), Source(kind="model", principal="a"), False),
        ("agent", "a", FactRetired(id="f"), Source(kind="tool", principal="bash", agent="a"), True),
        ("agent", "a", FactRetired(id="f"), Source(kind="person", principal="a"), False),
        ("agent", "a", FactDeleted(id="f"), Source(kind="model", principal="a"), False),
        ("caller", "c", FactDeleted(id="f"), Source(kind="caller", principal="c"), False),
        ("worker", "extraction", FactRetired(id="f"), Source(kind="tool", principal="bash"), False),
        ("person", "p", FactDeleted(id="f"), Source(kind="person", principal="q"), True),
        ("person", "p", FactRetired(id="f"), Source(kind="person", principal="q"), False),
        ("person", "p", FactRetired(id="f"), Source(kind="person", principal="p"), True),
    ],
)
def test_who_may_do_what(role: Role, principal: str, event: Event, source: Source, allowed: bool) -> None:
    """An author retires its own; a person deletes anybody's."""
    target = Indexed(id="f", identity=Identity("thread", "t", "s", "n"), source=source, order=(1, 1, 0))
    (what,) = done(record(event, role=role, principal=principal), KINDS)
    assert (act(what, target) is not None) == allowed


def test_an_approval_by_an_agent_asserts_nothing() -> None:
    """Neither the act nor the assertion counts."""
    event = FactApproved(id="f", fact=recorded("x", scope="permanent", owner="shared").fact)
    assert admitted(event) is None
    assert list(done(record(event), KINDS)) == []


def test_an_act_comes_after_what_it_is_about() -> None:
    """A clock that is behind does not make a delete miss its target."""
    target = Indexed(
        id="f", identity=Identity("thread", "t", "s", "n"), source=Source(kind="tool"), order=(99_000, 7, 0)
    )
    (what,) = done(record(FactDeleted(id="f"), role="person"), KINDS)
    found = act(what, target)
    assert found is not None
    assert (found.at, found.position, found.order, found.lineage) == (99_000, 50, (99_000, 7, 0), "tool")
