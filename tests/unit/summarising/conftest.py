"""A thread that is summarised apart, and nobody who waits between two attempts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from summarising_desks import SummarisingDesk


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[SummarisingDesk]:
    desk = SummarisingDesk(tmp_path, distiller="off", summary="apart")
    async with desk.projecting():
        yield desk


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between attempts, and while a model is away, nobody has to wait here."""
    monkeypatch.setattr("eunoe.distillation.trying.backoff", lambda *_, **__: 0.0)
    monkeypatch.setattr("eunoe.distillation.outage.waits", lambda: iter([0.0] * 1_000))
