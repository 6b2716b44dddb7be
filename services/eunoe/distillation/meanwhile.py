"""What was distilled of a thread since somebody looked, for whoever waited for it."""

from __future__ import annotations

from eunoe.distillation.progress import Standing
from eunoe.facts import distilled
from eunoe.facts.drawings import Drawings
from eunoe.facts.kinds import Kinds
from eunoe.facts.summary_store import SummaryStore
from eunoe.facts.visibility import Viewer
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Store
from eunoe.schemas import limits
from eunoe.schemas.records import Record
from eunoe.schemas.requests import Distillation, ThreadState


class Meanwhile:
    """Reads the threads of one space."""

    def __init__(self, store: Store, kinds: Kinds) -> None:
        self._chains = ChainReader(store.log, store.space)
        self._drawings = Drawings(self._chains)
        self._summaries = SummaryStore(store)
        self._kinds = kinds

    async def since(self, before: Standing, state: ThreadState, viewer: Viewer) -> tuple[Distillation, ...]:
        """The newest `limits.DISTILLATIONS_SHOWN` of those that a state reflects and that came after ``before``, in
        order."""
        head = await self._chains.head(before.head.header.chain, fresh=True)
        found: list[Record] = []
        if head is None or state.position <= before.head.position:
            return ()
        document = await self._summaries.get(state.thread)
        async for record in self._drawings.back(head, state.producers):
            if record.position <= before.head.position or len(found) == limits.DISTILLATIONS_SHOWN:
                break
            if record.position <= state.position and distilled.tells(record):
                found.append(record)
        outcomes = distilled.outcomes(found, document)
        told = (distilled.distillation(one, outcomes.get(one.position, ""), self._kinds, viewer) for one in found)
        return tuple(one for one in told if one)[::-1]
