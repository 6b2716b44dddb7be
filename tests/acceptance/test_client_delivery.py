"""The client on a real server: nothing lost and nothing twice, whoever goes away."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas.errors import WorkerMissing
from eunoe.schemas.events import Prompt, Response, TurnCommitted, TurnOpened
from eunoe.testing import NatsServer

KEEPER = """
import sys, anyio
from pathlib import Path
from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.schemas.events import Prompt, TurnOpened

async def keep(url, space, data):
    settings = Settings(url=url, space=space, data=Path(data), role="caller", principal="script")
    async with Memory.connect(settings=settings, outbox=Path(data) / "outbox") as memory:
        thread = memory.thread("t")
        for number in range(5):
            events = [Prompt(content=str(number))] if number else [TurnOpened(), Prompt(content="0")]
            await thread.append(*events, turn="k")
        print("kept", flush=True)
        await anyio.sleep_forever()

anyio.run(keep, *sys.argv[1:])
"""


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    return Settings(url=nats_server.url, space=space, data=tmp_path, role="caller", principal="script")


async def contents(memory: Memory, thread: str, limit: int = 1000) -> list[str]:
    return [shown.content for shown in (await memory.thread(thread).entries(limit=limit)).entries]


async def test_events_wait_for_the_worker_that_is_missing(settings: Settings) -> None:
    """The append says at once that nobody serves it; when the audit worker comes, the events are in the log."""
    async with Memory.connect(settings=settings) as memory:
        with pytest.raises(WorkerMissing, match="no worker serves append") as raised:
            await memory.thread("t").append(TurnOpened(), Prompt(content="anybody?"), turn="k")
        assert raised.value.detail["kept"] is True

        async with running(settings, ["audit"]):
            assert await memory.flush() == 0
            assert await contents(memory, "t") == ["anybody?"]


async def test_an_outbox_survives_kill_9(settings: Settings, tmp_path: Path) -> None:
    """Five appends were kept by a process that was killed; the next one delivers them once, in order."""
    await anyio.to_thread.run_sync(_keep_and_kill, settings)
    async with (
        running(settings, ["audit"]),
        Memory.connect(settings=settings, outbox=tmp_path / "outbox") as memory,
    ):
        assert await memory.flush() == 0
        assert await contents(memory, "t") == ["0", "1", "2", "3", "4"]


async def test_a_server_that_is_killed_loses_and_doubles_nothing(own_server: NatsServer, tmp_path: Path) -> None:
    """A hundred appends with a kill -9 of the server among them: each is in the log once, in order."""
    settings = Settings(url=own_server.url, data=tmp_path, role="caller", principal="script")
    async with running(settings, ["audit"]), Memory.connect(settings=settings, keep=True) as memory:
        thread = memory.thread("t")
        await thread.append(TurnOpened(), Prompt(content="begin"), turn="k")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_restart, own_server)
            for number in range(100):
                await thread.append(Response(content=str(number)), turn="k")
        await thread.append(TurnCommitted(), turn="k")

        assert await memory.flush(60.0) == 0
        assert await contents(memory, "t") == ["begin", *map(str, range(100))]


async def test_many_clients_on_one_thread(settings: Settings) -> None:
    """Four clients append to one thread: entries are numbered without gaps, and each one's stay in order."""
    async with running(settings, ["audit"]), anyio.create_task_group() as tasks:
        for client in range(4):
            tasks.start_soon(_talk, settings, client)
    async with running(settings, ["audit"]), Memory.connect(settings=settings) as memory:
        found = (await memory.thread("t").entries(limit=1000)).entries

    assert [shown.entry for shown in found] == list(range(1, 84 + 1))
    for client in range(4):
        mine = [shown.content for shown in found if shown.content.startswith(f"{client}:")]
        assert mine == [f"{client}:{number}" for number in range(21)]


def _keep_and_kill(settings: Settings) -> None:
    command = [sys.executable, "-c", KEEPER, settings.url, settings.space, str(settings.data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as keeper:
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == "kept\n"
        keeper.send_signal(signal.SIGKILL)


async def _restart(server: NatsServer) -> None:
    await anyio.to_thread.run_sync(server.kill)
    await anyio.to_thread.run_sync(server.start)


async def _talk(settings: Settings, client: int) -> None:
    async with Memory.connect(settings=settings) as memory, memory.thread("t").turn(f"{client}:0") as turn:
        for number in range(1, 21):
            await turn.reply(f"{client}:{number}")
