"""What a document says: supports, versions, conflicts, proposals, deletes and retirements, worked by hand."""

from __future__ import annotations

from collections.abc import Callable

from eunoe.facts.document import build
from eunoe.facts.fold import View, fold
from eunoe.schemas.facts import Act, Identity, Stated

IDENTITY = Identity(scope="thread", owner="t1", subject="tests", name="pytest")
State = Callable[..., Stated]
Do = Callable[..., Act]


def viewed(*events: Stated | Act) -> View:
    return fold(build(IDENTITY, events))


def test_the_same_value_again_is_a_support(state: State) -> None:
    """Case and space do not make another value: one version with two supports, under its first id."""
    first = state("Passed", 1)
    view = viewed(first, state("passed ", 2))
    assert view.current is not None
    assert (view.current.id, view.current.number, view.current.supports) == (first.id, 1, 2)
    assert view.current.newest == (2, 2, 0)


def test_two_sources_of_one_value_are_one_fact(state: State) -> None:
    """A tool and a model that agree: the tool is named, both are sources, nothing conflicts."""
    view = viewed(state("passed", 1), state("PASSED", 2, kind="model", who="a"))
    assert view.current is not None
    assert view.current.lineage == "tool"
    assert [source.lineage for source in view.sources] == ["tool", "model/a"]
    assert not view.conflict


def test_a_person_outranks_a_newer_tool(state: State) -> None:
    """The person's value is in force although the tool spoke later; the tool's is shown as disagreeing."""
    person = state("passed", 1, kind="person", who="ada")
    view = viewed(person, state("failed", 2))
    assert view.current is not None
    assert view.current.id == person.id
    assert view.conflict
    assert [(v.value, v.state, v.rule, v.superseded_by) for v in view.versions] == [
        ("passed", "current", "", ""),
        ("failed", "superseded", "rank", person.id),
    ]


def test_of_one_rank_the_newest_support_wins(state: State) -> None:
    """Two models disagree: the one that repeated its value last is in force (F54)."""
    a = state("left", 1, kind="model", who="a")
    view = viewed(a, state("right", 2, kind="model", who="b"), state("left", 3, kind="model", who="a"))
    assert view.current is not None
    assert view.current.id == a.id
    assert [v.rule for v in view.versions] == ["", "newest"]


def test_a_succession_is_no_conflict(state: State) -> None:
    """28k, then 32k, of one source: history, and one value in force (F53)."""
    view = viewed(state("28k", 1), state("32k", 2))
    assert not view.conflict
    assert [(v.value, v.rule) for v in view.versions] == [("28k", "newer"), ("32k", "")]


def test_values_of_many_stand_side_by_side(state: State) -> None:
    """For a kind of many values two heads that differ are both current, and no conflict."""
    events = [state("red", 1, kind="model", who="a"), state("blue", 2, kind="model", who="b")]
    view = fold(build(IDENTITY, events), single=False)
    assert not view.conflict
    assert [v.state for v in view.versions] == ["current", "current"]


def test_a_deleted_fact_is_not_in_force(state: State, do: Do) -> None:
    """A delete ends the head; what was superseded before stays superseded."""
    newest = state("passed", 2)
    delete = do("deleted", newest, 3)
    view = viewed(state("failed", 1), newest, delete)
    assert view.current is None
    assert [(v.value, v.state, v.superseded_by) for v in view.versions] == [
        ("failed", "superseded", newest.id),
        ("passed", "deleted", delete.id),
    ]


def test_a_late_assertion_from_before_a_delete_stays_deleted(state: State, do: Do) -> None:
    """It arrives after the delete but is of before it: nothing comes back."""
    first = state("failed", 1)
    view = viewed(first, do("deleted", first, 5), state("passed", 3))
    assert view.current is None
    assert [v.state for v in view.versions] == ["superseded", "deleted"]


def test_an_assertion_after_a_delete_is_a_new_version(state: State, do: Do) -> None:
    """Even of the same value: version 2 begins with it."""
    first = state("failed", 1)
    again = state("failed", 6)
    view = viewed(first, do("deleted", first, 5), again)
    assert view.current is not None
    assert (view.current.id, view.current.number) == (again.id, 2)


def test_a_delete_covers_its_lineage_only(state: State, do: Do) -> None:
    """Another source of the same value keeps the fact."""
    tool = state("passed", 1)
    model = state("passed", 2, kind="model", who="a")
    view = viewed(tool, model, do("deleted", tool, 3))
    assert view.current is not None
    assert view.current.id == model.id
    assert [source.lineage for source in view.sources] == ["model/a"]


def test_retiring_what_was_superseded_changes_nothing(state: State, do: Do) -> None:
    """Only the version of the target ends, and only while it is the head."""
    old, new = state("a", 1, kind="model", who="a"), state("b", 2, kind="model", who="a")
    assert viewed(old, new, do("retired", old, 3)).current is not None
    ended = viewed(old, new, do("retired", new, 3))
    assert ended.current is None
    assert ended.versions[-1].state == "retired"


def test_retiring_any_support_retires_its_version(state: State, do: Do) -> None:
    """The author takes back what it said, not one of the times it said it."""
    first, second = state("a", 1, kind="model", who="a"), state("A", 2, kind="model", who="a")
    for target in (first, second):
        assert viewed(first, second, do("retired", target, 3)).current is None


def test_a_proposal_is_in_force_as_proposed_until_approved(state: State, do: Do) -> None:
    """Approval ends the proposal, naming the person's assertion."""
    proposal = state("tabs", 1, kind="model", who="a", proposal=True)
    assert viewed(proposal).versions[0].state == "proposed"
    approval = do("approved", proposal, 2)
    ended = viewed(proposal, approval)
    assert ended.current is None
    assert (ended.versions[0].state, ended.versions[0].rule, ended.versions[0].superseded_by) == (
        "approved",
        "approved",
        approval.id,
    )


def test_acts_alone_say_nothing(state: State, do: Do) -> None:
    """A delete that arrives before its target leaves an empty view."""
    view = viewed(do("deleted", state("x", 1), 2))
    assert view.versions == ()
    assert view.current is None
