"""What a record's fact events mean, by who wrote it: no payload says more than its writer may."""

from __future__ import annotations

import msgspec
import pytest
from fact_desks import recorded

from eunoe.facts.admission import told
from eunoe.facts.kinds import Kinds
from eunoe.schemas import limits
from eunoe.schemas.events import Event, FactApproved, FactMoved, FactRecorded, TurnCommitted
from eunoe.schemas.facts import Assertion, Identity, Provenance, Source, SourceClass
from eunoe.schemas.records import Header, OpenTurn, Record
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


def admitted(event: FactRecorded | FactApproved | FactMoved, **who: str) -> Assertion | None:
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


@pytest.mark.parametrize(("given", "expected"), [(0, 9_000), (4_000, 4_000), (10_000, 9_000), (-1, 0)])
def test_the_time_is_the_facts_own_and_never_later_than_acceptance(given: int, expected: int) -> None:
    """So that nobody writes into the future, where nothing could supersede it; nor into a time before all others."""
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


def opened(agent: str, session: str) -> dict[str, OpenTurn]:
    return {f"{agent} {session}": OpenTurn(turn=1, touched=1, agent=agent, session=session, record=1)}


@pytest.mark.parametrize(
    ("session", "chain", "beside", "kept"),
    [
        ("s", "thread.t", (), True),
        ("r", "thread.t", (), False),
        ("never", "thread.t", (), False),
        ("never", "thread.t", (TurnCommitted(),), True),
        ("s", "book.permanent.a", (), False),
        ("s.1", "book.session.s=2E1", (), True),
    ],
)
def test_an_agent_s_fact_comes_from_a_session_that_it_takes_part_in(
    session: str, chain: str, beside: tuple[Event, ...], kept: bool
) -> None:
    """It has a turn open there, or the session's book says so; of a turn that the record ends nobody else knows. A
    session that cannot be is left out, and the fact stays; what others say of a session is not in question."""
    place = ("session", session) if "session" in chain else ("permanent", "a") if "book" in chain else ("thread", "t")
    identity = Identity(place[0], place[1], "tests", "unit")  # type: ignore[arg-type]
    said = msgspec.structs.replace(recorded("x").fact, identity=identity, provenance=Provenance(session=session))
    found = {}
    for role in ("agent", "caller"):
        made = record(FactRecorded(fact=said), *beside, chain=chain, role=role)
        turns = opened("a", "s") | opened("b", "r") if chain == "thread.t" else {}
        made = msgspec.structs.replace(made, header=msgspec.structs.replace(made.header, open=turns))
        (fact,) = [one.stated.fact for one in told(made, KINDS)]
        found[role] = fact.provenance.session

    assert found == {"agent": session if kept else "", "caller": session}


def test_numbers_that_there_cannot_be_are_left_out() -> None:
    """From whoever they come."""
    came = Provenance(turn=-1, entries=(-1, 3, 2**70), positions=(2**53, 2**53 - 1))
    found = admitted(FactRecorded(fact=msgspec.structs.replace(recorded("x").fact, provenance=came)))
    assert found is not None
    assert (found.provenance.turn, found.provenance.entries, found.provenance.positions) == (0, (3,), (2**53 - 1,))


def test_an_agent_shows_a_permanent_kind_of_fact_to_its_thread_only() -> None:
    """Told of its session, a preference is a proposal of the thread all the same; in the session's book it is none."""
    claim = recorded("tabs", subject="preference", name="indent", scope="session", owner="s")
    fact = admitted(claim)
    assert fact is not None
    assert (fact.proposal, fact.identity.scope, fact.identity.owner) == (True, "thread", "t")
    assert admitted(claim, chain="book.session.s") is None
    note = admitted(recorded("x", subject="note", scope="session", owner="s"), chain="book.session.s")
    assert note is not None
    assert (note.proposal, note.fact_class) == (False, "ephemeral")


def test_a_moved_fact_is_asserted_by_who_moves_it() -> None:
    """It cites what it was; into what is permanent no agent moves anything."""
    event = FactMoved(id="fold", fact=recorded("x", subject="note", scope="session", owner="s", who="other").fact)
    fact = admitted(event, chain="book.session.s")
    assert fact is not None
    assert (fact.cites, fact.source, fact.identity.scope) == ("fold", Source(kind="model", principal="a"), "session")
    up = FactMoved(id="fold", fact=recorded("x", subject="memo", scope="permanent", owner="a").fact)
    assert admitted(up, chain="book.permanent.a") is None
    assert admitted(up, role="person", chain="book.permanent.a") is not None
    assert admitted(up, role="caller", chain="book.permanent.a") is not None


