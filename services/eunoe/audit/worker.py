"""The audit worker: the only writer of the log. Decode, decide, publish, answer."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping

import anyio
import msgspec

from eunoe.audit import rules
from eunoe.audit.anchorer import Anchorer
from eunoe.audit.anchors import Anchor, Mark, path_for
from eunoe.audit.answers import Answers
from eunoe.audit.authority import SWEEPER
from eunoe.audit.conditions import Conditions
from eunoe.audit.dead import DeadLetters
from eunoe.audit.erasing import Erasing, Remake
from eunoe.audit.heads import Heads
from eunoe.audit.idle import IdleTurns
from eunoe.audit.patience import NotYet
from eunoe.audit.pieces import Pieces
from eunoe.audit.reading import Reading, check_reader
from eunoe.audit.telling import Telling
from eunoe.facts.kinds import Kinds
from eunoe.runtime import payload
from eunoe.runtime.cache import cache_of
from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Clock, Handler, Store
from eunoe.runtime.lasting import lasting
from eunoe.runtime.settings import Settings
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.errors import Busy, Conflict, Denied, EunoeError, OutcomeUnknown, TooLarge
from eunoe.schemas.requests import AppendReply, AppendRequest, HeadReply, HeadRequest
from eunoe.schemas.subjects import Address, Caller

logger = logging.getLogger(__name__)

_LEARN_EVERY = 30  # looks for idle turns between two reads of every thread's state
_SWEEP_WAIT = 60.0  # seconds between two looks for pieces to sweep
_RACES = 64  # lost compare-and-sets in a row before an append is given back as busy
_head = msgspec.json.Decoder(HeadRequest)
_encode = msgspec.json.encode


class AuditWorker:
    """Serves ``append``, ``piece``, ``head``, ``show``, ``records``, ``erase`` and ``dead``; aborts idle turns; keeps
    anchors."""

    name = "audit"

    def __init__(self, store: Store, settings: Settings, clock: Clock, remake: Remake) -> None:
        self._store = store
        self._clock = clock
        self._chains = ChainReader(store.log, store.space)
        self._heads = Heads(self._chains, store)
        self._answers = Answers(self._chains)
        self._conditions = Conditions(store, self._chains, settings)
        self._pieces = Pieces(store, self._chains, clock)
        self._reading = Reading(self._chains, self._pieces)
        self._dead = DeadLetters(store)
        telling = Telling(store.space, self._chains, self._heads, clock, self._write)
        self._cache = cache_of(settings, clock)
        kinds = Kinds(settings.kinds)
        self._erasing = Erasing(store, self._chains, telling, remake, self._cache.clear, kinds, clock)
        self._idle = IdleTurns(store, self._chains, clock, settings.idle_turn_seconds)
        self._anchorer = Anchorer(store.log, path_for(settings.anchors_path, store.space), clock)
        self._counts = {"appended": 0, "conflicts": 0}

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "append": self._serve_append,
            "piece": self._pieces.serve,
            "head": self._serve_head,
            "show": self._reading.serve_show,
            "records": self._reading.serve_records,
            "anchor": self._serve_anchor,
            "erase": self._erasing.serve,
            "dead": self._dead.serve,
        }

    async def run(self) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lasting, "anchors wait", self._anchorer.run)
            tasks.start_soon(lasting, "idle turns wait", self._watch_idle)
            tasks.start_soon(lasting, "the sweep of pieces waits", self._watch_pieces)
            tasks.start_soon(self._erasing.run)

    async def drain(self) -> None:
        await self._anchorer.close()
        await self._cache.close()

    def statistics(self) -> Mapping[str, int]:
        return {
            **self._counts,
            "duplicates": self._answers.given,
            **self._anchorer.statistics(),
            **self._erasing.statistics(),
            "open_turns": self._idle.tracked(),
        }

    async def append(self, caller: Caller, chain: str, data: bytes) -> AppendReply:
        """Append what the request's bytes say, exactly once; raises what `Auditor.append` does."""
        request = rules.decode(data)
        append = rules.Append(
            caller, self._store.space, chain, request, hashlib.sha256(data).hexdigest(), self._clock.now()
        )
        rules.check(append)
        await self._pieces.check(chain, request)
        found = await self._decided(append)
        return found if isinstance(found, AppendReply) else await self._answers.again(append, found)

    async def head(self, caller: Caller, chain: str, request: HeadRequest) -> HeadReply:
        """Where the chain ends, and how far the caller's producer is."""
        head = await self._chains.head(chain)
        if head is None:
            return HeadReply()
        header, done = head.header, None
        if request.producer:
            producer = records.producer_key(caller, request.producer)
            done = rules.done_of(head, producer, await self._heads.folded(chain, head))
        return HeadReply(
            record=header.record,
            position=head.position,
            hash=head.hash,
            entries=header.entries,
            turns=header.turns,
            committed=header.committed,
            open=tuple(turn.turn for turn in header.open.values()),
            n=done.n if done else 0,
        )

    async def anchor(self) -> Anchor:
        """Anchor the log as it is now."""
        return await self._anchorer.anchor()

    async def abort_idle_turns(self) -> None:
        """Abort every known turn that was left open too long, now."""
        await self._idle.sweep(LocalAuditor(self, SWEEPER))

    async def sweep_pieces(self, wait: float = 0.0) -> None:
        """Remove the pieces that are due now (or within ``wait`` seconds) and that no record names."""
        await self._pieces.sweep(wait)

    async def _watch_idle(self) -> None:
        looks = 0
        while True:
            if looks % _LEARN_EVERY == 0:
                await self._idle.learn()
            looks += 1
            await self.abort_idle_turns()
            await anyio.sleep(self._idle.pause)

    async def _watch_pieces(self) -> None:
        while True:
            await self.sweep_pieces(_SWEEP_WAIT)

    async def _decided(self, append: rules.Append) -> AppendReply | rules.Again:
        """Alone with the chain; what is not known yet is waited for while others go on."""
        since = anyio.current_time()
        while True:
            try:
                async with self._heads.alone(append.chain):
                    return await self._append(append)
            except NotYet as not_yet:
                await not_yet.wait(since)

    async def _append(self, append: rules.Append) -> AppendReply | rules.Again:
        for _ in range(_RACES):
            head = await self._heads.get(append.chain)
            try:
                decision = rules.decide(head, append, await self._heads.folded(append.chain, head))
                if isinstance(decision, rules.Write):
                    await self._conditions.check(append, head, decision)
            except EunoeError:
                if await self._heads.moved(append.chain, head):  # another worker appended since: decide again
                    continue
                raise
            if isinstance(decision, rules.Again):
                return decision
            try:
                return await self._write(append, head, decision)
            except Conflict:
                self._counts["conflicts"] += 1
                self._heads.forget(append.chain)
            except OutcomeUnknown:
                self._heads.forget(append.chain)
                raise
        raise Busy(f"{_RACES} other appends to this thread were first; try again")

    async def _write(
        self, append: rules.Append, head: Head | None, write: rules.Write, *, most: int = limits.RECORD_BYTES
    ) -> AppendReply:
        data, found = records.seal(write.header, write.events)
        if len(data) > most:
            raise TooLarge(
                f"the append makes a record of {len(data):,} bytes; the limit is {most:,}. "
                "Send its events in several appends."
            )
        space = self._store.space
        appended = await self._store.log.append(
            subjects.chain_subject(space, append.chain, append.part),
            data,
            msg_id=rules.message_id(append),
            expect=(subjects.chain_filter(space, append.chain), head.position if head else 0),
        )
        if appended.duplicate:
            self._heads.forget(append.chain)
            return await self._answers.at(append, appended.seq)
        self._counts["appended"] += 1
        self._heads.put(append.chain, Head(write.header, appended.seq, found))
        self._idle.note(append.chain, write.header)
        self._anchorer.note(appended.seq, append.chain, Mark(write.header.record, appended.seq, found))
        return rules.reply(write.header, appended.seq, found, write.events, duplicate=False)

    async def _serve_append(self, address: Address, data: bytes) -> bytes:
        return _encode(await self.append(address.caller, address.chain, data))

    async def _serve_head(self, address: Address, data: bytes) -> bytes:
        check_reader(address)
        return _encode(await self.head(address.caller, address.chain, payload.read(_head, data)))

    async def _serve_anchor(self, address: Address, data: bytes) -> bytes:
        if address.caller.role != "person":
            raise Denied(f"{address.caller.kind} may not anchor the log")
        return _encode(await self.anchor())


class LocalAuditor:
    """An `Auditor` that calls a worker in the same process, as one caller."""

    def __init__(self, worker: AuditWorker, caller: Caller) -> None:
        self._worker = worker
        self._caller = caller

    async def append(self, chain: str, request: AppendRequest) -> AppendReply:
        return await self._worker.append(self._caller, chain, _encode(request))

    async def head(self, chain: str, producer: str = "") -> HeadReply:
        return await self._worker.head(self._caller, chain, HeadRequest(producer=producer))
