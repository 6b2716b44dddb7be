"""Updating a summary with a model over HTTP, in a call of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from drawing import WINDOW, batch
from model_server import NAME, ModelServer, Reply
from remote_models import openai

from eunoe.distillation.door import Summariser
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.errors import ModelFailed
from eunoe.summarising.by_model import ModelSummariser

TEXT = "Tests are looked at.\nPostgres 16 is used."


@asynccontextmanager
async def summarising(*replies: Reply | str) -> AsyncIterator[tuple[Summariser, ModelServer]]:
    async with openai(*replies) as (model, server):
        summariser = ModelSummariser(model, WINDOW)
        yield summariser, server
        await summariser.close()


async def test_the_summary_is_updated_with_every_turn_of_the_batch() -> None:
    """The model sees what there was, what was said since and what was called, and how long it may be."""
    async with summarising(TEXT) as (summariser, server):
        assert summariser.by == "model"
        text, effort = await summariser.update(batch())

    assert text == TEXT
    assert effort == Effort(model=NAME, calls=1, input_tokens=120, output_tokens=15, ms=effort.ms)
    assert server.asked[0]["temperature"] == 0
    assert server.asked[0]["max_tokens"] == 333 + 64
    prompt = server.prompt()
    for shown in (
        "<summary>\nTests are looked at.\n</summary>",
        "<person>Please look at the tests.</person>",
        '<called>Bash {"command": "pg_lsclusters"}</called>',
        "<model>Gut.</model>",
        "at most 1,000 characters",
    ):
        assert shown in prompt


@pytest.mark.parametrize(
    "said",
    [
        f"  {TEXT}\n",
        f"```\n{TEXT}\n```",
        f"<think>Hm.</think>{TEXT}",
        '{"summary": "Tests are looked at.\\nPostgres 16 is used."}',
        '```json\n{"summary": "Tests are looked at.\\nPostgres 16 is used."}\n```',
        f"\x1b{TEXT}\x00",
    ],
)
async def test_the_text_is_taken_out_of_what_is_around_it(said: str) -> None:
    """A fence, thoughts, an object, and control characters."""
    async with summarising(said) as (summariser, _):
        assert (await summariser.update(batch()))[0] == TEXT


async def test_a_summary_is_kept_to_its_size() -> None:
    """Its first line and its newest ones stay."""
    lines = [f"Line {at} of the summary is here." for at in range(40)]
    async with summarising("\n".join(lines)) as (summariser, _):
        text, _ = await summariser.update(batch(size=200))

    assert len(text.encode()) <= 200
    assert text.split("\n")[0] == lines[0]
    assert text.split("\n")[-1] == lines[-1]


@pytest.mark.parametrize(
    ("reply", "reason", "said"),
    [
        (Reply(), "empty", "answered with nothing"),
        (Reply("Tests are", finish="length"), "cut_off", "was cut off after 15 tokens"),
        (Reply("<think>On and on"), "unreadable", "cannot be used: the model gave no whole summary"),
        (Reply('{"summary": "So fa'), "unreadable", "cannot be used: the model gave no whole summary"),
        (Reply('{"summary": ["a"]}'), "unreadable", "cannot be used: the summary is no text"),
        (Reply('{"summary": " "}'), "unreadable", "cannot be used: the summary is empty"),
        (Reply('{"summary": "\\ud83d"}'), "unreadable", "cannot be used: the summary holds half a character"),
        (Reply("```\n\n```"), "unreadable", "cannot be used: the summary is empty"),
        (Reply(refusal="No."), "refused", "refused to answer"),
        (Reply(status=400, message="too long"), "rejected", "does not take the request"),
    ],
)
async def test_without_a_whole_summary_there_is_none(reply: Reply, reason: str, said: str) -> None:
    """What an answer that is cut off has not come to is the newest, so that is none either."""
    async with summarising(reply) as (summariser, server):
        with pytest.raises(ModelFailed) as failed:
            await summariser.update(batch())

    assert failed.value.detail["reason"] == reason
    assert said in str(failed.value)
    assert len(server.asked) == 1


async def test_a_server_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DISTILLED_SECONDS", 0.2)
    async with summarising(Reply(hold=True)) as (summariser, _):
        with pytest.raises(ModelFailed) as failed:
            await summariser.update(batch())

    assert failed.value.detail["reason"] == "timeout"
