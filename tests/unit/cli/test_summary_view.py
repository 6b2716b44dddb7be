"""A running summary as lines."""

from __future__ import annotations

from views import plain

from eunoe.cli import summary_view
from eunoe.schemas.requests import SummaryReply, SummaryVersion

NINE = 1_769_850_307_000  # 2026-01-31 09:05:07 UTC

FIRST = SummaryVersion(
    version=1, position=40, index=1, last=3, turns=((1, 3),), entries=((1, 20),), at=NINE, by="rules", bytes=21,
    text="Turn 1: Fix the build.",
)  # fmt: skip
SECOND = SummaryVersion(
    version=2, position=60, index=0, last=6, turns=((1, 4), (6, 7)), entries=((1, 40), (44, 44)), at=NINE, by="model",
    model="small-1", bytes=1200, text="The build was fixed.\nThe tests pass.",
)  # fmt: skip


def test_the_summary_in_force_says_what_made_it_and_what_it_covers() -> None:
    """Its text as it is, under its version; how many turns wait for the next."""
    assert plain(summary_view.shown(SummaryReply(versions=(SECOND,), waiting=2), 80)) == [
        "version 2 by the model small-1, 2026-01-31 09:05, 1.2 KB",
        "covers turns 1-4, 6-7 (entries 1-40, 44)",
        "The build was fixed.",
        "The tests pass.",
        "",
        "2 committed turns wait for the next version",
    ]


def test_older_versions_come_first() -> None:
    lines = plain(summary_view.shown(SummaryReply(versions=(FIRST, SECOND), waiting=1, kept="no answer"), 80))

    assert lines[:4] == [
        "version 1 by rules, 2026-01-31 09:05, 21 B",
        "covers turns 1-3 (entries 1-20)",
        "Turn 1: Fix the build.",
        "",
    ]
    assert lines[-2:] == ["1 committed turn waits for the next version", "it was last left as it is: no answer"]


def test_no_summary_says_when_there_is_one() -> None:
    """It is written of three turns on that leave contexts, or when somebody asks for it."""
    assert plain(summary_view.shown(SummaryReply(waiting=12), 80)) == [
        "no summary yet of 12 committed turns: it is written once 3 or more of them leave",
        "contexts, or now by `eunoe summarise THREAD`",
    ]
    assert plain(summary_view.shown(SummaryReply(), 80)) == [
        "no summary yet: no turn is committed that it could tell of"
    ]
