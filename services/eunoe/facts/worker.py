"""The facts worker: keeps documents and thread states up to date with the log, and does the duties listed here."""

from __future__ import annotations

from collections.abc import Mapping

from eunoe.facts.answering import Answering
from eunoe.facts.conflicts import Conflicts
from eunoe.facts.distillations import Distillations
from eunoe.facts.duty import Duty, Shared
from eunoe.facts.keeper import Keeper
from eunoe.facts.rebuilder import Rebuilder
from eunoe.facts.sessions_answering import SessionsAnswering
from eunoe.facts.sweeper import Sweeper
from eunoe.runtime.again import Again, record_of
from eunoe.runtime.chains import head_of
from eunoe.runtime.doors import Auditor, Clock, Handler, Store, Stored
from eunoe.runtime.lasting import lasting
from eunoe.runtime.pump import Pump
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import subjects
from eunoe.schemas.jobs import AgainJob

TOGETHER = 64  # records of a chain that are projected together


class FactsWorker:
    """Projects the whole log; each of its duties answers verbs, keeps loops going, and counts."""

    name = "facts"

    def __init__(self, store: Store, auditor: Auditor, settings: Settings, clock: Clock) -> None:
        self._shared = Shared.of(store, auditor, settings, clock)
        self._pump = Pump(store, self.name, self._project, key=_chain, clock=clock, together=TOGETHER, done=self.done)
        self._again = Again(store, self.name, self.again, clock)
        self._keeper = Keeper(self._shared)
        self._duties: tuple[Duty, ...] = (
            self._keeper,
            Rebuilder(self._shared, self._keeper),
            Answering(self._shared),
            SessionsAnswering(self._shared),
            Distillations(self._shared),
            Sweeper(self._shared),
            Conflicts(self._shared),
        )

    def handlers(self) -> Mapping[str, Handler]:
        return {verb: handler for duty in self._duties for verb, handler in duty.handlers().items()}

    async def run(self) -> None:
        store = self._shared.store
        await self.check()
        self._shared.ready.set()
        consumer = await store.log.consumer(self.name, subjects.log_subjects(store.space))
        async with task_group() as tasks:
            tasks.start_soon(self._pump.run, consumer)
            tasks.start_soon(self._again.run)
            for duty in self._duties:
                for what, loop in duty.loops().items():
                    tasks.start_soon(lasting, what, loop)

    async def drain(self) -> None:
        """Nothing is kept back: what was projected is stored, the rest is delivered again."""

    def statistics(self) -> Mapping[str, int]:
        documents, states = self._shared.facts.statistics(), self._shared.projector.statistics()
        counts = {**self._pump.statistics(), **documents, **states, **self._again.statistics()}
        counts["conflicts"] = documents["conflicts"] + states["conflicts"]
        for duty in self._duties:
            counts.update(duty.statistics())
        return counts

    async def check(self) -> None:
        """Make the buckets again from the log where they do not belong to it; nobody is served meanwhile."""
        await self._keeper.check()

    async def done(self, stored: Stored) -> bool:
        """Whether a record is applied, as its chain's state says."""
        header = head_of(stored).header
        return (await self._shared.projector.reached(header.chain, fresh=True))[0].record >= header.record

    async def again(self, job: AgainJob) -> None:
        """Project a record that was laid aside, and those of its chain that wait before it; done already is done."""
        stored = await record_of(self._shared.store, job)
        if stored is not None:
            await self._project(stored)

    async def _project(self, *batch: Stored) -> None:
        async with self._shared.gate.passing():
            await self._keeper.project(*batch)


def _chain(stored: Stored) -> str:
    return subjects.chain_of(stored.subject)
