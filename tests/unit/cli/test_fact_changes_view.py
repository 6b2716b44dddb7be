"""What a change of a fact prints: what happened, the id to use next, and the way back."""

from __future__ import annotations

from typing import Any

from fact_views import view
from views import plain

from eunoe.cli import fact_changes_view, fact_delete_view, ways_back
from eunoe.cli.fact_changes import Changed, version
from eunoe.client.deleting import Deletion, PreviewDeletion, ScopeDeletion, Undeleted
from eunoe.schemas.facts import Identity, Source
from eunoe.schemas.requests import FactReply, FactView, Trace

EXIT = Identity("permanent", "shared", "decision", "exit status")
DANA = Source(kind="person", principal="dana")


def decision(**rest: Any) -> FactView:
    return view(**{"identity": EXIT, "source": DANA, "value": "3", "sources": ("person dana",), **rest})


def changed(fact: FactView, **rest: Any) -> Changed:
    given: dict[str, Any] = {"id": fact.id, "version": fact.version, "position": 9, "duplicate": False, "fact": fact}
    return Changed(**{**given, **rest})


def test_a_stated_fact_says_where_it_holds_and_how_to_take_it_back() -> None:
    """Its id comes first; what it replaced is named with its id and source."""
    before = decision(id="fbbbbbbbbbb", value="0", from_text="person dana")

    assert plain(fact_changes_view.stated(changed(decision(version=2), replaced=(before,)))) == [
        "stated: faaaaaaaaaa  decision exit status: 3",
        "permanent · shared, version 2, current",
        "before: 0 (fbbbbbbbbbb, from person dana)",
        "undo: eunoe fact set --owner shared decision 'exit status' 0",
    ]
    assert plain(fact_changes_view.stated(changed(decision())))[-1] == "undo: eunoe fact retire faaaaaaaaaa"


def test_what_was_said_before_is_brought_back_whole() -> None:
    """With its place, its times and its content; a value that begins with a dash is none of the options."""
    about = Identity("thread", "my thread", "task", "current", "trial")
    before = decision(
        identity=about, value="-y", valid_from=1_767_225_600_000, has_content=True, replaces="fcccccccccc"
    )
    long = decision(id="fbbbbbbbbbb", value="x" * 200)

    assert ways_back.restated(before) == (
        "eunoe fact history faaaaaaaaaa --preview trial --content | eunoe fact set --thread 'my thread' "
        "--preview trial --replaces fcccccccccc --valid-from 2026-01-01 --content-file - -- task current -y"
    )
    assert plain(fact_changes_view.stated(changed(decision(), replaced=(long,))))[-1] == (
        f"undo: eunoe fact set --owner shared decision 'exit status' {'x' * 200}"
    )


def test_a_time_in_a_way_back_is_one_word_for_the_shell() -> None:
    """Said as everywhere, and so in quotes; the command reads it."""
    before = decision(valid_from=1_767_261_600_000)  # 2026-01-01 10:00 UTC

    assert ways_back.restated(before) == (
        "eunoe fact set --owner shared --valid-from '2026-01-01 10:00:00Z' decision 'exit status' 3"
    )


def test_a_source_that_repeats_itself_has_nothing_to_undo() -> None:
    """Taking its word back would take back what it said first too."""
    found = changed(decision(supports=2), id="fccccccccc2", duplicate=True, known="faaaaaaaaaa")

    assert plain(fact_changes_view.stated(found))[2:] == ["said before as faaaaaaaaaa; now said once more"]


def test_an_agent_takes_back_what_is_of_a_thread_from_there() -> None:
    """It sees the facts of a thread from nowhere else."""
    fact = decision(identity=Identity("thread", "t1", "note", "x"), source=Source(kind="model", principal="planner"))

    assert plain(fact_changes_view.stated(changed(fact)))[-1] == "undo: eunoe fact retire faaaaaaaaaa --thread t1"


def test_an_approval_that_replaced_a_decision_can_be_undone() -> None:
    """One that replaced nothing can be refused after all: its proposal does not come back."""
    before = decision(id="fbbbbbbbbbb", value="0")

    assert plain(fact_changes_view.approved(changed(decision(), replaced=(before,))))[-1] == (
        "undo: eunoe fact set --owner shared decision 'exit status' 0"
    )
    assert plain(fact_changes_view.approved(changed(decision())))[-1] == (
        "refuse it after all: eunoe fact delete faaaaaaaaaa"
    )
    known = changed(decision(), id="fccccccccc2", known="faaaaaaaaaa", duplicate=True)
    assert plain(fact_changes_view.approved(known))[-1] == "known before as faaaaaaaaaa"


