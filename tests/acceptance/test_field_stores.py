"""Faults that memory systems had when their store was killed, lost its end or was made again, and what holds here.

F112 a server killed under load, and consumers ahead of their stream · F114 a bucket that was made again and
answered with nothing · F117 data that was kept inside the package.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from fields import SETTLE_SECONDS, known, options, state, told, used
from shell import EUNOE, Shell

import eunoe.runtime.settings
from eunoe.client import Memory
from eunoe.runtime.connection import connect
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.requester import Requester
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.schemas import subjects
from eunoe.schemas.errors import Damaged, EunoeError, NotFound, Unreachable, WorkerMissing
from eunoe.schemas.subjects import Caller
from eunoe.testing import NatsServer

THREADS = 6
TURNS = 15


@pytest.fixture
def settings(own_server: NatsServer, tmp_path: Path) -> Settings:
    return Settings(url=own_server.url, data=tmp_path / "data", role="person", principal="ada")


# Killed under load, and a log that lost its end (F112)


async def test_a_server_killed_twice_under_load_keeps_what_it_accepted_once(
    own_server: NatsServer, settings: Settings
) -> None:
    """Six writers, two kill -9: every accepted record is where its receipt says, no entry and no fact is there
    twice, and nothing is missing."""
    accepted: dict[str, list[int]] = {}
    third = anyio.Event()

    async def write(memory: Memory, number: int) -> None:
        thread = memory.thread(f"t{number}")
        for turn_number in range(TURNS):
            async with thread.turn(f"question {turn_number}") as turn:
                await used(turn, "c", "read_file", "one line", path=f"{turn_number}.py")
                receipt = await turn.reply(f"answer {turn_number}")
            if not receipt.kept:
                accepted.setdefault(thread.id, []).append(receipt.record)
            if turn_number == TURNS // 3:
                third.set()

    async with running(settings) as fleet, Memory.connect(settings=settings, keep=True) as memory:
        async with anyio.create_task_group() as tasks:
            for number in range(THREADS):
                tasks.start_soon(write, memory, number)
            await third.wait()
            for _ in range(2):
                await anyio.to_thread.run_sync(own_server.kill)
                await anyio.to_thread.run_sync(own_server.start)
        assert await memory.flush(60.0) == 0
        for number in range(THREADS):
            entries = (await memory.thread(f"t{number}").entries(limit=1000)).entries
            records = [json.loads(line) async for line in memory.thread(f"t{number}").export()][1:-1]
            heads = [json.loads(line["data"])["header"]["record"] for line in records]
            facts = await known(memory, fleet, f"t{number}")
            found = await state(memory, fleet, f"t{number}")

            said = [entry.content for entry in entries if entry.kind in ("prompt", "response")]
            assert said == [f"{what} {n}" for n in range(TURNS) for what in ("question", "answer")]
            assert heads == list(range(1, len(heads) + 1))
            assert set(accepted[f"t{number}"]) <= set(heads)
            assert Counter(name for _, name in facts) == Counter(f"{n}.py" for n in range(TURNS))
            assert (found.committed, found.extracted, found.facts) == (TURNS, TURNS, TURNS)


async def test_a_log_that_lost_its_end_is_told_and_worked_on(own_server: NatsServer, settings: Settings) -> None:
    """The log's files are those of an hour ago, its consumers' and buckets' of now: facts of the lost turns go, what
    is written next is extracted though the consumers had seen its numbers, and the check names what is missing."""
    early = settings.data.parent / "early"
    await _tell(settings, range(5))
    own_server.stop()
    log = next(path for path in own_server.directory.rglob(subjects.log_stream("default")) if path.is_dir())
    shutil.copytree(log / "msgs", early)
    own_server.start()
    await _tell(settings, range(5, 12))
    own_server.stop()
    shutil.rmtree(log / "msgs")
    shutil.copytree(early, log / "msgs")
    own_server.start()

    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        before = await known(memory, fleet, "t")
        for number in range(20, 25):
            await told(memory, "t", f"{number}.py")
        after, found = await known(memory, fleet, "t"), await state(memory, fleet, "t")
        shell = Shell(settings.data.parent / "home")
        checked = await anyio.to_thread.run_sync(shell, "audit", "verify", "--data", settings.data, *options(settings))

    assert sorted(name for _, name in before) == sorted(f"{number}.py" for number in range(5))
    assert sorted(name for _, name in after) == sorted(f"{number}.py" for number in (*range(5), *range(20, 25)))
    assert (found.committed, found.extracted) == (10, 10)
    assert checked.code == 1
    assert any(
        line.startswith("thread t: ends at 60, the anchor of ") and line.endswith(" says 72") for line in checked.lines
    )


async def _tell(settings: Settings, numbers: range) -> None:
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        for number in numbers:
            await told(memory, "t", f"{number}.py")
        assert len(await known(memory, fleet, "t")) == numbers.stop


# Made again under live workers (F114)

STREAMS = ("KV_eunoe_default_thread", "KV_eunoe_default_session", "KV_eunoe_default_permanent", "eunoe_default_log")


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("again", [True, False], ids=["made again", "removed"])
async def test_a_stream_that_is_not_the_old_one_ends_the_workers_and_is_never_read_as_empty(
    settings: Settings, stream: str, again: bool
) -> None:
    """From the moment it is another, no read answers with less than there was; the workers end with its name, and
    those that start then make the facts again from the log."""
    wanted: list[object] = []
    answers: list[object] = []

    async def work() -> None:
        async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
            await _learn(memory, fleet)
            wanted.extend([await read() for read in _reads(memory)])
            await _remove(settings, stream, again=again)
            answers.extend(await _read_until_refused(memory))
            await anyio.sleep_forever()

    with pytest.raises(Damaged, match=stream):
        await work()

    assert [answer for answer in answers if answer not in wanted] == []
    if stream != "eunoe_default_log":
        async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
            assert await fleet.settle(SETTLE_SECONDS)
            assert [await read() for read in _reads(memory)[:5]] == wanted[:5]


async def test_a_server_that_restarts_with_its_files_is_read_as_before(
    own_server: NatsServer, settings: Settings
) -> None:
    """Killed and started again: the same workers answer the same as before."""
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        await _learn(memory, fleet)
        wanted = [await read() for read in _reads(memory)]
        await anyio.to_thread.run_sync(own_server.kill)
        await anyio.to_thread.run_sync(own_server.start)
        found = [await _patiently(read) for read in _reads(memory)]

    assert found == wanted


async def _learn(memory: Memory, fleet: Fleet) -> None:
    """A fact in each bucket, each known to every worker."""
    async with memory.thread("t", session="s").turn("Look.") as turn:
        await used(turn, "c1", "read_file", "one line", path="a.py")
        await used(turn, "c2", "bash", "LISTEN 0 1 127.0.0.1:80 0.0.0.0:*", exit_status=0, command="ss -ltn")
        await turn.reply("Done.")
    await memory.state_fact("decision", "database", "sqlite")
    assert await fleet.settle(SETTLE_SECONDS)
    with anyio.fail_after(SETTLE_SECONDS):
        while "port 80" not in json.dumps((await memory.thread("t").context(prompt="What now?")).messages):
            await anyio.lowlevel.checkpoint()


def _reads(memory: Memory) -> list[Callable[[], Awaitable[object]]]:
    """Every kind of read, each as the words that it gives."""

    async def facts(**where: str) -> object:
        return [(fact.identity.name, fact.value) for fact in (await memory.facts(**where)).facts]  # type: ignore[arg-type]  # words

    async def threads() -> object:
        return [(one.thread, one.committed) for one in (await memory.threads()).threads]

    async def entries() -> object:
        return [entry.content for entry in (await memory.thread("t").entries()).entries]

    async def context() -> object:
        return (await memory.thread("t").context(prompt="What now?")).messages

    return [
        lambda: facts(scope="permanent"),
        lambda: facts(scope="thread", thread="t"),
        lambda: facts(scope="session", session="s"),
        threads,
        entries,
        context,
    ]


async def _read_until_refused(memory: Memory) -> list[object]:
    """What the reads answer, over and over, until nobody serves any of them."""
    answers: list[object] = []
    for read in _reads(memory):
        while True:
            try:
                answers.append(await read())
            except WorkerMissing:
                break
            except NotFound as error:
                answers.append(error)
            except EunoeError:
                continue
    return answers


async def _patiently(read: Callable[[], Awaitable[object]]) -> object:
    """What a read answers once it is answered."""
    while True:
        try:
            return await read()
        except (Unreachable, WorkerMissing):
            continue


async def _remove(settings: Settings, stream: str, *, again: bool) -> None:
    """Delete a stream, and make one of the same name and settings."""
    async with await connect(settings.url, caller=Caller("person", "operator")) as connection:
        jetstream = JetStream(await Requester.open(connection))
        config = (await jetstream.api(f"STREAM.INFO.{stream}"))["config"]
        await jetstream.api(f"STREAM.DELETE.{stream}")
        if again:
            await jetstream.api(f"STREAM.CREATE.{stream}", config)


# Where the data is (F117)


def test_data_is_kept_in_the_home_of_the_user_and_that_is_said(tmp_path: Path) -> None:
    """Without XDG variables: ~/.local/share/eunoe, printed first, outside of the package and of the environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EUNOE_", "XDG_"))}
    process = subprocess.Popen([EUNOE, "up"], env=kept | {"HOME": str(tmp_path)}, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
    finally:
        process.terminate()
        process.communicate()

    data = tmp_path / ".local" / "share" / "eunoe"
    assert first == f"data     {data}\n"
    assert (data / "lock").exists()
    package = Path(eunoe.runtime.settings.__file__).parent
    assert not data.is_relative_to(package)
    assert not data.is_relative_to(sys.prefix)
    assert [path for path in package.rglob("*") if path.is_dir() and path.name != "__pycache__"] == []


@pytest.mark.parametrize(
    ("variables", "place"),
    [
        ({"XDG_DATA_HOME": "/srv/data"}, "/srv/data/eunoe"),
        ({"XDG_DATA_HOME": "relative/data"}, "HOME/.local/share/eunoe"),
        ({"XDG_DATA_HOME": ""}, "HOME/.local/share/eunoe"),
        ({"EUNOE_DATA": "~/mine", "XDG_DATA_HOME": "/srv/data"}, "HOME/mine"),
    ],
)
def test_the_data_folder_follows_xdg(tmp_path: Path, variables: dict[str, str], place: str) -> None:
    """An absolute XDG_DATA_HOME counts, a relative one does not, and the setting wins; `eunoe config` says which."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EUNOE_", "XDG_"))}
    done = subprocess.run(
        [EUNOE, "config", "--json"],
        env=kept | {"HOME": str(tmp_path)} | variables,
        capture_output=True,
        text=True,
        check=True,
    )

    assert place.replace("HOME", str(tmp_path)) in done.stdout