def test_who_approves_or_moves_speaks_in_its_own_name() -> None:
    """A person may carry what a program stated, but not approve in its name."""
    claim = recorded("x", subject="note", scope="permanent", owner="shared", kind="caller", who="app").fact
    for event in (FactApproved(id="f", fact=claim), FactMoved(id="f", fact=claim)):
        fact = admitted(event, role="person", chain="book.permanent.shared")
        assert fact is not None
        assert fact.source == Source(kind="person", principal="a")


def test_only_what_takes_a_facts_place_cites_it() -> None:
    """A payload of a plain assertion claims nothing."""
    claim = recorded("x")
    fact = admitted(FactRecorded(fact=msgspec.structs.replace(claim.fact, cites="f1", replaces="f2", removes=True)))
    assert fact is not None
    assert (fact.cites, fact.replaces, fact.removes) == ("", "", False)


def test_a_preview_keeps_what_it_replaces() -> None:
    """The preview is as given; what only takes a fact away says nothing else, and must name it."""
    about = Identity("thread", "t", "note", "colour", "p")
    source = Source(kind="model", principal="a")
    made = Assertion(identity=about, value="blue", source=source, at=0, replaces="f1")
    fact = admitted(FactRecorded(fact=made))
    assert fact is not None
    assert (fact.identity.preview, fact.replaces) == ("p", "f1")
    removal = msgspec.structs.replace(made, value="", removes=True)
    gone = admitted(FactRecorded(fact=removal))
    assert gone is not None
    assert gone.removes
    assert admitted(FactRecorded(fact=msgspec.structs.replace(removal, replaces=""))) is None
    odd = msgspec.structs.replace(made, identity=msgspec.structs.replace(about, preview="x" * 129))
    assert admitted(FactRecorded(fact=odd)) is None


@pytest.mark.parametrize(
    ("span", "allowed"),
    [
        ((None, None), True),
        ((0, limits.LAST_MOMENT), True),
        ((5, 6), True),
        ((5, 5), False),
        ((6, 5), False),
        ((-1, None), False),
        ((None, limits.LAST_MOMENT + 1), False),
    ],
)
def test_what_holds_at_no_moment_is_left_out(span: tuple[int | None, int | None], allowed: bool) -> None:
    """Nor is what is outside of the years that there are."""
    fact = msgspec.structs.replace(recorded("x").fact, valid_from=span[0], valid_to=span[1])
    assert (admitted(FactRecorded(fact=fact)) is not None) == allowed


def test_an_offset_that_there_is_not_is_taken_for_utc() -> None:
    """A day and more from it; the moment itself is another matter."""
    fact = msgspec.structs.replace(recorded("x").fact, valid_from=5, from_offset=1_440, valid_to=6, to_offset=-1_439)
    found = admitted(FactRecorded(fact=fact))
    assert found is not None
    assert (found.valid_from, found.from_offset, found.valid_to, found.to_offset) == (5, 0, 6, -1_439)


def test_everything_that_an_assertion_carries_is_bounded() -> None:
    """A tool whose name, and a writer whose provenance, has no end: told apart by a digest, so that documents, which
    keep sixteen assertions and more of each, stay small."""
    long = "x" * 300_000
    came = Provenance(
        agent=long, session=long, tool=long, model=long, detail=long, turn=10**4_000, entries=(1,) * 1_000,
        positions=(2, 10**4_000, -1) * 1_000,
    )  # fmt: skip
    source = Source(kind="tool", principal=long, agent=long)
    fact = msgspec.structs.replace(recorded("x").fact, source=source, provenance=came)
    another = msgspec.structs.replace(fact, source=Source(kind="tool", principal=long + "y"))
    found, other = (admitted(FactRecorded(fact=one), role="worker") for one in (fact, another))
    assert found is not None
    assert other is not None
    assert len(msgspec.json.encode(found)) < 4 * limits.KIB
    assert found.source.principal != other.source.principal
    assert (found.provenance.turn, found.provenance.entries, set(found.provenance.positions)) == (0, (1,) * 64, {2})


def test_a_name_that_shows_nothing_is_left_out() -> None:
    """There is nothing to put the value under."""
    assert admitted(recorded("x", subject="note", name=" \u200b")) is None


def test_what_tools_tell_is_not_noted() -> None:
    """An agent's note of a kind that tools own is left out; its plain word is its own."""
    said = recorded("read", subject="file", name="a.py")
    assert admitted(FactRecorded(fact=msgspec.structs.replace(said.fact, method="noted"))) is None
    assert admitted(FactRecorded(fact=msgspec.structs.replace(said.fact, method="stated"))) is not None


def test_an_assertion_is_recorded_when_its_record_was_accepted() -> None:
    """Whatever time orders it; a body is kept apart, and said to be there."""
    event = recorded("x", at=4_000)
    (found,) = told(record(FactRecorded(fact=msgspec.structs.replace(event.fact, content="long"))), KINDS)
    assert (found.stated.fact.at, found.stated.recorded, found.stated.has_content) == (4_000, 9_000, True)
    assert (found.stated.fact.content, found.content) == ("", "long")
