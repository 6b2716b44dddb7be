"""Asking a model the questions, over HTTP, with what each strategy kept."""

from __future__ import annotations

from model_server import Reply
from remote_models import openai

from evaluation import asking, tables
from evaluation.scoring import Recalled
from evaluation.story import BUILD, CODENAME, QUESTIONS
from evaluation.strategies import Size

RECALLED = Recalled(
    entries={4: "it is copper lantern"}, turns={2: "nothing"}, facts={"tests make ci": "failed, then passed"}
)


async def test_a_right_answer_counts_and_a_stale_one_is_told_from_a_wrong_one() -> None:
    async with openai("Copper Lantern.", "Make CI failed.", "No idea.") as (model, _):
        right = await asking.ask(model, CODENAME, "which?", None)
        stale = await asking.ask(model, BUILD, "and now?", None)
        wrong = await asking.ask(model, BUILD, "and now?", None)

    assert [one.standing for one in (right, stale, wrong)] == ["context", "stale", "lost"]


async def test_a_model_with_the_memory_tool_is_given_one_recall() -> None:
    """What it recalls is added to what it was asked with, as a record; its second answer counts."""
    async with openai('I call memory with "recall entry 4".', "It is Copper Lantern.") as (model, server):
        answered = await asking.ask(model, CODENAME, "which?", RECALLED)

    assert answered.standing == "context"
    assert 'which?\n\n<eunoe-record kind="recalled"' in server.prompt(1)
    assert "it is copper lantern" in server.prompt(1)


async def test_a_model_without_it_is_asked_once() -> None:
    async with openai("recall entry 4") as (model, server):
        answered = await asking.ask(model, CODENAME, "which?", None)

    assert (answered.standing, len(server.asked)) == ("lost", 1)


def test_a_recall_is_of_an_entry_a_turn_or_a_fact_that_is_there() -> None:
    assert "it is copper lantern" in asking.recall("recall entry 4", RECALLED)
    assert "nothing" in asking.recall("I recall turn 2 first", RECALLED)
    assert "failed, then passed" in asking.recall('memory("recall fact tests make ci")', RECALLED)
    assert asking.recall("I recall that it was blue; recall entry 5", RECALLED) == ""


async def test_every_strategy_is_asked_every_question() -> None:
    """A model that always says the same is right once in seven; a failure is named and loses its question."""
    async with openai("It is CI is green.") as (model, server):
        rows = await asking.rows(model, [Size(8_192)])

    assert [row.strategy for row in rows] == ["dropping", "references", "references + facts", "the whole"]
    assert [row.count("context") for row in rows] == [1] * 4
    assert len(server.asked) == 28
    assert all("under which name does a station write" in server.prompt(at) for at in (6, 13, 20, 27))


async def test_a_model_that_fails_is_named_in_the_table() -> None:
    async with openai(Reply(status=401, message="bad key")) as (model, _):
        answered = await asking.ask(model, CODENAME, "which?", None)

    row = asking.Row("dropping", Size(8_192), dict.fromkeys((question.name for question in QUESTIONS), answered))
    assert answered.standing == "lost"
    assert answered.failure
    assert row.times is None
    assert answered.failure in tables.asked_table([row])
