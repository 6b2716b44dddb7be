"""Faults that memory systems had when several wrote at once, and what holds here.

F5 appends of several processes to one thread · F15 numbers drawn by several writers · F18 workers that all
start on an empty server · F20 the same transcript brought in again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio
import pytest
from fields import SETTLE_SECONDS, known, state, told

from eunoe.client import Memory
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Store
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.requester import Requester
from eunoe.runtime.session import session
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.testing import NatsServer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

WRITER = """
import sys, anyio
from pathlib import Path
from eunoe.client import Memory
from eunoe.runtime.settings import Settings
sys.path.insert(0, sys.argv[5])
from fields import told

async def write(url, space, data, path):
    settings = Settings(url=url, space=space, data=Path(data), role="agent", principal="builder")
    async with Memory.connect(settings=settings) as memory:
        print("ready", flush=True)
        await anyio.to_thread.run_sync(sys.stdin.readline)
        await told(memory, "t", path)

anyio.run(write, *sys.argv[1:5])
"""


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    return Settings(url=nats_server.url, space=space, data=tmp_path, role="person", principal="ada")


async def test_turns_that_three_processes_append_at_once_are_all_extracted(settings: Settings) -> None:
    """A thread has one turn; three processes, let go together, each append another: four turns, four facts."""
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        await told(memory, "t", "first.py")
        await anyio.to_thread.run_sync(_write_at_once, settings, ["second.py", "third.py", "fourth.py"])

        facts = await known(memory, fleet, "t")
        found = await state(memory, fleet, "t")

    assert sorted(name for _, name in facts) == ["first.py", "fourth.py", "second.py", "third.py"]
    assert (found.turns, found.committed, found.extracted, found.facts) == (4, 4, 4, 4)
    assert found.failed == ()


async def test_four_clients_and_three_audit_workers_number_without_gaps(settings: Settings) -> None:
    """160 turns of four clients through three replicas: records, turns and entries count from 1, none twice."""
    async with replicas(settings, 3, ["audit"]), anyio.create_task_group() as tasks:
        for client in range(4):
            tasks.start_soon(_talk, settings, client)
    async with (
        running(settings) as fleet,
        Memory.connect(settings=settings) as memory,
        session(settings) as opened,
    ):
        assert await fleet.settle(SETTLE_SECONDS)
        entries = (await memory.thread("t").entries(limit=1000)).entries
        turns = await memory.thread("t").turns(limit=1000)
        exported = [json.loads(line) async for line in memory.thread("t").export()]
        assert [stored.seq async for stored in opened.store.log.scan()] == [line["position"] for line in exported[1:-1]]

    assert [shown.entry for shown in entries] == list(range(1, 2 * 160 + 1))
    assert [line.turn for line in turns] == list(range(1, 160 + 1))
    records = [json.loads(line["data"])["header"]["record"] for line in exported[1:-1]]
    assert records == list(range(1, len(records) + 1))
    for client in range(4):
        mine = [shown.content for shown in entries if shown.content.startswith(f"{client}:")]
        assert mine == [f"{client}:{number}:{said}" for number in range(40) for said in ("asked", "answered")]


async def test_eight_fleets_that_start_at_once_make_every_stream_once(
    settings: Settings, connection: Connection
) -> None:
    """On a space that nobody used: no fleet fails, seven streams are there, and twenty turns leave twenty facts."""
    async with replicas(settings, 8), Memory.connect(settings=settings) as memory:
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(told, memory, f"t{number}", f"{number}.py")
        async with running(settings) as fleet:
            facts = [await known(memory, fleet, f"t{number}") for number in range(20)]

    assert [list(found) for found in facts] == [[("file", f"{number}.py")] for number in range(20)]
    named = sorted(name for name in await _streams(connection) if f"eunoe_{settings.space}_" in name)
    stem = f"eunoe_{settings.space}"
    assert named == [
        *(f"KV_{stem}_{bucket}" for bucket in ("permanent", "session", "thread")),
        *(f"{stem}_{stream}" for stream in ("blobs", "dead", "jobs", "log")),
    ]


async def _streams(connection: Connection) -> list[str]:
    """The names of all streams of the server, which are told page by page."""
    jetstream = JetStream(await Requester.open(connection))
    found: list[str] = []
    while True:
        page = await jetstream.api("STREAM.NAMES", {"offset": len(found)})
        found += page["streams"] or []
        if len(found) >= page["total"]:
            return found


async def test_a_transcript_that_comes_again_adds_nothing(settings: Settings, store: Store) -> None:
    """The second import appends nothing and counts every append as a duplicate; the log is as long as before."""
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        first = await memory.import_file(EXAMPLES / "builder.json")
        before = (await known(memory, fleet, "builder"), await store.log.info())
        again = await memory.import_file(EXAMPLES / "builder.json")
        after = (await known(memory, fleet, "builder"), await store.log.info())

    assert (again.appended, again.duplicates) == (0, first.appended)
    assert after == before


async def test_an_audit_file_that_comes_again_adds_nothing(settings: Settings, store: Store, tmp_path: Path) -> None:
    """An export, brought into another space twice: its threads are there once, and so is each of their facts."""
    export = tmp_path / "export.jsonl"
    other = settings.model_copy(update={"space": f"{settings.space}-copy"})
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        await memory.import_file(EXAMPLES / "builder.json")
        facts = await known(memory, fleet, "builder")
        export.write_bytes(b"".join([line async for line in memory.thread("builder").export()]))
    async with running(other) as fleet, Memory.connect(settings=other) as memory:
        first = await memory.import_file(export)
        once = (await known(memory, fleet, "builder"), await state(memory, fleet, "builder"))
        again = await memory.import_file(export)
        twice = (await known(memory, fleet, "builder"), await state(memory, fleet, "builder"))

    assert first.appended > 0
    assert (again.appended, again.duplicates) == (0, first.appended)
    assert twice == once
    assert once[0] == facts


async def test_the_same_transcript_from_three_clients_at_once_is_there_once(settings: Settings) -> None:
    """Whoever is first appends; together they append exactly what one would have."""
    alone = settings.model_copy(update={"space": f"{settings.space}-alone"})
    async with running(alone), Memory.connect(settings=alone) as memory:
        wanted = (await memory.import_file(EXAMPLES / "reviewer.json")).appended
    reports = []

    async def bring() -> None:
        async with Memory.connect(settings=settings) as memory:
            reports.append(await memory.import_file(EXAMPLES / "reviewer.json"))

    async with replicas(settings, 2):
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(bring)
        async with Memory.connect(settings=settings) as memory:
            turns = await memory.thread("reviewer").turns(limit=1000)

    assert sum(report.appended for report in reports) == wanted
    assert [report.problem_count for report in reports] == [0, 0, 0]
    assert [line.turn for line in turns] == list(range(1, reports[0].turns + 1))


@asynccontextmanager
async def replicas(settings: Settings, count: int, names: list[str] | None = None) -> AsyncIterator[list[Fleet]]:
    """Fleets of the same workers, all started at once; all of them have caught up before they end."""
    async with AsyncExitStack() as stack:
        fleets: list[Fleet] = []
        ready, leave = anyio.Event(), anyio.Event()

        async def serve() -> None:
            async with running(settings, names or ["all"]) as fleet:
                fleets.append(fleet)
                if len(fleets) == count:
                    ready.set()
                await leave.wait()

        tasks = await stack.enter_async_context(anyio.create_task_group())
        for _ in range(count):
            tasks.start_soon(serve)
        await ready.wait()
        yield fleets
        assert await fleets[0].settle(SETTLE_SECONDS)
        leave.set()


def _write_at_once(settings: Settings, paths: list[str]) -> None:
    support = str(Path(__file__).resolve().parents[1] / "support")
    where = [settings.url, settings.space, str(settings.data)]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, *where, path, support],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for path in paths
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0


async def _talk(settings: Settings, client: int) -> None:
    async with Memory.connect(settings=settings) as memory:
        for number in range(40):
            async with memory.thread("t").turn(f"{client}:{number}:asked") as turn:
                await turn.reply(f"{client}:{number}:answered")
