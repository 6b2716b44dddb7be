"""Erasing: the verb, and the work that goes on until nothing of a target is left.

An erasure is intended in the chain `subjects.ERASURES`; then what is left of its records is kept, then the old
messages are overwritten, then the facts are made again without them, and when a last look finds nothing more, and
the cache is cleared, it is done. Every step is told by that chain, so whoever comes after a kill goes on from there.
Two workers that do so at once cannot mix: each step is appended only where its worker knows the end of the chain.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import inf

import anyio
import msgspec

from eunoe.audit import erasures
from eunoe.audit.erasure_book import ErasureBook
from eunoe.audit.erasures import OUT_OF_REACH, Book, Erasure
from eunoe.audit.finding import Finding
from eunoe.audit.found import Found
from eunoe.audit.removing import Remover, Write
from eunoe.facts.kinds import Kinds
from eunoe.runtime import payload
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Clock, Store
from eunoe.runtime.lasting import AWAY, lasting
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.erasures import EraseReply, EraseRequest, ErasureCounts, ErasureTarget
from eunoe.schemas.errors import Busy, Conflict, Denied, EunoeError, NumberReused
from eunoe.schemas.events import EraseDone, EraseIntended, EraseKept, EraseRemoved, Event
from eunoe.schemas.subjects import Address, Caller

logger = logging.getLogger(__name__)

Remake = Callable[[str, str], Awaitable[None]]
"""Makes the facts again from the log in a new generation, once under an id, for a reason; raises an `EunoeError`
while nobody can."""

LOOK_SECONDS = 30.0  # seconds between two looks for what another worker left
SHORTEST_SECONDS = 0.5  # seconds that a request waits at least for others to be done with, so that its own is begun
LONGEST_SECONDS = 8.0  # seconds that a request waits for the end of its erasure, so that its answer comes in time
RACED_SECONDS = 1.0  # seconds before a worker looks again, after another one was first
_request = msgspec.json.Decoder(EraseRequest)
_encode = msgspec.json.encode


class Erasing:
    """Erases what people want erased, in one space."""

    def __init__(
        self,
        store: Store,
        chains: ChainReader,
        write: Write,
        remake: Remake,
        forget: Callable[[], Awaitable[None]],
        kinds: Kinds,
        clock: Clock,
    ) -> None:
        self._book = ErasureBook(chains)
        self._clock = clock
        self._write = write
        self._remake = remake
        self._forget = forget
        self._remover = Remover(store, chains, write)
        self._finding = Finding(store, chains, self._remover, kinds)
        self._lock = anyio.Lock()
        self._wake = anyio.Event()
        self._waiting = ""
        self._looked = 0
        self._seen: dict[str, int] = {}
        self._runs: dict[str, str] = {}
        self._stale: dict[str, int] = {}  # where the log ended when the facts were first made again for an erasure
        self._counts = {"erased": 0, "erased_again": 0}

    def statistics(self) -> dict[str, int]:
        return dict(self._counts)

    async def serve(self, address: Address, data: bytes) -> bytes:
        return _encode(await self.erase(address.caller, payload.read(_request, data)))

    async def run(self) -> None:
        """Go on with what was left undone, now and whenever something is, and look at what was done."""
        while True:
            await lasting("the look at erasures waits", self._look)
            await lasting("an erasure waits", self._go_on)
            with anyio.move_on_after(LOOK_SECONDS):
                await self._wake.wait()
            self._wake = anyio.Event()

    async def erase(self, caller: Caller, request: EraseRequest) -> EraseReply:
        """Plan or do what a request asks; asking again under its id says how far it is."""
        if caller.role != "person":
            raise Denied(f"{caller.kind} may not erase; only a person may")
        erasures.check(request.target)
        if request.dry_run:
            return await self._planned(request.target)
        ids.check(request.id, "erasure")
        erasures.check_reason(request.reason)
        with anyio.move_on_after(max(SHORTEST_SECONDS, min(request.wait, LONGEST_SECONDS))) as waiting:
            async with self._lock:
                if not await self._begun(caller, request):
                    end, waiting.deadline = waiting.deadline, inf  # to cut it off would be to begin it in vain
                    nothing = await self._begin(caller, request)
                    waiting.deadline = end
                    if nothing is not None:
                        return nothing
                await self._try()
        self._wake.set()
        return await self._answer(request)

    async def look_again(self, since: int = 0) -> None:
        """Remove again what came back of the erasures that are watched (of those that went on since that time, ms
        UTC): a server that was killed may have lost a removal."""
        book = await self._book.read()
        for erasure in book.watched(since):
            count = await self._remover.back(erasure)
            if count:
                self._counts["erased_again"] += count
                logger.warning("%d erased messages were back, and are erased again", count, extra={"action": "erased"})

    async def _look(self) -> None:
        """A server that is killed and started again leaves this worker running; it may lose what was not synced by
        then, so the look goes as far back as that may be, from the last look before the server was away. What is
        damaged is told, and keeps nobody from appending."""
        now = self._clock.now()
        try:
            await self.look_again(self._looked - limits.UNSYNCED_SECONDS * 1000)
            await self._look_for_late(now - limits.UNSYNCED_SECONDS * 1000)
        except AWAY:
            raise
        except EunoeError as error:
            logger.error("erasures cannot be looked at: %s", error, extra={"action": "erasures_damaged"})
        else:
            self._looked = now

    async def _look_for_late(self, since: int) -> None:
        """Go on with an erasure that was done since then (ms UTC), where something of it came in afterwards."""
        end, book = await self._finding.end(), await self._book.read()
        done = [erasure for erasure in book.watched(since) if erasure.done]
        for erasure in done:
            start = max(self._seen.get(erasure.id, 0), erasure.newest) + 1
            if start <= end and await self._finding.late(erasure, start, end):
                await self._reopen(erasure)
        self._seen = {erasure.id: end for erasure in done}

    async def _reopen(self, erasure: Erasure) -> None:
        async with self._lock:
            book = await self._book.read()
            found = await self._finding.more(erasure)
            if erasure.done and found.chains:
                logger.warning("something came late of %s", erasure.target.words, extra={"action": "erasure_again"})
                with suppress(Conflict):  # another worker goes on with it
                    await self._intend(book, erasure, found)

    async def _go_on(self) -> None:
        async with self._lock:
            await self._try()

    async def _planned(self, target: ErasureTarget) -> EraseReply:
        await self._finding.check(target)
        found = await self._finding.find(target)
        if not found.chains:
            return _nothing(target)
        counts, _ = await self._finding.measured(target, found)
        return EraseReply(
            state="planned",
            counts=counts,
            words=target.words,
            facts=tuple(found.facts[: limits.ERASED_FACTS_SHOWN]),
            stays=found.stays(target),
            out_of_reach=OUT_OF_REACH,
        )

    async def _answer(self, request: EraseRequest) -> EraseReply:
        book = await self._book.read()
        erasure = book.erasures.get(request.id)
        if erasure is None:
            raise Busy("the erasure could not be begun in time, for others are under way; ask again")
        return erasure.reply(book.position, await self._remover.removed(erasure), self._waiting)

    async def _begun(self, caller: Caller, request: EraseRequest) -> bool:
        """Whether it is already; those before it are finished first."""
        book = await self._book.read()
        known = book.erasures.get(request.id)
        if known is not None:
            if known.target != request.target or known.by != caller:
                raise NumberReused(f"the erasure {request.id} is of {known.target.words}; use another id")
            return True
        if next(book.pending(), None):
            await self._finish()
        return False

    async def _begin(self, caller: Caller, request: EraseRequest) -> EraseReply | None:
        """Write down what is intended; an answer when there is nothing to erase."""
        book = await self._book.read()
        await self._finding.check(request.target)
        sought = await self._finding.end()
        found = await self._finding.find(request.target)
        if not found.chains:
            return _nothing(request.target)
        fresh = Erasure(request.id, caller, request.target, request.reason, sought)
        await self._intend(book, fresh, found)
        return None

    async def _try(self) -> None:
        """Finish, or note what that waits for: it goes on by itself."""
        try:
            await self._finish()
        except EunoeError as error:
            self._waiting = str(error)
            logger.warning("an erasure waits: %s", error, extra={"action": "erasure_waits"})
        else:
            self._waiting = ""

    async def _finish(self) -> None:
        """Go on with every erasure until it is done. What another worker does first is its own."""
        while (erasure := next((book := await self._book.read()).pending(), None)) is not None:
            try:
                await self._step(book, erasure)
            except Conflict:
                logger.info("another worker goes on with %s", erasure.id, extra={"action": "erasure_raced"})
                await anyio.sleep(RACED_SECONDS)

    async def _step(self, book: Book, erasure: Erasure) -> None:
        """The next step of an erasure."""
        number, one = next(((n, one) for n, one in enumerate(erasure.rounds, 1) if not one.removed), (0, None))
        if one is None:
            await self._close(book, erasure)
        elif not one.kept:
            places = await self._remover.keep(one)
            await self._tell(book, erasure, EraseKept(id=erasure.id, round=number, places=places))
        else:
            await self._remover.remove(one, erasure)
            await self._tell(book, erasure, EraseRemoved(id=erasure.id, round=number))

    async def _close(self, book: Book, erasure: Erasure) -> None:
        """Make the facts again; what came in meanwhile makes further rounds, else the erasure is done."""
        for made in (False, True):
            found = await self._finding.more(erasure, self._stale.get(erasure.id, 0))
            if found.chains:
                await self._intend(book, erasure, found)
                return
            if not made:
                await self._made_again(f"{erasure.id}.{book.position}", f"erasure {erasure.id}")
                if erasure.id not in self._stale:
                    self._stale[erasure.id] = await self._finding.end()
        await self._forget()  # last, for until a worker sees the first step it may put a copy there
        await self._tell(book, erasure, EraseDone(id=erasure.id, counts=erasure.counts))
        self._stale.pop(erasure.id, None)
        self._counts["erased"] += 1
        logger.info("erased %s", erasure.target.words, extra={"action": "erased", "erasure": erasure.id})

    async def _made_again(self, name: str, reason: str) -> None:
        """Have the facts made again. A run that this worker left is joined; one that failed is not asked for again."""
        run = self._runs.setdefault(name, f"{name}.{secrets.token_hex(4)}")
        try:
            await self._remake(run, reason)
        except EunoeError:
            del self._runs[name]
            raise
        self._runs.clear()

    async def _intend(self, book: Book, erasure: Erasure, found: Found) -> None:
        """One round for every part of what was found; counts, facts and pieces stand in the first."""
        counts, pieces = await self._finding.measured(erasure.target, found)
        before = len(erasure.rounds)
        for index, chains in enumerate(found.rounds()):
            event = EraseIntended(
                id=erasure.id,
                target=erasure.target,
                words=erasure.target.words,
                reason=erasure.reason,
                round=before + index + 1,
                chains=chains,
                counts=counts if not index else ErasureCounts(),
                facts=tuple(found.facts[: limits.ERASED_FACTS_SHOWN]) if not index else (),
                pieces=pieces if not index else (),
                sought=erasure.sought,
            )
            await self._tell(book, erasure, event)

    async def _tell(self, book: Book, erasure: Erasure, event: Event) -> None:
        """Append a step, in the name of who wants it, unless somebody else appended one since the book was read."""
        reply = await self._write(erasure.by, subjects.ERASURES, (event,), expect=book.position)
        book.position = reply.position


def _nothing(target: ErasureTarget) -> EraseReply:
    return EraseReply(state="nothing", counts=ErasureCounts(), words=target.words)
