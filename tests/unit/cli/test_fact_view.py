"""Histories of facts as people read them."""

from __future__ import annotations

from typing import Any

from fact_views import NINE, TESTS, view
from views import plain

from eunoe.cli import fact_view
from eunoe.schemas.requests import ActView, FactReply


def act(**rest: Any) -> ActView:
    return ActView(
        **{"kind": "deleted", "target": "faaaaaaaaaa", "by": "person ada", "at": NINE, "position": 9, **rest}
    )


def lines(reply: FactReply) -> list[str]:
    """What follows the name and the place."""
    return plain(fact_view.history(reply, 80))[3:]


def test_a_history_is_told_oldest_first() -> None:
    """Each version has its time, value, sources, and what ended it."""
    versions = (
        view(value="failed", state="superseded", superseded_by="fbbbbbbbbbb", rule="rank", agent="ann"),
        view(id="fbbbbbbbbbb", version=2, supports=2, thread="builder", agent="ann"),
    )

    assert plain(fact_view.history(FactReply(identity=TESTS, versions=versions, current="fbbbbbbbbbb"), 80)) == [
        "tests make test",
        "thread · builder",
        "",
        "2026-01-31 09:05:07Z  failed",
        "  from tool bash, turn 1, entry 4 (agent ann)",
        "  faaaaaaaaaa, version 1, superseded by fbbbbbbbbbb (of higher rank)",
        "",
        "2026-01-31 09:05:07Z  passed",
        "  from tool bash, turn 1, entry 4 (agent ann, thread builder)",
        "  said 2 times",
        "  fbbbbbbbbbb, version 2, current",
    ]


def test_a_conflict_in_a_history_says_who_settles_it() -> None:
    """The value that leads is in conflict, the other is named."""
    version = view(conflict=True, others=("failed — from model",))

    assert lines(FactReply(identity=TESTS, versions=(version,), conflict=True, current=version.id)) == [
        "2026-01-31 09:05:07Z  passed",
        "  from tool bash, turn 1, entry 4",
        "  disagrees: failed — from model",
        "  faaaaaaaaaa, version 1, current, in conflict",
        "",
        "its sources disagree; the highest rank leads, then the newest",
    ]


def test_what_was_done_stands_between_the_versions_with_who_did_it() -> None:
    """A deletion comes after what it deletes, though both have one time, and before what was said later."""
    versions = (view(state="deleted"), view(id="fbbbbbbbbbb", version=2, at=NINE + 2000, position=12, value="failed"))
    reply = FactReply(
        identity=TESTS, versions=versions, acts=(act(position=4, reason="it never ran"),), current="fbbbbbbbbbb"
    )

    assert lines(reply) == [
        "2026-01-31 09:05:07Z  passed",
        "  from tool bash, turn 1, entry 4",
        "  faaaaaaaaaa, version 1, deleted",
        "",
        "2026-01-31 09:05:07Z  deleted by person ada: it never ran",
        "  of faaaaaaaaaa",
        "",
        "2026-01-31 09:05:09Z  failed",
        "  from tool bash, turn 1, entry 4",
        "  fbbbbbbbbbb, version 2, current",
    ]


def test_every_act_has_its_words() -> None:
    """Labels are named, a conflict names its facts, and what nobody gave a reason for has none."""
    acts = (
        act(kind="labelled", labels=("release", "infra")),
        act(kind="unpinned"),
        act(kind="raised", target="", by="worker facts", ids=("faaaaaaaaaa", "fbbbbbbbbbb")),
        act(kind="moved", reason="for everyone"),
    )

    assert [fact_view.act(found) for found in acts] == [
        "labelled by person ada: release, infra",
        "unpinned by person ada",
        "conflict raised by worker facts: faaaaaaaaaa, fbbbbbbbbbb",
        "moved by person ada: for everyone",
    ]


def test_when_nothing_is_in_force_it_is_said() -> None:
    """A fact that was deleted has a history and no value."""
    assert lines(FactReply(identity=TESTS, versions=(view(state="deleted"),), acts=(act(),)))[-1] == (
        "nothing of it is in force"
    )


def test_a_version_says_when_it_holds_what_it_carries_and_where_its_content_is() -> None:
    """Dates are dates, times are times, in the offset in which they were given; a time of acceptance is told where it
    is another one."""
    version = view(
        valid_from=1_767_225_600_000, valid_to=NINE, to_offset=-90, recorded=NINE + 60_000, labels=("release",),
        pinned=True, has_content=True, cites="fccccccccc2",
    )  # fmt: skip

    assert lines(FactReply(identity=TESTS, versions=(version,), current=version.id)) == [
        "2026-01-31 09:05:07Z  passed",
        "  from tool bash, turn 1, entry 4",
        "  recorded 2026-01-31 09:06:07Z",
        "  holds from 2026-01-01 until 2026-01-31 07:35:07-01:30",
        "  from the fact fccccccccc2",
        "  pinned",
        "  labels: release",
        "  content: eunoe fact history faaaaaaaaaa --thread builder --content",
        "  faaaaaaaaaa, version 1, current",
    ]


def test_what_ended_a_version_is_said_in_words() -> None:
    """The fact that took its place is named; one that holds at another time was ended by nobody."""
    assert fact_view.ended(view(state="approved", superseded_by="fbbbbbbbbbb")) == "approved: see fbbbbbbbbbb"
    assert fact_view.ended(view(state="superseded", superseded_by="fbbbbbbbbbb", rule="newer")) == (
        "superseded by fbbbbbbbbbb (newer)"
    )
    assert fact_view.ended(view(state="superseded", superseded_by="fbbbbbbbbbb", rule="past")) == "held before"
    assert fact_view.ended(view(state="superseded", rule="future")) == "holds later"
