"""Whether an `eunoe up` is just starting on a folder, and waiting for it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

import anyio
import pytest
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from shell import Shell

from eunoe.cli.app import GLOBALS
from eunoe.client.reaching import reached
from eunoe.runtime import endpoint, holding, session, starting
from eunoe.runtime.endpoint import Endpoint
from eunoe.runtime.holding import held
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas.errors import START, Unreachable
from eunoe.testing import NatsServer

UP = ("/venv/bin/python3", "/venv/bin/eunoe", "up")
Add = Callable[..., None]
Looked = tuple[MemoryObjectSendStream[str], MemoryObjectReceiveStream[str]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Looked]:
    """What each look at a lock finds, to receive as it is looked at. Who looks closes the end that it is sent by once
    it is done, so that nobody waits for looks that do not come."""
    looks, seen = anyio.create_memory_object_stream[str](16)
    look = holding.state

    def state(file: Path) -> holding.State:
        found = look(file)
        looks.send_nowait(found)
        return found

    monkeypatch.setattr(holding, "state", state)
    with looks, seen:
        yield looks, seen


@pytest.fixture
def processes(tmp_path: Path) -> Path:
    """Where the system tells of processes: none runs."""
    folder = tmp_path / "proc"
    folder.mkdir()
    return folder


@pytest.fixture
def add(processes: Path) -> Add:
    """Add a process: its arguments, and the files that it has open."""

    def added(*words: str, opened: tuple[Path, ...] = ()) -> None:
        process = processes / str(len(list(processes.iterdir())) + 1)
        (process / "fd").mkdir(parents=True)
        (process / "cmdline").write_bytes(b"".join(os.fsencode(word) + b"\0" for word in words))
        for number, file in enumerate(opened):
            (process / "fd" / str(number)).symlink_to(file)

    return added


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else this machine starts is not looked at."""
    monkeypatch.setattr(starting, "_is_coming", lambda *_: False)


def test_it_starts_from_its_lock_until_it_is_ready(data: Path, processes: Path) -> None:
    """And no longer once it has ended."""
    assert not starting.starting(data, processes)

    with held(data / starting.HOLD) as hold:
        assert starting.starting(data, processes)
        hold.ready()
        assert not starting.starting(data, processes)

    assert not starting.starting(data, processes)


def test_one_on_another_folder_is_none(tmp_path: Path, data: Path, processes: Path, add: Add) -> None:
    other = tmp_path / starting.HOLD
    add(*UP, opened=(other,))

    with held(other):
        assert not starting.starting(data, processes)


@pytest.mark.parametrize("options", [(), ("--data", "facts"), ("--data=/srv/memory",), ("--json",)])
def test_one_that_has_not_come_to_its_lock_may_be_starting_here(
    data: Path, processes: Path, add: Add, options: tuple[str, ...]
) -> None:
    """Which folder it will take is not known yet."""
    add(*UP[:2], *options, "up", opened=(Path("/dev/null"),))

    assert starting.starting(data, processes)


def test_one_that_has_opened_its_lock_and_not_taken_it_yet_is_starting(data: Path, processes: Path, add: Add) -> None:
    add(*UP, opened=(data / starting.HOLD,))

    assert starting.starting(data, processes)


@pytest.mark.parametrize(
    "words",
    [
        ("/venv/bin/python3", "/venv/bin/eunoe", "show", "up"),
        ("/venv/bin/python3", "/venv/bin/eunoe", "--data", "up", "show", "up"),
        ("/venv/bin/python3", "/venv/bin/eunoe", "--json", "--space=s", "audit", "tail", "up", "--follow"),
        ("/venv/bin/python3", "/venv/bin/eunoe", "--embedded", "facts", "up"),
        ("/venv/bin/python3", "/venv/bin/eunoe", "--no-color", "facts", "up"),
        ("/venv/bin/python3", "/venv/bin/eunoe"),
        ("sudo", "/venv/bin/eunoe", "up"),
        ("/venv/bin/python3", "/srv/deploy.py", "up"),
        (),
    ],
)
def test_other_processes_are_none(data: Path, processes: Path, add: Add, words: tuple[str, ...]) -> None:
    add(*words)

    assert not starting.starting(data, processes)


def test_every_option_before_a_command_that_has_no_value_is_known() -> None:
    """Else a command after it would be taken for its value, and an argument for the command."""
    flags = [name for name, annotation in GLOBALS.items() if get_args(annotation)[0] is bool]

    assert {f"--{name.replace('_', '-')}" for name in flags} == starting.FLAGS