def test_a_fact_that_was_stated_under_its_key_before_offers_no_way_back() -> None:
    """Nothing was added, so there is nothing to undo."""
    assert plain(fact_changes_view.stated(changed(decision(), duplicate=True, added=False))) == [
        "there already: faaaaaaaaaa  decision exit status: 3",
        "permanent · shared, version 1, current",
    ]


def test_what_others_said_before_is_one_fact_with_several_sources() -> None:
    """Its own id is new, and takes back no more than this one's word."""
    tool = Source(kind="tool", principal="git")
    fact = decision(source=tool, sources=("tool git", "tool make"))
    found = changed(fact, id="fccccccccc2", duplicate=True, known="faaaaaaaaaa")

    assert plain(fact_changes_view.stated(found)) == [
        "stated: fccccccccc2  decision exit status: 3",
        "permanent · shared, version 1, current",
        "known before as faaaaaaaaaa; it is now from tool git; tool make",
        "undo: eunoe fact retire fccccccccc2",
    ]


def test_a_fact_that_others_contradict_names_them() -> None:
    """The conflict is said where it is made."""
    fact = decision(conflict=True, others=("0 — from model planner",), valid_from=1_767_225_600_000)

    assert plain(fact_changes_view.stated(changed(fact)))[1:3] == [
        "permanent · shared, version 1, current, in conflict, holds from 2026-01-01",
        "≠ 0 — from model planner",
    ]


def test_pins_and_labels_say_how_it_is_now() -> None:
    """A pin can be taken off again; a fact without labels says so."""
    assert plain(fact_changes_view.pinned(changed(decision(pinned=True)))) == [
        "pinned: faaaaaaaaaa  decision exit status: 3",
        "undo: eunoe fact pin faaaaaaaaaa --off",
    ]
    assert plain(fact_changes_view.pinned(changed(decision())))[0].startswith("not pinned any more: ")
    assert plain(fact_changes_view.pinned(changed(decision(pinned=True), duplicate=True))) == [
        "is pinned already: faaaaaaaaaa  decision exit status: 3"
    ]
    assert plain(fact_changes_view.pinned(changed(decision(), duplicate=True))) == [
        "is not pinned: faaaaaaaaaa  decision exit status: 3"
    ]
    assert plain(fact_changes_view.labelled(changed(decision(labels=("infra", "release")))))[1] == (
        "labels: infra, release"
    )
    assert plain(fact_changes_view.labelled(changed(decision())))[1] == "it has no labels now"


def test_what_was_taken_back_says_who_still_says_it() -> None:
    """The fact goes on with its other sources."""
    assert plain(fact_changes_view.retired(changed(decision(sources=("person ada",))))) == [
        "taken back: faaaaaaaaaa  decision exit status: 3",
        "others say the same: person ada",
        "what it was: eunoe fact history faaaaaaaaaa",
    ]
    assert len(plain(fact_changes_view.retired(changed(decision(state="retired"))))) == 2
    leads = decision(id="fbbbbbbbbbb", value="0", from_text="model planner")
    of_a_preview = decision(state="retired", identity=Identity("permanent", "shared", "decision", "x", "trial"))
    assert plain(fact_changes_view.retired(changed(of_a_preview, leads=leads)))[1:] == [
        "in its place now: fbbbbbbbbbb  0 — from model planner",
        "what it was: eunoe fact history faaaaaaaaaa --preview trial",
    ]


def test_an_id_that_only_repeats_a_value_stands_for_the_version_that_it_supports() -> None:
    """An assertion of the same value begins no version, and its id works all the same."""
    versions = (decision(), decision(id="fbbbbbbbbbb"))

    assert version(FactReply(identity=EXIT, versions=versions, named="faaaaaaaaaa")).id == "faaaaaaaaaa"
    assert version(FactReply(identity=EXIT, versions=versions, named="fbbbbbbbbbb")).id == "fbbbbbbbbbb"


