"""Drawing facts with a model over HTTP: every way in which a model, or the way to it, goes wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from drawing import WINDOW, answer, batch, fact, task
from model_server import NAME, ModelServer, Reply
from remote_models import openai

from eunoe.distillation.by_model import ModelDistiller
from eunoe.distillation.door import Distiller, Drawn, Item
from eunoe.models import effort
from eunoe.models.door import Answer, Usage
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Effort, SetAside
from eunoe.schemas.errors import ModelFailed

DATABASE = Item("decision", "database", "Postgres 16", "person", 3, (5,), 5_000)
LANGUAGE = Item("preference", "language", "German", "person", 4, (9,), 9_000)
GOOD, OTHER = answer(fact())[11:-2], answer(fact(subject="preference", name="language", value="German", turn=4))[11:-2]
SUMMARY = "Tests are looked at. Postgres 16 is used."
NO_CODE = f"no valid JSON: invalid \\u{'X' * 4} escape"


@asynccontextmanager
async def distilling(*replies: Reply | str) -> AsyncIterator[tuple[Distiller, ModelServer]]:
    async with openai(*replies) as (model, server):
        distiller = ModelDistiller(model, WINDOW)
        yield distiller, server
        await distiller.close()


async def drawn(reply: Reply | str) -> Drawn:
    """What comes of both turns and the summary when the model answers so."""
    async with distilling(reply) as (distiller, server):
        found = await distiller.draw(task(batch()))
    assert len(server.asked) == 1
    return found


async def failure(reply: Reply | str, times: int = 1) -> ModelFailed:
    async with distilling(reply) as (distiller, server):
        with pytest.raises(ModelFailed) as failed:
            await distiller.draw(task(batch()))
    assert len(server.asked) == times
    assert "\n" not in str(failed.value)
    return failed.value


async def test_facts_and_summary_come_in_one_call_that_says_what_it_took() -> None:
    """The model as its provider names it, its tokens and the time; no cost where no price is known."""
    async with distilling(answer(fact(), summary=SUMMARY)) as (distiller, server):
        assert distiller.by == "model"
        found = await distiller.draw(task(batch()))

    took = Effort(model=NAME, calls=1, input_tokens=120, output_tokens=15, ms=found.effort.ms)
    assert found == Drawn(items=(DATABASE,), summary=SUMMARY, effort=took)
    assert server.asked[0]["temperature"] == 0
    assert server.asked[0]["max_tokens"] == 900 + 333 + 64
    system, user = server.asked[0]["messages"]
    assert system["content"].startswith("You read turns of a conversation")
    assert "We use Postgres 16 from now on." in user["content"]


def test_cost_is_kept_in_millionths() -> None:
    """Of a US dollar, as far as it is known."""
    made: Answer[Any] = Answer("x", NAME, Usage(120, 15, Decimal("0.0001954")), ms=7)

    assert effort.of(made) == Effort(model=NAME, calls=1, input_tokens=120, output_tokens=15, cost=195, ms=7)


@pytest.mark.parametrize(
    "text",
    [
        f'note {{x}}: {{"facts": [{GOOD}, {OTHER}], "summary": "{SUMMARY}"}} [done]',
        f'```json\n{{"facts": [{GOOD}, {OTHER}], "summary": "{SUMMARY}"}}\n```',
        f'{{"facts": [{GOOD}]}}\n\n{{"facts": [{OTHER}], "summary": "{SUMMARY}"}}',
        f'{GOOD}\n{OTHER}\n{{"summary": "{SUMMARY}"}}',
        f'<think>Is it {{"facts": [7]}}?</think>{{"facts": [{GOOD}, {OTHER}], "summary": "{SUMMARY}"}}',
    ],
    ids=["prose", "fence", "objects", "lines", "thoughts"],
)
async def test_an_answer_is_found_in_what_is_around_it(text: str) -> None:
    """Nothing is lost, and nothing is set aside."""
    found = await drawn(text)

    assert (found.items, found.set_aside, found.summary) == ((DATABASE, LANGUAGE), (), SUMMARY)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (GOOD.replace("16", r"\x16"), r"no valid JSON: invalid \escape"),
        (GOOD.replace("16", r"\u12"), NO_CODE),
        (GOOD.replace("16", r"\ud83d"), "its value holds half a character, U+D83D"),
        (GOOD.replace("16", r"\u0000"), "its value holds the control character U+0000"),
        (GOOD.replace("16", "\x1b[0m"), "its value holds the control character U+001B"),
        (answer(fact(speaker=None))[11:-2], "it has no speaker"),
        (answer(fact(value=["Postgres 16"]))[11:-2], "its value is no text"),
        (answer(fact(turn="last"))[11:-2], "its turn is no number"),
        (answer(fact(turn=5))[11:-2], "turn 5 is none of those that were asked about"),
        (answer(fact(subject="weather"))[11:-2], 'there is no kind "weather" to distil'),
        (answer(fact(value=""))[11:-2], "its value is empty"),
        ('"Postgres 16"', "a fact must be an object"),
        ("null", "a fact must be an object"),
    ],
)
async def test_one_bad_fact_costs_no_other_and_not_the_summary(bad: str, reason: str) -> None:
    """It is set aside with its text and what is wrong with it."""
    found = await drawn(f'{{"facts": [{GOOD}, {bad}, {OTHER}], "summary": "{SUMMARY}"}}')

    assert found.items == (DATABASE, LANGUAGE)
    assert found.set_aside == (SetAside(text=bad, reason=reason),)
    assert found.summary == SUMMARY


async def test_what_was_set_aside_can_be_kept_in_the_log() -> None:
    """Whatever characters it has."""
    odd = "\x00\x1b\u2028\u0085 \U0001f600"
    found = await drawn(f'{{"facts": [{GOOD}, {{"name": "{odd}"}}]}}')

    (aside,) = found.set_aside
    assert msgspec.json.decode(msgspec.json.encode(aside), type=SetAside) == aside
    assert aside.text == f'{{"name": "{odd}"}}'


@pytest.mark.parametrize(
    "value",
    ["a ```json fence```", "{braces} [and] brackets", 'a \\"quoted\\" word', "</think> tag", "<think>x</think>y"],
)
async def test_marks_of_an_answer_inside_of_a_value_are_words(value: str) -> None:
    found = await drawn(f'{{"facts": [{GOOD.replace("Postgres 16", value)}], "summary": "{SUMMARY}"}}')

    assert [item.value for item in found.items] == [value.replace("\\", "")]
    assert found.summary == SUMMARY


@pytest.mark.parametrize("finish", ["length", "stop"])
async def test_of_an_answer_that_is_cut_off_what_is_whole_is_kept(finish: str) -> None:
    """At whatever byte it ends, and whether the server says so or not; nothing whole is a failure."""
    whole = f'{{"facts": [{GOOD}, {OTHER}], "summary": "{SUMMARY}"}}'
    ends = [whole.index(one) + len(one) for one in (GOOD, OTHER)]
    replies = [Reply(whole[:at], finish=finish) for at in range(len(whole))]

    async with distilling(*replies) as (distiller, _):
        for at in range(len(whole)):
            kept = sum(at >= end for end in ends)
            try:
                found = await distiller.draw(task(batch()))
            except ModelFailed as failed:
                assert kept == 0
                reason = "empty" if not at and finish == "stop" else "unreadable" if finish == "stop" else "cut_off"
                assert failed.detail["reason"] == reason  # noqa: PT017 - as above
            else:
                assert found.items == (DATABASE, LANGUAGE)[:kept]
                assert found.summary == (SUMMARY if at >= len(whole) - 1 else None)


async def test_the_broken_end_of_an_answer_is_set_aside() -> None:
    found = await drawn(Reply(f'{{"facts": [{GOOD}, {OTHER[:50]}', finish="length"))

    assert found.items == (DATABASE,)
    assert found.set_aside == (SetAside(text=OTHER[:50], reason="cut off"),)
    assert (found.summary, found.kept) == (None, "the model gave no whole summary")


async def test_that_there_is_nothing_to_note_is_an_answer() -> None:
    found = await drawn(answer(summary=SUMMARY))

    assert (found.items, found.set_aside, found.summary) == ((), (), SUMMARY)


@pytest.mark.parametrize(
    ("reply", "reason", "said", "times"),
    [
        (Reply(), "empty", "answered with nothing", 1),
        (Reply("<think>Hm.</think>"), "empty", "answered with nothing", 1),
        (Reply("null"), "unreadable", "answered without any facts: 'null'", 1),
        (Reply("Sure! The facts are clear."), "unreadable", "answered without any facts: 'Sure!", 1),
        (Reply('{"facts": "none"}'), "unreadable", "can be used (facts must be a list)", 1),
        (Reply(answer(fact(value=None))), "unreadable", "can be used (it has no value)", 1),
        (Reply(answer(fact(turn=[3]))), "unreadable", "can be used (its turn is no number)", 1),
        (Reply("[" * 100_000), "unreadable", "answered without any facts: '[[[", 1),
        (Reply("", finish="length"), "cut_off", "was cut off after 15 tokens", 1),
        (Reply(refusal="I can't help with that."), "refused", "refused to answer", 1),
        (Reply(status=400, message="too long"), "rejected", "does not take the request (400): 'too long'", 1),
        (Reply(status=429, message="slow down"), "rate_limited", "is asked too much (429): 'slow down'", 3),
        (Reply(status=500, message="oops"), "server", "fails (500): 'oops'", 3),
        (Reply(drop=True), "unreachable", "cannot be reached, or breaks off", 3),
        (Reply(answer(fact()), broken=True), "unreachable", "cannot be reached, or breaks off", 3),
    ],
)
async def test_without_a_usable_answer_the_reason_is_told(reply: Reply, reason: str, said: str, times: int) -> None:
    """After the attempts that it is worth."""
    failed = await failure(reply, times)

    assert failed.detail["reason"] == reason
    assert said in str(failed)


async def test_a_server_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time that a distillation may take."""
    monkeypatch.setattr(limits, "DISTILLED_SECONDS", 0.2)

    assert (await failure(Reply(hold=True))).detail["reason"] == "timeout"


async def test_what_passes_by_itself_is_no_failure() -> None:
    """Too many requests, a server that stumbles, a connection that breaks off, and then an answer."""
    async with distilling(Reply(status=429), Reply(answer(fact()), broken=True), answer(fact())) as (distiller, server):
        found = await distiller.draw(task())

    assert found.items == (DATABASE,)
    assert (found.effort.calls, len(server.asked)) == (1, 3)
    assert limits.MODEL_RETRIES == 2
