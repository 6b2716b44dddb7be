"""Reviews end to end: a turn is committed, and what it leaves is a record of its agent that another thread finds."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from model_server import ModelServer, serving
from polling import until_found

from eunoe.client import Memory
from eunoe.runtime.review_settings import Review
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet

RULE = "Ada wants a failing test before a fix"
FOUND = {"action": "add", "kind": "guidance", "text": RULE, "turn": 1, "reason": "she said so"}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with serving(json.dumps([FOUND])) as server:
        yield server


@pytest.fixture
def settings(settings: Settings, model: ModelServer) -> Settings:
    """Reviews of every turn, and nothing else that asks a model."""
    given = {"model": "openai:small", "model_url": model.url, "distiller": "rules", "review": Review(every="turn")}
    return settings.model_copy(update=given)


async def test_a_turn_leaves_a_record_of_its_agent(
    settings: Settings, memory: Memory, fleet: Fleet, model: ModelServer
) -> None:
    """Extraction asks for the review, distillation does it, and the session has the record; no context shows it as a
    fact, and a second turn that says the same adds nothing."""
    agent = settings.model_copy(update={"role": "agent", "principal": "builder"})
    async with Memory.connect(settings=agent) as builder:
        async with builder.thread("fixes", session="s").turn("A failing test first, please.") as turn:
            await turn.reply("Yes.")

        async def kept() -> bool:
            return bool((await memory.facts(scope="session", session="s")).facts)

        await until_found(kept, "the review leaves a record")
        async with builder.thread("more", session="s").turn("And a failing test before this fix.") as turn:
            context = await turn.context(window=4_096)
            await turn.reply("Yes.")

        async def again() -> bool:
            return fleet.statistics()["distillation"]["records_skipped"] == 1

        await until_found(again, "the second review skips what it was given")
    (record,) = (await memory.facts(scope="session", session="s")).facts
    assert (record.value, record.identity.subject, record.source.principal) == (RULE, "guidance", "builder")
    assert RULE not in str(context.messages)
    assert f"{record.id} (yours) guidance: {RULE}" in model.prompt()
