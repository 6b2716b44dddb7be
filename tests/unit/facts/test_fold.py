"""What a document says: supports, versions, conflicts, proposals, deletes and retirements, worked by hand."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from eunoe.facts import wording
from eunoe.facts.document import build
from eunoe.facts.fold import View, fold, labels, pinned
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


@pytest.mark.parametrize(
    ("said", "conflict", "current"),
    [
        ((("Release", "person", "ada", "stated"), ("Fix", "model", "a", "assessed")), False, "Release"),
        ((("Release", "model", "b", "noted"), ("Fix", "model", "a", "assessed")), False, "Fix"),
        ((("Fix", "model", "a", "assessed"), ("Test", "model", "b", "assessed")), False, "Test"),
        ((("Release", "model", "b", "noted"), ("Fix", "model", "a", "noted")), True, "Fix"),
        (
            (
                ("Release", "person", "ada", "stated"),
                ("Ship", "model", "b", "noted"),
                ("Fix", "model", "a", "assessed"),
            ),
            True,
            "Release",
        ),
    ],
)
def test_what_a_model_took_a_request_for_contradicts_nobody(
    said: tuple[tuple[str, str, str, str], ...], conflict: bool, current: str, state: State
) -> None:
    """It is a guess, which leads or gives way as any word of its rank, and is no disagreement; those who said it
    otherwise disagree among each other as ever. Each is later than the one before."""
    stated = [state(value, at, kind=kind, who=who) for at, (value, kind, who, _) in enumerate(said, 1)]
    methods = [method for *_, method in said]
    view = viewed(*(with_method(one, method) for one, method in zip(stated, methods, strict=True)))

    assert view.conflict is conflict
    assert view.current is not None
    assert view.current.value == current
    assert len(view.facts) == 1


def with_method(stated: Stated, method: str) -> Stated:
    return msgspec.structs.replace(stated, fact=msgspec.structs.replace(stated.fact, method=method))


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


def test_values_of_many_are_one_fact_each(state: State, do: Do) -> None:
    """Whoever says them: each value once, with all its sources, labels and pins; the strongest speaks for it."""
    red = state("red", 1, kind="model", who="a")
    blue, agreeing = state("blue", 2, kind="model", who="b"), state("Blue", 3)
    acts = [do("labelled", blue, 4, add=(3,)), do("pinned", blue, 5)]
    view = fold(build(IDENTITY, [red, blue, agreeing, *acts]), single=False)
    assert [[head.id for head in heads] for heads in view.facts] == [[agreeing.id, blue.id], [red.id]]
    shown = wording.in_force(view)
    assert [(fact.id, fact.supports, fact.labels, fact.pinned) for fact in shown] == [
        (agreeing.id, 2, ("#3",), True),
        (red.id, 1, (), False),
    ]
    assert len(fold(build(IDENTITY, [red, blue, agreeing])).facts) == 1


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


def test_what_one_author_takes_back_the_others_keep(state: State, do: Do) -> None:
    """Two tools found it, twice the first: without the first's it is the other's, under its id, one support left."""
    first, other, again = state("up", 1), state("UP", 2, who="curl"), state("up", 3)
    before = viewed(first, other, again)
    assert before.current is not None
    assert (before.current.id, before.current.supports) == (first.id, 3)
    after = viewed(first, other, again, do("retired", again, 4))
    assert after.current is not None
    assert (after.current.id, after.current.number, after.current.supports, after.current.newest) == (
        other.id,
        1,
        1,
        (2, 2, 0),
    )
    assert after.current.said == (other,)
    assert viewed(first, other, again, do("retired", again, 4), do("retired", other, 5)).current is None


def test_what_was_taken_back_once_is_not_taken_back_again(state: State, do: Do) -> None:
    """Its author says it anew after the retirement; another retirement of the old id leaves that alone."""
    first, other = state("up", 1), state("up", 2, who="curl")
    view = viewed(first, other, do("retired", first, 3), state("up", 4), do("retired", first, 5))
    assert view.current is not None
    assert (view.current.id, view.current.supports) == (other.id, 2)


def test_a_late_assertion_from_before_a_retirement_goes_with_it(state: State, do: Do) -> None:
    """The retirement is of what its author said up to then."""
    first = state("up", 1)
    assert viewed(first, do("retired", first, 3), state("up", 2)).current is None


def test_tools_of_agents_weigh_less_than_trusted_ones(state: State) -> None:
    """What agents appended of tools is one lineage, below the tools' own and above a model's word."""
    trusted = state("passed", 1)
    events = [
        trusted,
        state("failed", 2, agent="a"),
        state("failed", 3, who="make", agent="b"),
        state("skipped", 4, kind="model", who="a"),
    ]
    view = viewed(*events)
    assert view.current is not None
    assert view.current.id == trusted.id
    assert [(head.lineage, head.value, head.supports) for head in view.heads] == [
        ("tool", "passed", 1),
        ("tool/agents", "failed", 2),
        ("model/a", "skipped", 1),
    ]
    assert [v.rule for v in view.versions] == ["", "rank", "rank"]


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


def test_a_moved_fact_ends_where_it_was(state: State, do: Do) -> None:
    """Its version is closed; another value that came before the move, though it arrived later, is not moved."""
    first = state("a", 1, kind="model", who="a")
    moved = do("moved", first, 4)
    view = viewed(first, moved)
    assert view.current is None
    assert [(v.state, v.rule, v.superseded_by) for v in view.versions] == [("moved", "moved", moved.id)]
    late = state("b", 2, kind="model", who="a")
    again = viewed(first, moved, late)
    assert again.current is not None
    assert again.current.id == late.id


def test_labels_and_pins_are_of_the_lineage(state: State, do: Do) -> None:
    """They stay when the value changes, and the fact in force has those of all its sources."""
    tool = state("passed", 1)
    model = state("passed", 2, kind="model", who="a")
    acts = [do("labelled", tool, 3, add=(7, 2)), do("labelled", model, 4, add=(5,)), do("pinned", model, 5)]
    view = viewed(tool, model, *acts)
    assert (labels(view.sources), pinned(view.sources)) == ((2, 5, 7), True)
    assert [act.kind for act in view.acts] == ["labelled", "labelled", "pinned"]
    later: list[Stated | Act] = [state("failed", 6), do("labelled", tool, 7, add=(9,), remove=(7,))]
    apart = viewed(tool, model, *acts, *later)
    assert (labels(apart.sources), pinned(apart.sources)) == ((2, 9), False)
    assert {(v.lineage, v.labels, v.pinned) for v in apart.versions} == {
        ("tool", (2, 9), False),
        ("model/a", (5,), True),
    }
    assert not pinned(viewed(tool, model, *acts, do("unpinned", model, 6)).sources)


def test_what_was_known_at_a_moment_is_what_was_recorded_by_then(state: State, do: Do) -> None:
    """A transcript of long ago that was brought in later was not known before; nor was a delete of after it."""
    first = state("failed", 1)
    imported = state("passed", 2, recorded=50)
    delete = do("deleted", imported, 60)
    document = build(IDENTITY, [first, imported, delete])
    found = {moment: fold(document, recorded=moment).current for moment in (0, 1, 49, 50, 59, 60)}
    assert {moment: version.value if version else "" for moment, version in found.items()} == {
        0: "",
        1: "failed",
        49: "failed",
        50: "passed",
        59: "passed",
        60: "",
    }


def test_what_was_and_what_is_now(state: State) -> None:
    """Was programmer, now student: one in force, both in the history (F49)."""
    view = viewed(state("programmer", 1, kind="person", who="ada"), state("student", 2, kind="person", who="ada"))
    assert [(v.value, v.state) for v in view.versions] == [("programmer", "superseded"), ("student", "current")]
    assert not view.conflict


def test_saying_it_again_makes_it_recent(state: State) -> None:
    """Confirmed three times: one version, as recent as the last time (F54)."""
    view = viewed(*(state("left", at, kind="model", who="a") for at in (1, 5, 6, 9)))
    assert view.current is not None
    assert (view.current.number, view.current.supports, view.current.newest, view.current.first.position) == (
        1,
        4,
        (9, 9, 0),
        1,
    )


def test_two_sources_at_one_moment_are_one_fact_with_two_supports(state: State) -> None:
    """Two tools say the same at the same time: one version that both support, whichever comes first."""
    one = state("up", 5)
    two = msgspec.structs.replace(state("up", 5, who="curl"), id="fother", position=6)
    for events in ((one, two), (two, one)):
        view = viewed(*events)
        assert view.current is not None
        assert (view.current.id, view.current.supports, len(view.versions)) == (one.id, 2, 1)


def test_one_change_supersedes_one_fact(state: State) -> None:
    """Of 101 facts one changes: exactly one version in all of them is superseded (F48)."""
    names = [Identity("thread", "t1", "note", f"n{number}") for number in range(101)]
    documents = {name: build(name, [state("same", 1, about=name)]) for name in names}
    documents[names[7]] = build(names[7], [state("same", 1, about=names[7]), state("other", 2, about=names[7])])
    states = [version.state for document in documents.values() for version in fold(document).versions]
    assert (states.count("superseded"), states.count("current")) == (1, 101)


def test_acts_alone_say_nothing(state: State, do: Do) -> None:
    """A delete that arrives before its target leaves an empty view."""
    view = viewed(do("deleted", state("x", 1), 2))
    assert view.versions == ()
    assert view.current is None
