"""An audit worker over the in-memory twins, and short ways to append to it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from eunoe.audit.worker import AuditWorker
from eunoe.facts import state as states
from eunoe.runtime.doors import Store
from eunoe.runtime.settings import Settings
from eunoe.schemas import records, subjects
from eunoe.schemas.events import Event, Prompt, Response, TurnCommitted, TurnOpened
from eunoe.schemas.requests import AppendReply, AppendRequest
from eunoe.schemas.subjects import Caller
from eunoe.testing import ManualClock, memory_store

AGENT = Caller("agent", "builder")
NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z


class Desk:
    """A worker with its store and clock, for one caller at a time."""

    def __init__(self, folder: Path, store: Store | None = None) -> None:
        self.clock = ManualClock(NOON)
        self.store = store or memory_store("default", clock=self.clock)
        self.settings = Settings(data=folder)
        self.remade: list[tuple[str, str]] = []
        self.worker = self.new_worker()

    def new_worker(self) -> AuditWorker:
        """Another worker on the same store: a restart, or a replica."""
        return AuditWorker(self.store, self.settings, self.clock, self.remake)

    async def remake(self, id: str, reason: str) -> None:  # noqa: A002 - the word of the request
        """Note that the facts were to be made again: nothing makes documents here."""
        self.remade.append((id, reason))

    async def append(
        self,
        n: int,
        *events: Event,
        thread: str = "t",
        turn: str = "k",
        producer: str = "p",
        caller: Caller = AGENT,
        worker: AuditWorker | None = None,
    ) -> AppendReply:
        request = AppendRequest(v=1, producer=producer, n=n, turn=turn, events=events)
        return await (worker or self.worker).append(caller, subjects.thread_chain(thread), msgspec.json.encode(request))

    async def fold_state(self, thread: str = "t") -> None:
        """The thread's state document, as the facts worker keeps it."""
        state = states.new(thread)
        chain = subjects.thread_chain(thread)
        async for stored in self.store.log.scan([subjects.chain_filter(self.store.space, chain)]):
            state = states.fold(state, records.read(stored.seq, stored.data))
        await self.store.thread.put(subjects.state_key(thread), msgspec.json.encode(state))


def whole_turn(prompt: str, reply: str = "done") -> tuple[Event, ...]:
    return (TurnOpened(), Prompt(content=prompt), Response(content=reply), TurnCommitted())
