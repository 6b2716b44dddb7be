"""All workers and a client on a store that is full for a while."""

from __future__ import annotations

from pathlib import Path

import pytest
from fullness import filled, limited

from eunoe.client import Memory
from eunoe.runtime.connection import connect
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas.subjects import Caller


@pytest.mark.usefixtures("nats_server")  # skips where there is none
async def test_what_a_full_store_cannot_take_is_kept_and_delivered_later(tmp_path: Path) -> None:
    """An outbox keeps the turn and its journal, no worker ends and nothing is laid aside; with room it is delivered."""
    server = limited(tmp_path / "nats")
    server.start()
    settings = Settings(url=server.url, data=tmp_path / "data", role="person", principal="ada")
    journal = tmp_path / "outbox.jsonl"
    try:
        async with (
            running(settings) as fleet,
            await connect(server.url, caller=Caller("worker", "test")) as connection,
            Memory.connect(settings=settings, outbox=journal) as memory,
        ):
            memory.patience = 0.5
            async with filled(connection), memory.thread("t").turn("x" * 150_000) as turn:
                receipt = await turn.reply("y" * 150_000)
            kept = journal.stat().st_size
            left = await memory.flush(30.0)
            said = [entry.content[:1] for entry in (await memory.thread("t").entries()).entries]
            assert await fleet.settle()
            dead = [counts.get("dead", 0) for counts in fleet.statistics().values()]
    finally:
        server.stop()

    assert receipt.kept
    assert kept > 300_000
    assert left == 0
    assert said == ["x", "y"]
    assert sum(dead) == 0
