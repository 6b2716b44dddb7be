"""Who writes summaries: the configured model, or rules where there is none, whether facts are distilled or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_server import Reply, serving
from summarising_desks import SUMMARISING, SummarisingDesk

from eunoe.runtime.settings import Settings
from eunoe.schemas.distilled_events import Summarised
from eunoe.schemas.errors import Misconfigured
from eunoe.summarising.choosing import chosen
from eunoe.summarising.worker import SummarisingWorker

MODEL = {"model": "openai:small-model", "model_url": "http://127.0.0.1:9/v1", "model_key": "k"}


@pytest.mark.parametrize(
    ("settings", "by"),
    [
        ({}, "rules"),
        ({"distiller": "rules"}, "rules"),
        ({"distiller": "off"}, "rules"),
        (MODEL, "model"),
        ({**MODEL, "distiller": "model"}, "model"),
        ({**MODEL, "distiller": "rules"}, "rules"),
        ({**MODEL, "distiller": "off"}, "model"),
    ],
)
async def test_the_settings_say_who_writes(settings: dict[str, str], by: str) -> None:
    """A model is opened only where it is asked."""
    found = chosen(Settings.model_validate(settings))

    assert found.summariser.by == by
    assert (found.model is not None) == (by == "model")
    await found.summariser.close()


def test_a_model_that_is_not_there_is_said_at_once() -> None:
    """With what to set."""
    with pytest.raises(Misconfigured, match="EUNOE_DISTILLER is model, and no model is configured; set EUNOE_MODEL"):
        chosen(Settings(distiller="model"))


async def test_a_configured_model_is_asked_and_named(tmp_path: Path) -> None:
    """What it took is told with the summary."""
    with serving(Reply("They order chairs and paint doors.")) as server:
        desk = SummarisingDesk(
            tmp_path, summary="apart", model="openai:small-model", model_url=server.url, model_key="k"
        )
        async with desk.projecting():
            await desk.said("Order chairs.", "Paint doors.", "Thanks.")
            worker = SummarisingWorker(desk.store, desk.auditor(SUMMARISING), desk.settings, desk.clock)
            await worker.handle(await desk.wanted(3))
            await worker.drain()

        (event,) = await desk.told()
    assert isinstance(event, Summarised)
    assert (event.text, event.by) == ("They order chairs and paint doors.", "model")
    assert (event.effort.calls, event.effort.input_tokens, event.effort.output_tokens) == (1, 120, 15)
    assert "Order chairs." in server.prompt()
