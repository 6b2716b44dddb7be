"""The client with a server of its own, and with one that goes away."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eunoe.audit.verify import Verifier
from eunoe.client import Memory, receipts
from eunoe.client.sync import Memory as SyncMemory
from eunoe.runtime.session import session
from eunoe.runtime.settings import Settings
from eunoe.schemas.events import ToolCall, ToolResult
from eunoe.testing import nats_server_binary

OWNER = """
import sys, anyio
from pathlib import Path
from eunoe.client import Memory
from eunoe.runtime.settings import Settings

async def own(data):
    async with Memory.connect(settings=Settings(data=Path(data)), embedded=True) as memory:
        async with memory.thread("t").turn("from the owner"):
            pass
        print("up", flush=True)
        await anyio.sleep_forever()

anyio.run(own, sys.argv[1])
"""
pytestmark = pytest.mark.skipif(
    nats_server_binary() is None and not os.environ.get("CI"), reason="there is no nats-server"
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", role="caller", principal="script")


@pytest.fixture
def owner(settings: Settings) -> Iterator[subprocess.Popen[str]]:
    """Another process that runs the embedded server of the folder."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(settings.data)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
        process.kill()


async def test_a_context_reflects_what_this_client_wrote(settings: Settings) -> None:
    """The second turn's context holds the first turn, and a fact stated just before."""
    async with Memory.connect(settings=settings, embedded=True) as memory:
        thread = memory.thread("release", agent="builder")
        async with thread.turn("Add a flag.") as turn:
            await turn.call("bash", {"command": "make test"})
            await turn.result("3 passed", exit_status=0)
            await turn.reply("It is there.")
        await memory.state_fact("decision", "colour", "green")
        async with thread.turn("Which colour?") as turn:
            context = await turn.context(window=4096, format="text")

    assert "Add a flag." in context.messages
    assert "decision colour: green" in context.messages
    assert context.messages.rstrip().endswith("Which colour?\n</eunoe-user>")
    assert context.stale == ()


async def test_facts_by_people_are_stated_approved_and_deleted(settings: Settings, tmp_path: Path) -> None:
    """An agent proposes, a person approves, and deletes; each shows in the next read."""
    async with Memory.connect(settings=settings, embedded=True, role="agent", principal="builder") as memory:
        proposed = await memory.state_fact("decision", "flag", "--dry-run", thread="release")
        assert [fact.state for fact in (await memory.facts(thread="release")).facts] == ["proposed"]
        async with Memory.connect(settings=settings, role="person", principal="ada") as person:
            assert (await person.fact(proposed.id)).versions[0].state == "proposed"
            approved = await person.approve(proposed.id)
            shared = (await person.facts(scope="permanent")).facts
            await person.delete_fact(approved.id, "a mistake")
            after = (await person.facts(scope="permanent")).facts

    assert [(fact.value, fact.source.principal) for fact in shared] == [("--dry-run", "ada")]
    assert after == ()


async def test_a_client_takes_over_when_the_owner_is_killed(settings: Settings, owner: subprocess.Popen[str]) -> None:
    """A client that joined goes on with a server and workers of its own, and finds everything."""
    async with Memory.connect(settings=settings, keep=True) as memory:
        async with memory.thread("t").turn("while it lives"):
            pass
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        async with memory.thread("t").turn("after its death"):
            pass

        assert await memory.flush(60.0) == 0
        found = (await memory.thread("t").entries()).entries

    assert [(shown.content, shown.state) for shown in found] == [
        ("from the owner", "committed"),
        ("while it lives", "committed"),
        ("after its death", "committed"),
    ]


async def test_receipts_show_what_verification_compares(settings: Settings) -> None:
    """The newest receipt of each chain is on disk when the client is closed, and agrees with the log."""
    async with Memory.connect(settings=settings, embedded=True) as memory:
        for name in ("a", "b"):
            async with memory.thread(name).turn("Hi"):
                pass
    kept = receipts.read(settings.data / receipts.FILE)
    verifier = Verifier()
    verifier.expect([], kept)
    async with session(settings, embedded=True) as opened:
        async for stored in opened.store.log.scan():
            verifier.feed(stored)

    assert sorted(receipt.chain for receipt in kept) == ["thread.a", "thread.b"]
    assert verifier.verdict().problems == ()


async def test_large_content_is_shown_whole(settings: Settings) -> None:
    """Ten megabytes are in pieces, and come back over a reply in parts, byte for byte."""
    content = "line of output\n" * 700_000
    async with Memory.connect(settings=settings, embedded=True) as memory:
        async with memory.thread("t").turn("Run it.") as turn:
            await turn.append(ToolCall(call="c", tool="bash"), ToolResult(call="c", content=content))
        shown = await memory.thread("t").show(3)

    assert shown.size == len(content)
    assert hashlib.sha256(shown.content.encode()).digest() == hashlib.sha256(content.encode()).digest()


def test_the_twin_for_scripts(settings: Settings) -> None:
    """The same names without await."""
    with SyncMemory.connect(settings=settings, embedded=True) as memory:
        thread = memory.thread("t", agent="script")
        with thread.turn("Hi") as turn:
            turn.reply("Hello.")
            assert "Hello." in turn.context(window=1024, format="text").messages
        lines = list(thread.export())
        found = [shown.content for shown in thread.entries().entries]

    assert found == ["Hi", "Hello."]
    assert len(lines) > 2


def test_a_script_sees_its_own_exception(settings: Settings) -> None:
    """An exception in a turn aborts it and reaches the script as it was."""
    with SyncMemory.connect(settings=settings, embedded=True) as memory:
        thread = memory.thread("t")
        with pytest.raises(ZeroDivisionError), thread.turn("Divide."):
            raise ZeroDivisionError

        assert [turn.state for turn in thread.turns()] == ["aborted"]
