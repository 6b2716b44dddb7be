"""What was distilled and summarised of turns is erased with them on a real server, and is done again without them."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.testing import NatsServer

pytestmark = pytest.mark.anyio

SETTLE_SECONDS = 60.0


@pytest.fixture
def settings(own_server: NatsServer, tmp_path: Path) -> Settings:
    return Settings(url=own_server.url, data=tmp_path / "data", role="person", principal="ada")


def holding(folder: Path, text: str) -> list[str]:
    """The files below a folder that hold a text."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [str(path.relative_to(folder)) for path in files if text.encode() in path.read_bytes()]


async def test_an_erased_turn_leaves_summary_and_facts(own_server: NatsServer, settings: Settings) -> None:
    """Three versions cover up to turns 3, 6 and 9, and turn 5 has a secret: the first is in force again, and the next
    one covers all nine turns without it. Of the facts only those of that turn go. No file has it any more."""
    secret = secrets.token_hex(8)
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        thread = memory.thread("t")
        for number in range(1, 10):
            word = secret if number == 5 else f"word{number}"
            async with thread.turn(f"Remember that the key number{number} is {word}.") as turn:
                await turn.reply("Noted.")
            if number % 3 == 0:
                await thread.distil(seconds=SETTLE_SECONDS)
        assert await fleet.settle(SETTLE_SECONDS)
        before = (await thread.summary(all=True)).versions
        known = [fact.value for fact in (await memory.facts(thread="t")).facts if secret in fact.value]

        erased = await memory.erase(thread="t", turns=[(5, 5)], reason="a key was pasted")

        after = await thread.summary(all=True)
        await thread.summarise(seconds=SETTLE_SECONDS)
        fresh = await thread.summary()
        left = [fact.value for fact in (await memory.facts(thread="t")).facts]
    own_server.stop()
    assert [one.last for one in before] == [3, 6, 9]
    assert secret in before[-1].text
    assert known
    assert (erased.state, erased.counts.entries, erased.counts.summaries) == ("done", 2, 2)
    assert ([one.last for one in after.versions], after.waiting) == ([3], 6)
    assert [(one.version, one.last, one.turns) for one in fresh.versions] == [(2, 9, ((1, 9),))]
    assert ("word4" in fresh.versions[0].text, secret in fresh.versions[0].text) == (True, False)
    assert any("word4" in value for value in left)
    assert not any(secret in value for value in left)
    assert holding(own_server.directory, secret) == []
