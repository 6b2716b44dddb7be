"""A run over the facts as people read it."""

from __future__ import annotations

from views import plain

from eunoe.cli import rebuild_view
from eunoe.schemas.requests import Difference, RebuildRun


def run(**about: object) -> RebuildRun:
    return RebuildRun(v=1, id="r", holder="h", **about)  # type: ignore[arg-type]  # fields of the struct


def shown(made: RebuildRun) -> list[str]:
    return plain(rebuild_view.page(rebuild_view.rebuilt(made), 80))


def test_facts_that_were_made_again_say_of_which_generation_they_are() -> None:
    made = run(phase="done", generation=3, records=12_345, documents=678)

    assert shown(made) == ["the facts were made again: 678 documents from 12,345 records, generation 3"]


def test_a_check_that_found_nothing_says_so() -> None:
    """The set that was compared is dropped: the generation in use is the one before."""
    made = run(phase="done", check=True, generation=3, records=2, documents=4)

    assert shown(made) == ["the facts are what the log says: 4 documents from 2 records"]
    assert rebuild_view.rebuilt(made).generation == 2


def test_what_differs_is_listed_and_the_rest_counted() -> None:
    """Two of three are named; control characters of a key cannot steer a terminal."""
    differing = (
        Difference(scope="permanent", key="fact.shared.entity.a", what="missing"),
        Difference(scope="thread", key="fact.t.tests.\x1b", what="extra"),
    )
    lines = shown(run(check=True, records=9, documents=8, differences=3, differing=differing))

    assert lines[0] == "3 documents are not what the log says; `eunoe rebuild facts` mends that"
    assert [line.split()[:2] for line in lines[2:5]] == [
        ["bucket", "key"],
        ["permanent", "fact.shared.entity.a"],
        ["thread", "fact.t.tests.\\x1b"],
    ]
    assert lines[-1] == "and 1 more"


def test_progress_is_told_in_tenths() -> None:
    """So that a line is said ten times, and not a thousand."""
    assert rebuild_view.progress(run(phase="building", records=4_999, of=10_000)) == "building: 40 % of 10,000 records"
    assert rebuild_view.progress(run(phase="building", records=0, of=0)) == "building: 0 % of 0 records"
    assert rebuild_view.progress(run(phase="sealing")) == "sealing"
