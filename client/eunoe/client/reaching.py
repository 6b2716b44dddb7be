"""The server that a client works with: one named, one that runs, or one of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from eunoe.runtime import starting
from eunoe.runtime.connection import Connection, connect
from eunoe.runtime.embedded import Embedded
from eunoe.runtime.embedded import embedded as embedded_server
from eunoe.runtime.session import located
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.runtime.workers import running
from eunoe.schemas.errors import Unreachable

LOOK_SECONDS = 0.2  # seconds between two looks whether the server has become ours


@asynccontextmanager
async def reached(settings: Settings, embedded: bool | None) -> AsyncIterator[Connection]:
    """A connection in the name of ``settings.caller``.

    ``embedded``: True runs the server of ``settings.data`` and every worker in this process; None does so
    only when no server is named and none runs, or when the one that ran goes away; False never does.
    Raises `Unreachable` when there is nothing to talk to.
    """
    if embedded is False or (embedded is None and settings.url):
        async with await _connected(await located(settings)) as connection:
            yield connection
        return
    async with embedded_server(settings) as server:
        here = settings.at(server.url, server.user, server.password)
        async with _workers(server, here, at_once=embedded is True), await _connected(here) as connection:
            yield connection


@asynccontextmanager
async def _workers(server: Embedded, here: Settings, *, at_once: bool) -> AsyncIterator[None]:
    """Every worker in this process: from the start when the server is ours, else from when it becomes ours.

    Of an `eunoe up` that is just starting, the workers are waited for.
    """
    if server.owner or at_once:
        async with running(here) as fleet:
            yield
            await fleet.settle()
        return
    await starting.over(here.data)
    async with task_group() as tasks:
        tasks.start_soon(_take_over, server, here)
        yield
        tasks.cancel_scope.cancel()


async def _take_over(server: Embedded, here: Settings) -> None:
    while not server.owner:  # noqa: ASYNC110 - the lock of a folder sets no event
        await anyio.sleep(LOOK_SECONDS)
    if server.url != here.url:
        raise Unreachable(f"the server of {here.data} was started again at {server.url}; connect again")
    async with running(here):
        await anyio.sleep_forever()


async def _connected(settings: Settings) -> Connection:
    password = settings.password.get_secret_value()
    return await connect(
        settings.url, caller=settings.caller, user=settings.user or None, password=password or None, name="client"
    )
