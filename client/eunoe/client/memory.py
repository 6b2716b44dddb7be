"""The memory of a fleet, as one client of it sees it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio

from eunoe.client import importing
from eunoe.client.appending import CLOSE_SECONDS
from eunoe.client.dead import Dead
from eunoe.client.gate import Gate
from eunoe.client.importing import Format, Progress, Report
from eunoe.client.journal import Journal
from eunoe.client.outbox import Outbox, new_producer
from eunoe.client.reaching import reached
from eunoe.client.receipts import FILE, Receipts
from eunoe.client.thread import Thread
from eunoe.runtime.configuration import load
from eunoe.runtime.requester import Requester
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import ids
from eunoe.schemas.errors import Misconfigured, WorkerMissing
from eunoe.schemas.subjects import Role

logger = logging.getLogger(__name__)

FAILED_SECONDS = 2.0  # seconds that it waits when the client's user failed


class Memory(Dead):
    """One space in the name of one caller: what it appends, asks, and does to facts. Made by `Memory.connect`."""

    @classmethod
    def connect(
        cls,
        url: str | None = None,
        *,
        space: str | None = None,
        role: Role | None = None,
        principal: str | None = None,
        embedded: bool | None = None,
        settings: Settings | None = None,
        outbox: str | Path | None = None,
        keep: bool | None = None,
    ) -> AbstractAsyncContextManager[Memory]:
        """Connect to ``url`` (or ``EUNOE_URL``), to a running ``eunoe up``, or to a server started in this process.

        ``embedded``: True starts (or joins) the embedded server with all workers, False never does. ``role``
        is ``caller`` unless settings say otherwise. ``outbox`` names a file in which undelivered events
        survive this process. ``keep`` (default: whether there is such a file): see `Appending`.
        Raises `Unreachable`, `Denied`, `Misconfigured`.
        """
        if embedded and url:
            raise Misconfigured("embedded=True runs a server of its own, and url names another one; give one of them")
        chosen = chosen_settings(settings, url=url, space=space, role=role, principal=principal)
        path = Path(outbox) if outbox is not None else None
        return _connected(cls, chosen, embedded, path, path is not None if keep is None else keep)

    def thread(self, id: str, *, agent: str = "", session: str = "") -> Thread:  # noqa: A002
        """A thread by its id, new or not; raises `Invalid` for an id that cannot be one."""
        return Thread(self, id, agent=agent, session=session)

    async def import_file(
        self,
        path: str | Path,
        *,
        thread: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        format: Format | None = None,  # noqa: A002 - the word of the command line
        progress: Callable[[Progress], None] | None = None,
    ) -> Report:
        """Bring a transcript in; see `eunoe.client.importing.import_file`."""
        return await importing.import_file(
            self, path, thread=thread, agent=agent, session=session, format=format, progress=progress
        )


def chosen_settings(
    settings: Settings | None, *, url: str | None, space: str | None, role: Role | None, principal: str | None
) -> Settings:
    """What a client works with: what it was given, then the environment and the file; raises `Misconfigured`."""
    given = {"url": url, "space": space, "role": role, "principal": principal}
    if settings is None:
        found = load(given)
        asked = role or ("caller" if "role" not in found.origins else None)
        return found.settings.model_copy(update={"role": asked} if asked else {})
    if space is not None:
        ids.check_space(space)
    if principal is not None:
        ids.check(principal, "principal")
    return settings.model_copy(update={name: value for name, value in given.items() if value is not None})


@asynccontextmanager
async def _connected(
    kind: type[Memory], settings: Settings, embedded: bool | None, path: Path | None, keep: bool
) -> AsyncIterator[Memory]:
    async with reached(settings, embedded) as connection:
        requester = await Requester.open(connection)
        kept = settings.data / FILE if settings.data.is_dir() else None
        async with opened(kind, Gate(requester, settings.space, settings.caller), kept, path, keep) as memory:
            memory.window = settings.window if "window" in settings.model_fields_set else None
            yield memory


@asynccontextmanager
async def opened(
    kind: type[Memory], gate: Gate, receipts: Path | None = None, outbox: Path | None = None, keep: bool = False
) -> AsyncIterator[Memory]:
    """A memory over a gate. ``receipts`` and ``outbox`` are files; on leaving, what waits is delivered first."""
    kept = Receipts(gate.space, receipts)
    journal = Journal(outbox, gate.space, gate.caller, new_producer()) if outbox is not None else None
    left = 0
    try:
        async with task_group() as tasks:
            tasks.start_soon(kept.keep)
            sending = Outbox(gate, tasks, kept.add, journal)
            sending.resume()
            try:
                yield kind(gate, sending, kept, keep=keep)
            except BaseException:
                await _flush_after_failure(sending, outbox)
                raise
            left = await sending.flush(CLOSE_SECONDS)
            tasks.cancel_scope.cancel()
    finally:
        await kept.write()
        if journal is not None:
            journal.close()
    _say_left(left, outbox)


async def _flush_after_failure(sending: Outbox, outbox: Path | None) -> None:
    """Deliver what waits before a failure of the client's user goes on; it must not be held up for long."""
    with anyio.CancelScope(shield=True):
        if left := await sending.flush(FAILED_SECONDS):
            where = f"wait in the outbox {outbox}" if outbox else "were not delivered, and there is no outbox on disk"
            logger.error("%d events %s", left, where, extra={"action": "outbox_left"})


def _say_left(left: int, outbox: Path | None) -> None:
    if not left:
        return
    if outbox is not None:
        logger.warning("%d events wait in the outbox %s", left, outbox, extra={"action": "outbox_kept"})
        return
    raise WorkerMissing(
        f"{left} events were not delivered before this client was closed, and it had no outbox on disk. "
        "See what runs with `eunoe status`; connect with outbox=FILE to keep events."
    )
