"""The bar that a context has to clear without any model: what it still holds of the scripted conversation."""

from __future__ import annotations

import pytest

from evaluation import live, scripted
from evaluation.scripted import Row
from evaluation.story import QUESTIONS
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


def given_by_tools(row: Row) -> list[str]:
    return [row.standings[question.name] for question in QUESTIONS if question.given == "tool"]
