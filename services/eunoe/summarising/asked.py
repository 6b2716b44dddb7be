"""The verb ``summarise``: have a thread's summary brought up to date now, and wait for it."""

from __future__ import annotations

from eunoe.distillation.asking import Asking
from eunoe.distillation.progress import Standing
from eunoe.facts.summary_store import SummaryStore
from eunoe.schemas.jobs import Kind, SummariseJob
from eunoe.schemas.requests import DistilRequest, ThreadState
from eunoe.summarising import batching

KIND: Kind = "summarise"
OFF = "nobody summarises here: EUNOE_SUMMARY is off; set it to together or apart, or unset it, and restart the worker"


class Asked(Asking):
    """See `Asking`. The wait ends too once it is recorded that the summary stays as it was."""

    kind = KIND
    done = "summarised"
    off = OFF

    async def _last(self, standing: Standing, up_to: int) -> int:
        """Only a turn that says something is waited for."""
        last = await self._reader.ordinal(standing.head, up_to)
        for first, end in reversed(list(batching.spans(standing.state.summarised, last))):
            turns = await self._reader.turns(standing.head, first, end)
            if found := max((turn.ordinal for turn in turns if batching.says(turn)), default=0):
                return found
        return standing.state.summarised

    def _reached(self, state: ThreadState) -> int:
        return state.summarised

    def _job(self, thread: str, request: DistilRequest, standing: Standing) -> SummariseJob:
        """For whatever turns wait, however few they are."""
        return SummariseJob(
            thread=thread,
            up_to=request.up_to or standing.head.header.turns,
            position=standing.head.position,
            window=request.window,
            least=1,
        )

    async def _over(self, before: Standing, state: ThreadState) -> bool:
        document = await SummaryStore(self._store).get(before.thread)
        return before.head.position < document.kept_at <= state.position
