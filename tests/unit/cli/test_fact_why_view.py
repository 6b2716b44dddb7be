"""Why a fact is known, as people read it."""

from __future__ import annotations

from typing import Any

from fact_views import view
from views import plain

from eunoe.cli import fact_why_view
from eunoe.schemas.requests import Evidence, Use, WhyReply

RESULT = Evidence(
    id="faaaaaaaaaa", thread="my builder", turn=1, entry=4, kind="tool.result", tool="bash", position=9,
    start=120, end=155, size=14_336, text="155 passed in 6.58s\n\x1b[31mdone", literal=True, value=(124, 130),
)  # fmt: skip


def lines(**rest: Any) -> list[str]:
    return plain(
        fact_why_view.why(
            WhyReply(fact=view(from_text="tool bash, turn 1, entry 4"), because="it is the only value", **rest), 80
        )
    )


def test_a_fact_leads_to_the_bytes_it_came_from_and_the_requests_that_read_it() -> None:
    """Thread, turn, entry and bytes, the text itself harmless to a terminal, and commands that show more."""
    used = (Use(thread="my builder", turn=7, context="c7"), Use(thread="reviewer", turn=2, context="c2"))

    assert lines(evidence=(RESULT,), used=used, uses=2) == [
        "tests make test",
        "thread · builder",
        "passed",
        "faaaaaaaaaa, version 1, current",
        "",
        "why: it is the only value",
        "",
        "where it came from",
        "  thread my builder, turn 1, entry 4 (result of bash), bytes 120 to 155 of",
        "  14,336",
        "  │ 155 passed in 6.58s",
        "  │ \\x1b[31mdone",
        "  whole: eunoe show 'my builder' 4",
        "",
        "read in 2 requests",
        "  thread my builder, turn 7: eunoe context 'my builder' 7",
        "  thread reviewer, turn 2: eunoe context reviewer 2",
        "every version: eunoe fact history faaaaaaaaaa --thread builder",
    ]


def test_a_fact_that_was_stated_names_its_place_in_the_log() -> None:
    """It came from no entry; a fact that it cites is named, and that nobody has read it yet is said."""
    proposal = view(id="fbbbbbbbbbb", state="approved", from_text="model planner, turn 3")

    assert lines(cited=(proposal,))[7:] == [
        "where it came from",
        "  tool bash, turn 1, entry 4, at position 4 of the log",
        "  from the fact fbbbbbbbbbb (thread · builder): passed — from model planner,",
        "  turn 3",
        "",
        "no request has read it yet",
        "every version: eunoe fact history faaaaaaaaaa --thread builder",
    ]


def test_what_is_missing_is_said_where_it_would_stand() -> None:
    """An entry that was erased has no text, and the reason stands in its place."""
    gone = Evidence(id="faaaaaaaaaa", thread="t", turn=1, entry=4, kind="prompt", position=9, missing="it was erased")

    assert lines(evidence=(gone,))[8:10] == ["  thread t, turn 1, entry 4 (prompt)", "  it was erased"]


def test_many_requests_are_counted_and_the_newest_listed() -> None:
    """Ten lines at most."""
    used = tuple(Use(thread="t", turn=100 - index, context="c") for index in range(30))

    found = lines(used=used, uses=64)

    at = found.index("read in 64 requests, the newest 10 of them")
    assert found[at + 1] == "  thread t, turn 100: eunoe context t 100"
    assert found[at + 10 :] == [
        "  thread t, turn 91: eunoe context t 91",
        "every version: eunoe fact history faaaaaaaaaa --thread builder",
    ]
