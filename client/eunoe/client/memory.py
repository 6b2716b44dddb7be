"""The memory of a fleet, as one client of it sees it."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio

from eunoe.client import importing, stating
from eunoe.client.delivery import PATIENCE_SECONDS
from eunoe.client.gate import Gate
from eunoe.client.importing import Format, Progress, Report
from eunoe.client.journal import Journal
from eunoe.client.outbox import Outbox, new_producer
from eunoe.client.reaching import reached
from eunoe.client.receipts import FILE, Receipts
from eunoe.client.reflecting import Reflected
from eunoe.client.stating import StatedFact
from eunoe.client.thread import Thread
from eunoe.client.tickets import Receipt
from eunoe.runtime.configuration import load
from eunoe.runtime.requester import Requester
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import WorkerMissing
from eunoe.schemas.events import Event, FactApproved, FactDeleted, FactRecorded, FactRetired
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import (
    FactReply,
    FactRequest,
    FactsReply,
    FactsRequest,
    FactView,
    ThreadsReply,
    ThreadsRequest,
)
from eunoe.schemas.subjects import Role

logger = logging.getLogger(__name__)

CLOSE_SECONDS = 10.0  # seconds that closing waits for events that the outbox still holds
FAILED_SECONDS = 2.0  # seconds that it waits when the client's user failed


class Memory:
    """One space in the name of one caller. Made by `Memory.connect`.

    ``patience``: seconds that an append waits for an answer before it is said to be unknown. ``keep``: what
    cannot be delivered now is no error of the append; its receipt says ``kept`` and the log says why.
    """

    def __init__(
        self, gate: Gate, outbox: Outbox, receipts: Receipts, *, window: int = 8192, keep: bool = False
    ) -> None:
        self.gate = gate
        self.receipts = receipts
        self.window = window
        self.patience = PATIENCE_SECONDS
        self._outbox = outbox
        self._reflected = Reflected(gate)
        self.keep = keep

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
        survive this process. ``keep`` (default: whether there is such a file): see `Memory`.
        Raises `Unreachable`, `Denied`, `Misconfigured`.
        """
        chosen = chosen_settings(settings, url=url, space=space, role=role, principal=principal)
        path = Path(outbox) if outbox is not None else None
        return _connected(cls, chosen, embedded, path, path is not None if keep is None else keep)

    # What is said and done

    def thread(self, id: str, *, agent: str = "", session: str = "") -> Thread:  # noqa: A002
        """A thread by its id, new or not; raises `Invalid` for an id that cannot be one."""
        return Thread(self, id, agent=agent, session=session)

    async def append(self, chain: str, turn: str, events: Sequence[Event]) -> Receipt:
        """Append to a chain (`eunoe.schemas.subjects`); see `Thread.append`."""
        ticket = await self._outbox.put(chain, turn, events)
        receipt = await ticket.wait(self.patience, keep=self.keep)
        self._reflected.wrote(receipt, events)
        return receipt

    async def flush(self, seconds: float = CLOSE_SECONDS) -> int:
        """Wait until the outbox is empty, at most ``seconds``; returns how many events it still holds."""
        return await self._outbox.flush(seconds)

    def delivered(self, receipt: Receipt) -> None:
        """Note a record that is in the log: later reads of this client reflect it."""
        self.receipts.add(receipt)

    async def watermark(self) -> Watermark:
        """What reads of this client must reflect: everything that it wrote."""
        return await self._reflected.watermark(self.receipts.position)

    def statistics(self) -> dict[str, int]:
        return self._outbox.statistics()

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

    # What is known

    async def threads(self, *, limit: int = 200, cursor: str = "") -> ThreadsReply:
        """Threads with their sizes and times, a page at a time; ``cursor`` of the reply goes on."""
        return await self.gate.ask("threads", ThreadsRequest(limit=limit, cursor=cursor), ThreadsReply)

    async def facts(
        self,
        *,
        scope: Scope | None = None,
        thread: str = "",
        session: str = "",
        agent: str = "",
        all: bool = False,  # noqa: A002 - the word of the command line
        limit: int = 200,
        cursor: str = "",
    ) -> FactsReply:
        """Facts in force that this caller may see, a page at a time; ``all`` adds what is not in force any more."""
        request = FactsRequest(
            scope=scope or "",
            thread=thread,
            session=session,
            agent=agent,
            all=all,
            limit=limit,
            cursor=cursor,
            after=await self.watermark(),
        )
        timeout = request.wait + limits.REQUEST_SECONDS
        return await self.gate.ask("facts", request, FactsReply, _about(thread), timeout=timeout)

    async def fact(self, id: str, *, thread: str = "") -> FactReply:  # noqa: A002
        """Every version of a fact, oldest first, by its id or a unique beginning of it; raises `NotFound`.

        An agent or a tool is shown a fact of a thread only when it names that ``thread``.
        """
        await self.watermark()
        return await self.gate.ask("fact", FactRequest(id=id), FactReply, _about(thread))

    # What people and programs do to facts

    async def state_fact(
        self,
        subject: str,
        name: str,
        value: str,
        *,
        content: str = "",
        thread: str = "",
        session: str = "",
        owner: str = "",
    ) -> StatedFact:
        """State a fact in this caller's name: permanent and shared, or of a thread, session or owner."""
        about = stating.identity(subject, name, thread=thread, session=session, owner=owner)
        fact = stating.assertion(self.gate.caller, about, value, at=_now(), content=content)
        return await self._fact(stating.chain_of(about), FactRecorded(fact=fact))

    async def approve(self, id: str) -> StatedFact:  # noqa: A002
        """A person admits a proposal: its value becomes a permanent, shared fact of theirs."""
        found = await self._version(id)
        fact = stating.approved(self.gate.caller, found, _now())
        return await self._fact(stating.chain_of(fact.identity), FactApproved(id=found.id, fact=fact))

    async def delete_fact(self, id: str, reason: str = "") -> Receipt:  # noqa: A002
        """A person hides a fact from every read; `erase` is what removes content for good."""
        found = await self._version(id)
        return await self.append(stating.chain_of(found.identity), "", [FactDeleted(id=found.id, reason=reason)])

    async def retire_fact(self, id: str, reason: str = "") -> Receipt:  # noqa: A002
        """Take back an assertion of this caller's own."""
        found = await self._version(id)
        return await self.append(stating.chain_of(found.identity), "", [FactRetired(id=found.id, reason=reason)])

    async def _fact(self, chain: str, event: FactRecorded | FactApproved) -> StatedFact:
        receipt = await self.append(chain, "", [event])
        return StatedFact("" if receipt.kept else ids.fact_id(chain, receipt.origin, receipt.index), receipt)

    async def _version(self, id: str) -> FactView:  # noqa: A002
        """The version with that id, or the one whose id begins so."""
        versions = (await self.fact(id)).versions
        return next((version for version in versions if version.id.startswith(id)), versions[-1])


def _about(thread: str) -> str:
    """The chain that a question addresses: the thread's, or none."""
    return subjects.thread_chain(ids.check(thread, "thread")) if thread else ""


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
            memory.window = settings.window
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


def _now() -> int:
    return time.time_ns() // 1_000_000
