"""The bar that a context has to clear without any model: what it still holds of the scripted conversation, before
anything is distilled and with what leaves distilled by rules."""

from __future__ import annotations

import pytest

from evaluation import live, scripted
from evaluation.scripted import Row
from evaluation.story import DETAIL, QUESTIONS
from evaluation.strategies import WHOLE, Size

HALF = tuple(Size(window, fill) for window in (8_192, 4_096) for fill in ("to half", "at half"))


@pytest.fixture(scope="module")
def alone() -> dict[tuple[str, Size], Row]:
    """Every strategy, composed by the rules alone."""
    return {(row.strategy, row.size): row for row in scripted.rows(HALF)}


@pytest.mark.parametrize("size", HALF, ids=str)
def test_dropping_has_at_most_one_answer_at_half_the_window(size: Size, alone: dict[tuple[str, Size], Row]) -> None:
    assert alone["dropping", size].count("context") <= 1


async def test_the_whole_has_what_tools_gave_and_every_other_answer_one_recall_away(
    alone: dict[tuple[str, Size], Row],
) -> None:
    """At half the window, on a real server with every worker, before anything is distilled. The rules alone give the
    same, so the strategies that are measured without a server are measured fairly."""
    async with live.place() as here:
        rows = await live.rows(here, HALF)

    for row in rows:
        assert given_by_tools(row) == ["context", "context"], row
        assert row.count("context", "recall") == len(QUESTIONS), row
    assert rows == [alone[WHOLE, size] for size in HALF]


async def test_what_is_distilled_by_rules_is_in_the_context_and_the_detail_one_recall_away() -> None:
    """At half the window, with every worker: all but what only a stored output holds, and the state of the build as it
    is now. Something was distilled and summarised at every size at which turns left."""
    async with live.place("rules") as here:
        rows = await live.rows(here, HALF, live.DISTILLED["rules"])
        works = await live.works(here, HALF, live.DISTILLED["rules"])

    for row in rows:
        assert [row.standings[one.name] for one in QUESTIONS if one.given != "output"] == ["context"] * 6, row
        assert row.standings[DETAIL.name] == "recall", row
    left = {row.size for row in rows if row.condensed}
    assert {work.size for work in works if work.facts and work.versions} >= left
    assert all(not work.failed and not work.set_aside for work in works)


def given_by_tools(row: Row) -> list[str]:
    return [row.standings[question.name] for question in QUESTIONS if question.given == "tool"]
