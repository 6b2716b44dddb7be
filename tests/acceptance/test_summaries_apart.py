"""Summaries apart over a real server, with every worker: written ahead of need, shown where turns left, on demand."""

from __future__ import annotations

from pathlib import Path

import pytest

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.testing import NatsServer

SETTLE_SECONDS = 60.0
REPLY = "The lorry for crate {} is loaded. " + "It is heavy and slow, and it waits at the gate. " * 12


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    return Settings(
        url=nats_server.url, space=space, data=tmp_path, role="person", principal="ada", distiller="off",
        summary="apart",
    )  # fmt: skip


async def test_turns_that_leave_are_in_the_summary_though_nobody_distils(settings: Settings) -> None:
    """The context of the last turn has the summary, with the first turn that left; asked for, it covers every turn."""
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        thread, given = memory.thread("harbour"), []
        for number in range(1, 25):
            async with thread.turn(f"Please load crate {number} for Bergen.") as turn:
                given.append(await turn.context(window=2_048))
                await turn.reply(REPLY.format(number))
            if number % 8 == 0:
                assert await fleet.settle(SETTLE_SECONDS)
        before = await thread.summary()
        done = await thread.summarise(seconds=SETTLE_SECONDS)
        after = await thread.summary()

    context, recipe = given[-1], given[-1].recipe
    assert recipe.left > 3
    assert recipe.summary is not None
    assert "Turn 1: person: Please load crate 1 for Bergen." in context.messages[0]["content"]
    assert before.waiting > 0
    assert before.versions[-1].last >= 3
    assert done.state == "done"
    (version,) = after.versions
    assert (version.last, version.turns, version.by, after.waiting) == (24, ((1, 24),), "rules", 0)
    assert version.text.startswith("Turn 1: person: Please load crate 1 for Bergen.\n")
    assert version.text.endswith("\nTurn 24: model: The lorry for crate 24 is loaded.")
