"""A real language model on this machine distils a thread, over HTTP and into the log.

What it says is worth nothing, so small is it: that it was asked, that its answer was read, and what that took.
"""

from __future__ import annotations

from pathlib import Path

import local_model

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.testing import NatsServer

WORKERS = ("audit", "extraction", "facts", "distillation")
SAID = ("We use Postgres 16 from now on.", "I prefer short answers.", "The port is 5433.")


async def test_a_local_model_distils_a_thread(nats_server: NatsServer, space: str, tmp_path: Path) -> None:
    """Facts with their source and the summary stand in one record, with the model's name, its tokens and the time."""
    with local_model.serving() as url:
        settings = Settings(
            url=nats_server.url,
            space=space,
            data=tmp_path,
            role="person",
            principal="ada",
            model=f"openai:{local_model.NAME}",
            model_url=url,
            model_window=local_model.WINDOW,
        )
        async with running(settings, WORKERS), Memory.connect(settings=settings) as memory:
            thread = memory.thread("work")
            for prompt in SAID:
                async with thread.turn(prompt) as turn:
                    await turn.reply("Very well.")
            reply = await thread.distil(seconds=90)
            told = await thread.distillations()
            summary = await thread.summary()

    assert (reply.state, reply.up_to) == ("done", 3)
    (made,) = told.distillations
    assert (made.kind, made.by, made.turns, made.failed) == ("distilled", "model", ((1, 3),), "")
    assert len(made.facts) + len(made.set_aside) == 1
    assert made.summary == "updated"
    (version,) = summary.versions
    assert (version.by, version.model, version.turns) == ("model", local_model.NAME, ((1, 3),))
    assert version.text
    assert (made.effort.model, made.effort.calls, made.effort.cost) == (local_model.NAME, 1, None)
    assert made.effort.input_tokens > 300
    assert made.effort.output_tokens > 20
    assert made.effort.ms > 0
