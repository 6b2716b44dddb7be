"""The embedded server: one for each data folder, whoever came first, and taken over when that one goes.

The folder is held by a lock (flock) that the server process inherits: a new one cannot start before the
old one has closed its files, even when its parent was killed. A server that is taken over or restarted keeps
its port and password where it can, so clients that were connected go on by themselves.
"""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio

from eunoe.runtime import endpoint, nats_server
from eunoe.runtime.backoff import backoff
from eunoe.runtime.endpoint import Endpoint
from eunoe.runtime.files import data_folder, write_private
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas.errors import Unreachable

logger = logging.getLogger(__name__)

TAKE_SECONDS = 0.1  # seconds between two tries to take a folder that another process holds
FIND_SECONDS = 30.0  # seconds to wait for the server of the process that holds the folder
RESTARTS = 5  # times in a row that a server which ends by itself is started again
RESTART_SECONDS = 0.5  # seconds before the first of them; doubled each time
STEADY_SECONDS = 60.0  # seconds after which a server counts as running well


class Embedded:
    """The server of a data folder, started here (``owner``) or found."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._data = data_folder(settings.data)
        self._lock: int | None = None
        self._server: nats_server.Server | None = None
        self._endpoint: Endpoint | None = None

    @property
    def owner(self) -> bool:
        """Whether the server is a child of this process."""
        return self._server is not None

    @property
    def endpoint(self) -> Endpoint:
        assert self._endpoint is not None
        return self._endpoint

    @property
    def url(self) -> str:
        return self.endpoint.url

    @property
    def user(self) -> str:
        return self.endpoint.user

    @property
    def password(self) -> str:
        return self.endpoint.password

    async def open(self) -> None:
        """Start the folder's server, or find the one of the process that holds the folder."""
        with anyio.move_on_after(FIND_SECONDS):
            while not await self.reacquire():
                if found := endpoint.find(self._data):
                    self._endpoint = found
                    return
                await anyio.sleep(TAKE_SECONDS)
            return
        raise Unreachable(f"another process holds {self._data / 'lock'}, and its server does not answer; end it first")

    async def reacquire(self) -> bool:
        """Take the folder and start its server if nobody holds it; whether this process owns it now."""
        if self._server is None and self._take():
            await self._start()
        return self.owner

    async def keep(self) -> None:
        """Keep the server going until cancelled: restart it when it ends, take over when its owner goes."""
        while True:
            if self._server is None:
                await anyio.sleep(TAKE_SECONDS)
                await self.reacquire()
            else:
                await self._restart()

    async def close(self) -> None:
        """Stop the server if it is ours, and give the folder back."""
        server, self._server = self._server, None
        if server:
            await nats_server.stop(server.process)
        if self._lock is not None:
            if self._endpoint:  # only who holds the folder says whose it is
                endpoint.write(self._data, replace(self._endpoint, owner=0))
            os.close(self._lock)
            self._lock = None

    def _take(self) -> bool:
        descriptor = os.open(self._data / "lock", os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._lock = descriptor
        return True

    async def _start(self) -> None:
        assert self._lock is not None
        before = endpoint.port_of(endpoint.read(self._data))
        port = self._settings.port or (before if endpoint.free(before) else 0)
        password = _password(self._data)
        try:
            self._server = await nats_server.start(self._settings, password, port, self._lock)
        except BaseException:
            os.close(self._lock)
            self._lock = self._server = None
            raise
        pid = self._server.process.pid
        self._endpoint = Endpoint(self._server.url, nats_server.USER, password, pid, owner=os.getpid())
        endpoint.write(self._data, self._endpoint)

    async def _restart(self) -> None:
        """Wait until the server ends by itself, and start it again, later each time; give up after `RESTARTS`."""
        for attempt in range(1, RESTARTS + 1):
            assert self._server is not None
            status = None
            with anyio.move_on_after(STEADY_SECONDS):
                status = await nats_server.ended(self._server.process, every=TAKE_SECONDS)
            if status is None:
                return
            logger.error("the embedded server ended with %d", status, extra={"action": "server_ended"})
            await anyio.sleep(backoff(attempt, first=RESTART_SECONDS))
            await self._start()
        raise Unreachable(f"the embedded server keeps ending; its log is {self._data / 'nats-server.log'}")


@asynccontextmanager
async def embedded(settings: Settings) -> AsyncIterator[Embedded]:
    """The server of ``settings.data``, kept going while the context is open.

    Raises `Misconfigured` for a folder, port or binary that cannot be used, `Damaged` for a store that
    cannot be opened, `Unreachable` when the server cannot be kept going.
    """
    server = Embedded(settings)
    try:
        await server.open()
        async with task_group() as group:
            group.start_soon(server.keep)
            yield server
            group.cancel_scope.cancel()
    finally:
        await server.close()


def _password(data: Path) -> str:
    """The password of the folder's server, made once: clients that were connected go on after a restart."""
    path = data / "password"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(24))
    return path.read_text(encoding="utf-8").strip()
