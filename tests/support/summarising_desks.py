"""A desk with summarising workers, summarisers that say what a test has them say, and a projector that keeps up."""

from __future__ import annotations

from typing import Any

import msgspec
from distilling_desks import DistillingDesk, ScriptedModel

from eunoe.distillation.door import Batch
from eunoe.facts.summary_store import SummaryStore
from eunoe.runtime.doors import Store, Stored
from eunoe.schemas import subjects
from eunoe.schemas.distilled_events import Effort, Summarised, SummaryKept
from eunoe.schemas.errors import ModelFailed
from eunoe.schemas.jobs import SummariseJob
from eunoe.schemas.requests import SummaryDocument
from eunoe.schemas.subjects import Caller
from eunoe.summarising.choosing import Chosen
from eunoe.summarising.worker import SummarisingWorker

SUMMARISING = Caller("worker", "summarising")


class ScriptedSummariser(ScriptedModel):
    """A summariser and its model: it adds the numbers of the turns to the text, unless the script says otherwise.

    ``script`` holds what happens at each question: an error that is raised, a text that is the answer, or what is
    awaited before it answers. ``down``: the model does not answer so many probes.
    """

    def __init__(self, *script: Any) -> None:
        super().__init__(*script)
        self.batches: list[Batch] = []
        self.down = 0

    async def update(self, batch: Batch) -> tuple[str, Effort]:
        self.batches.append(batch)
        step = self.step()
        if step is not None and not isinstance(step, str):
            await step()
        added = " ".join(str(turn.number) for turn in batch.turns)
        text = step if isinstance(step, str) else f"{batch.text}\n{added}".strip()
        return text, Effort(model="m", calls=1)

    async def probe(self) -> None:
        if self.down:
            self.down -= 1
            raise ModelFailed("down", reason="unreachable")


class SummarisingDesk(DistillingDesk):
    """A space with the audit worker, a projector, and as many summarising workers as a test makes."""

    def summariser(self, scripted: ScriptedSummariser | None = None, store: Store | None = None) -> SummarisingWorker:
        """A worker that summarises by rules, or as told."""
        given = (store or self.store, self.auditor(SUMMARISING), self.settings, self.clock)
        if scripted is None:
            return SummarisingWorker(*given)
        return SummarisingWorker(*given, lambda _: Chosen(scripted, scripted))

    async def wanted(self, up_to: int, thread: str = "t", **fields: Any) -> Stored:
        """A job that waits, and the message that it is."""
        job = SummariseJob(thread=thread, up_to=up_to, position=0, **fields)
        subject = subjects.job(self.store.space, "summarise", thread)
        data = msgspec.json.encode(job)
        done = await self.store.jobs.submit(subject, data)
        return Stored(subject, done.seq, data, self.clock.now())

    async def summary(self, thread: str = "t") -> SummaryDocument:
        """The summary as it is stored, once all of the log is projected."""
        await self.catch_up()
        return await SummaryStore(self.store).get(thread)

    async def told(self) -> list[Summarised | SummaryKept]:
        """What the log says of summaries, in order."""
        events = (event for record in await self.records() for event in record.events)
        return [event for event in events if isinstance(event, Summarised | SummaryKept)]