def test_a_deletion_lists_every_trace_and_what_leads_now() -> None:
    """Document, index and context, each with what became of it; another source's value is named."""
    traces = (
        Trace(fact="faaaaaaaaaa", kind="document", where="permanent fact.shared.decision", fate="closed"),
        Trace(fact="faaaaaaaaaa", kind="context", where="thread builder, turn 7", fate="kept in the log"),
    )
    ann = decision(id="fcccccccccc", source=Source(kind="person", principal="ann"))
    found = Deletion(
        fact=decision(), deleted=(decision(), ann), receipt=None, traces=traces,
        remaining=(decision(id="fbbbbbbbbbb", value="0", from_text="model planner"),),
    )  # fmt: skip

    assert plain(fact_delete_view.one(found, 80)) == [
        "deleted: faaaaaaaaaa  decision exit status: 3",
        "says the same, deleted too: fcccccccccc  decision exit status: 3",
        "no read shows it any more; `eunoe facts --all` and its history still do",
        "in its place now: fbbbbbbbbbb  decision exit status: 0 — from model planner",
        "",
        "trace     where                           what became of it",
        "document  permanent fact.shared.decision  closed",
        "context   thread builder, turn 7          kept in the log",
    ]


def test_what_was_deleted_before_is_said_to_be() -> None:
    """Its traces are listed all the same."""
    found = Deletion(fact=decision(state="deleted"), deleted=(), receipt=None)

    assert plain(fact_delete_view.one(found, 80))[0] == "deleted before: faaaaaaaaaa  decision exit status: 3"


def test_a_whole_place_is_counted_by_kind() -> None:
    """A dry run says that nothing was changed; what could not be deleted is named with the reason."""
    counted = ScopeDeletion("thread", "builder", 3, {"file": 1, "tests": 2}, dry_run=True)
    failed = Undeleted(view(), "it is of another place")
    done = ScopeDeletion("thread", "builder", 3, {"file": 1, "tests": 2}, dry_run=False, failed=(failed,))

    assert plain(fact_delete_view.whole(counted, 80)) == [
        "thread · builder: 3 facts (tests 2, file 1) would go; nothing was changed"
    ]
    assert plain(fact_delete_view.whole(done, 100)) == [
        "thread · builder: deleted 2 of 3 facts (tests 2, file 1)",
        "no read shows them any more; `eunoe facts --all` and their histories still do",
        "not deleted: faaaaaaaaaa: it is of another place",
    ]
    assert plain(fact_delete_view.whole(ScopeDeletion("session", "s", 0, {}, dry_run=False), 80)) == [
        "session · s: no facts here"
    ]


def test_a_dropped_preview_is_counted_owner_by_owner() -> None:
    """A line for each, and what all of them were; what could not be deleted is named."""
    failed = Undeleted(decision(), "not this one")
    places = (
        ScopeDeletion("permanent", "shared", 2, {"decision": 2}, False, (failed,), preview="trial"),
        ScopeDeletion("thread", "builder", 1, {"note": 1}, False, preview="trial"),
    )
    kinds = {"decision": 2, "note": 1}
    counted = PreviewDeletion("trial", 3, kinds, True, places)

    assert plain(fact_delete_view.whole(counted, 80))[:3] == [
        "permanent · shared: 2 facts (decision 2)",
        "thread · builder: 1 fact (note 1)",
        "preview trial: 3 facts (decision 2, note 1) would go; nothing was changed",
    ]
    dropped = plain(fact_delete_view.whole(PreviewDeletion("trial", 3, kinds, False, places), 80))
    assert dropped[2] == "preview trial: deleted 2 of 3 facts (decision 2, note 1)"
    assert dropped[-1] == f"not deleted: {failed.fact.id}: not this one"
    assert plain(fact_delete_view.whole(PreviewDeletion("trial", 0, {}, False), 80)) == ["preview trial: no facts here"]
    assert (
        plain(fact_delete_view.whole(places[1], 80))[0] == "thread · builder · preview trial: deleted 1 fact (note 1)"
    )


def test_ways_back_of_a_preview_name_it() -> None:
    """What was done in it is undone in it; what it took away comes back by taking it away no more."""
    tried = decision(identity=Identity("permanent", "shared", "decision", "exit status", preview="trial"), pinned=True)
    gone = decision(identity=tried.identity, value="", replaces="fccccccccccc", removes=True)
    moved = decision(identity=tried.identity, cites="fbbbbbbbbbb")

    assert plain(fact_changes_view.pinned(changed(tried)))[-1] == (
        "undo: eunoe fact pin faaaaaaaaaa --off --preview trial"
    )
    assert plain(fact_changes_view.approved(changed(tried)))[-1] == (
        "refuse it after all: eunoe fact delete faaaaaaaaaa --preview trial"
    )
    assert plain(fact_changes_view.moved(changed(moved)))[-1] == (
        "what it was before: eunoe fact history fbbbbbbbbbb --preview trial"
    )
    assert plain(fact_changes_view.stated(changed(tried, replaced=(gone,))))[-1] == (
        "undo: eunoe fact delete fccccccccccc --preview trial"
    )