def test_a_process_that_ends_while_it_is_looked_at_hides_no_other(data: Path, processes: Path, add: Add) -> None:
    (processes / "1").mkdir()
    add(*UP)

    assert starting.starting(data, processes)


def test_a_file_that_it_closes_while_it_is_looked_at_is_none_of_a_lock(
    data: Path, processes: Path, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it does all the time while it loads."""
    add(*UP, opened=(Path("/dev/null"),))
    monkeypatch.setattr(os, "listdir", lambda _: ["0", "7"])

    assert starting.starting(data, processes)


async def test_a_server_that_is_starting_is_waited_for(
    data: Path, nats_server: NatsServer, alone: None, looked: Looked
) -> None:
    """Not only until the server is there, but until the workers are."""
    looks, seen = looked
    got: list[Settings] = []

    async def wait() -> None:
        with looks:
            got.append(await session.located(Settings(data=data)))

    with held(data / starting.HOLD) as hold:
        async with task_group() as tasks:
            tasks.start_soon(wait)
            assert await seen.receive() == "starting"
            endpoint.write(data, _there(nats_server.url))
            assert await seen.receive() == "starting"
            assert got == []
            hold.ready()

    assert [(one.url, one.user) for one in got] == [(nats_server.url, "eunoe")]


async def test_a_client_that_joins_it_waits_for_its_workers_too(
    data: Path, nats_server: NatsServer, alone: None, looked: Looked
) -> None:
    """An agent that is started at the same moment does not find its worker missing."""
    looks, seen = looked
    connected: list[str] = []

    async def join() -> None:
        with looks:
            async with reached(Settings(data=data), None) as connection:
                connected.append(connection.url)

    endpoint.write(data, _there(nats_server.url))
    with _served(data), held(data / starting.HOLD) as hold:
        async with task_group() as tasks:
            tasks.start_soon(join)
            assert [await seen.receive(), await seen.receive()] == ["starting"] * 2
            assert connected == []
            hold.ready()

    assert connected == [nats_server.url]


async def test_one_that_dies_while_it_starts_is_not_waited_for(data: Path, alone: None) -> None:
    """What it leaves behind says nothing: there is no server."""
    with held(data / starting.HOLD):
        assert starting.starting(data)

    with pytest.raises(Unreachable) as raised:
        await session.located(Settings(data=data))

    assert str(raised.value) == f"no server runs on {data}. {START}"


async def test_one_that_does_not_get_ready_is_named(data: Path, alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the time is up."""
    monkeypatch.setattr(starting, "WAIT_SECONDS", 0.0)

    with held(data / starting.HOLD), pytest.raises(Unreachable) as raised:
        await session.located(Settings(data=data))

    assert str(raised.value) == f"`eunoe up` is still starting on {data}; ask again once it has said that it is ready"


async def test_what_can_be_reached_when_the_time_is_up_is_taken(
    data: Path, nats_server: NatsServer, alone: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of its workers may serve already."""
    monkeypatch.setattr(starting, "WAIT_SECONDS", 0.0)
    endpoint.write(data, _there(nats_server.url))

    with held(data / starting.HOLD):
        found = await session.located(Settings(data=data))

    assert found.url == nats_server.url


async def test_for_a_server_that_is_named_nothing_is_waited_for(data: Path) -> None:
    """Whatever starts here."""
    settings = Settings(data=data, url="nats://127.0.0.1:1")

    with held(data / starting.HOLD):
        assert await session.located(settings) is settings


def test_a_worker_that_is_missing_meanwhile_is_still_being_started(
    tmp_path: Path, nats_server: NatsServer, alone: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command says so, and not to start it; exit code 3."""
    eunoe = Shell(tmp_path)
    eunoe.data.mkdir(parents=True)
    endpoint.write(eunoe.data, _there(nats_server.url))
    monkeypatch.setattr(starting, "WAIT_SECONDS", 0.0)

    with held(eunoe.data / starting.HOLD):
        done = eunoe("threads", "--space", "nobody")

    assert done.complaint == (
        f"eunoe: `eunoe up` is still starting its workers on {eunoe.data}; ask again once it has said that it is ready"
    )
    assert done.code == 3


@contextmanager
def _served(data: Path) -> Iterator[None]:
    """The folder as its server holds it."""
    with (data / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _there(url: str) -> Endpoint:
    """A server that this process keeps."""
    return Endpoint(url, "eunoe", "secret", os.getpid(), owner=os.getpid())
