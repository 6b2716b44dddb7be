"""One visit to the memory: a connection in somebody's name, with the doors that go with it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from eunoe.runtime import endpoint, starting, topology
from eunoe.runtime.doors import Store
from eunoe.runtime.embedded import embedded as embedded_server
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.login import login
from eunoe.runtime.remote import RemoteAuditor
from eunoe.runtime.requester import Requester
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas.errors import START, Unreachable
from eunoe.schemas.subjects import Caller

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Session:
    """What a command works with: requests to the workers, and the doors to the store itself.

    The doors open only for who may use JetStream: to others what they do is `Denied`.
    """

    settings: Settings
    caller: Caller
    requester: Requester
    store: Store

    @property
    def space(self) -> str:
        return self.settings.space

    @property
    def auditor(self) -> RemoteAuditor:
        """The way into the log, in the name of this session's caller."""
        return RemoteAuditor(self.requester, self.settings.space, self.caller)


@asynccontextmanager
async def session(settings: Settings, *, embedded: bool = False, settle: bool = True) -> AsyncIterator[Session]:
    """A session with the server of ``settings.url``, else with the one that runs on ``settings.data``.

    ``embedded``: start (or find) the server of that folder, run every worker in this process, and (``settle``)
    finish their work before the session ends. Raises `Unreachable` when there is nothing to talk to.
    """
    if not embedded:
        async with _connected(await located(settings)) as opened:
            yield opened
        return
    async with embedded_server(settings) as server:
        here = settings.at(server.url, server.user, server.password)
        async with running(here) as fleet:
            async with _connected(here) as opened:
                yield opened
            if settle and not await fleet.settle():
                logger.warning(
                    "not all is extracted yet; it goes on at the next start", extra={"action": "not_settled"}
                )


async def located(settings: Settings) -> Settings:
    """The settings with the server that they mean: the one named, else the one that runs on the data folder.

    Where an `eunoe up` is just starting on that folder, it is waited for until its workers serve, for a bounded time:
    what can be reached then is taken.
    """
    if settings.url:
        return settings
    done = await starting.over(settings.data)
    found = endpoint.find(settings.data)
    if found is None and not done:
        raise Unreachable(
            f"`eunoe up` is still starting on {settings.data}; ask again once it has said that it is ready"
        )
    if found is None:
        raise Unreachable(f"no server runs on {settings.data}. {START}")
    return settings.at(found.url, found.user, found.password)


@asynccontextmanager
async def _connected(settings: Settings) -> AsyncIterator[Session]:
    caller = settings.caller
    async with login(settings, caller) as connection:
        requester = await Requester.open(connection)
        yield Session(settings, caller, requester, topology.doors(JetStream(requester), settings.space))
