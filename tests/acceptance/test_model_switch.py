"""A thread goes over to another model and back, with two composition workers at a real server."""

from __future__ import annotations

from typing import Any

import pytest

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas.context import Context, Format
from eunoe.schemas.errors import Misconfigured
from eunoe.testing import NatsServer

LARGE: dict[str, Any] = {"window": 32_768, "model": "openai:gpt-4o"}
SMALL: dict[str, Any] = {"window": 8192, "model": "claude-sonnet-4"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Nothing is distilled meanwhile, which would change what a context holds of before."""
    return settings.model_copy(update={"distiller": "off"})


def said(context: Context) -> list[str]:
    """What was asked in the turns that a context holds word for word."""
    return [one["content"] for one in context.messages if str(one.get("content")).startswith("question")]


@pytest.mark.parametrize("form", ["openai", "anthropic"])
async def test_switching_the_model_and_back_loses_nothing(memory: Memory, settings: Settings, form: Format) -> None:
    """What was literal is literal again, to the byte; no entry changed; whichever replica answers; and each context
    is found again as its turn saw it."""
    thread = memory.thread("t")
    async with running(settings, ["composition"]):
        for number in range(40):
            async with thread.turn(f"question {number}") as turn:
                await turn.reply(f"answer {number}: " + "word " * 680)
        before = (await thread.entries()).entries
        async with thread.turn("And now?") as turn:
            first = await turn.context(**LARGE)
            switched = [await turn.context(format=form, **SMALL) for _ in range(4)]
            back = [await turn.context(**LARGE) for _ in range(4)]
            await turn.reply("Done.")
        seen = await thread.context(turn=41)

    assert (first.counter, {one.counter for one in switched}) == ("o200k_base", {"bytes/4"})
    assert said(first) == [f"question {number}" for number in range(40 - len(said(first)), 40)]
    assert [one.messages for one in back] == [first.messages] * 4
    assert [one.messages for one in switched] == [switched[0].messages] * 4
    assert 1 < first.recipe.first_turn < switched[0].recipe.first_turn
    assert (seen.messages, seen.counter, seen.differs) == (first.messages, "o200k_base", "")
    assert (await thread.entries()).entries[: len(before)] == before


async def test_a_vocabulary_that_is_not_there_is_refused_at_start(settings: Settings) -> None:
    """In one line that names those that are, before anything is asked."""
    wrong = settings.model_copy(update={"counters": {"house-*": "o300k"}})

    with pytest.raises(Misconfigured, match=r"'house-\*' the vocabulary 'o300k', .* there are bytes/4, cl100k_base, "):
        async with running(wrong, ["audit", "composition"]):
            pass


async def test_a_setting_gives_a_model_its_vocabulary(nats_server: NatsServer, settings: Settings) -> None:
    """A model of one's own is counted by the vocabulary that the configuration names."""
    own = settings.model_copy(update={"counters": {"house-*": "qwen3"}})
    async with running(own), Memory.connect(settings=own) as memory:
        found = [await memory.thread("t").context(model=model, prompt="1234567") for model in ("house-7", "other")]

    assert [one.counter for one in found] == ["qwen3", "bytes/4"]
