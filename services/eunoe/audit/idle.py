"""Turns left open: aborted after a while, with the reason, by the same path as any append."""

from __future__ import annotations

import logging

import msgspec

from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Auditor, Clock, Store
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Damaged, EunoeError, NewerSchema, TurnNotOpen
from eunoe.schemas.events import TurnAborted
from eunoe.schemas.records import Header, OpenTurn
from eunoe.schemas.requests import AppendRequest, ThreadState

logger = logging.getLogger(__name__)

PRODUCER = "idle"


def due(turns: dict[str, OpenTurn], now: int, idle_seconds: float) -> list[str]:
    """The keys of open turns that nothing touched for ``idle_seconds``; ``now`` in ms UTC."""
    return [key for key, turn in turns.items() if now - turn.touched >= idle_seconds * 1000]


class IdleTurns:
    """Knows the open turns of every chain: from appends of this worker, and from the state documents."""

    def __init__(self, store: Store, chains: ChainReader, clock: Clock, idle_seconds: float) -> None:
        self._store = store
        self._chains = chains
        self._clock = clock
        self._idle_seconds = idle_seconds
        self._open: dict[str, dict[str, OpenTurn]] = {}

    def note(self, chain: str, header: Header) -> None:
        """A chain's newest header: remember its open turns."""
        if header.open:
            self._open[chain] = header.open
        else:
            self._open.pop(chain, None)

    def tracked(self) -> int:
        """Open turns known here."""
        return sum(len(turns) for turns in self._open.values())

    @property
    def pause(self) -> float:
        """Seconds between two looks: a quarter of the idle time, a minute at most."""
        return min(60.0, self._idle_seconds / 4)

    async def sweep(self, auditor: Auditor) -> None:
        """Abort every turn that is due now."""
        for chain, turns in list(self._open.items()):
            if due(turns, self._clock.now(), self._idle_seconds):
                await self._look(chain, auditor)

    async def learn(self) -> None:
        """Find the turns that other workers opened, or this one before it was restarted."""
        async for entry in self._store.thread.scan([subjects.states_filter()]):
            state = msgspec.json.decode(entry.value, type=ThreadState)
            chain = subjects.thread_chain(state.thread)
            if state.open and chain not in self._open:
                await self._refresh(chain)

    async def _refresh(self, chain: str) -> dict[str, OpenTurn]:
        """The open turns of a chain as it ends now; none of one whose end is damaged, which is told."""
        try:
            head = await self._chains.head(chain)
        except (Damaged, NewerSchema) as error:
            logger.error("idle turns of %s are left: %s", chain, error, extra={"action": "head_damaged"})
            head = None
        if head is None:
            self._open.pop(chain, None)
            return {}
        self.note(chain, head.header)
        return head.header.open

    async def _look(self, chain: str, auditor: Auditor) -> None:
        turns = await self._refresh(chain)
        for key in due(turns, self._clock.now(), self._idle_seconds):
            try:
                await self._abort(chain, key, auditor)
            except TurnNotOpen:
                continue  # another worker was first, or the turn went on
            except EunoeError as error:
                logger.warning("an idle turn was not aborted: %s", error, extra={"action": "idle_abort_failed"})

    async def _abort(self, chain: str, key: str, auditor: Auditor) -> None:
        done = await auditor.head(chain, PRODUCER)
        event = TurnAborted(reason=f"left open without a word for {self._idle_seconds:g} seconds")
        await auditor.append(
            chain,
            AppendRequest(v=limits.SCHEMA_VERSION, producer=PRODUCER, n=done.n + 1, turn=key, events=(event,)),
        )
        logger.info("aborted an idle turn", extra={"action": "turn_aborted", "chain": chain})
