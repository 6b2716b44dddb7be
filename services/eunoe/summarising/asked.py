"""The verb ``summarise``: have a thread's summary brought up to date now, and wait for it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from eunoe.distillation import asked
from eunoe.distillation.meanwhile import Meanwhile
from eunoe.distillation.progress import Progress, Standing
from eunoe.distillation.reading import Reader
from eunoe.facts.kinds import Kinds
from eunoe.facts.summary_store import SummaryStore
from eunoe.facts.visibility import Viewer
from eunoe.runtime import aside, payload, wanted
from eunoe.runtime.doors import Store
from eunoe.schemas import subjects
from eunoe.schemas.errors import Misconfigured, NotFound
from eunoe.schemas.jobs import SummariseJob
from eunoe.schemas.requests import DistilReply, DistilRequest, ThreadState
from eunoe.schemas.subjects import Address
from eunoe.summarising import batching

KIND = "summarise"
OFF = "nobody summarises here: EUNOE_SUMMARY is off; set it to together or apart, or unset it, and restart the worker"

_request = msgspec.json.Decoder(DistilRequest)
_encode = msgspec.json.Encoder().encode


class Asked:
    """Serves one space. The work is done by whoever takes the job; ``waits`` says why this worker's waits, empty while
    it does not."""

    def __init__(
        self, store: Store, reader: Reader, progress: Progress, kinds: Kinds, waits: Callable[[], str], *, on: bool
    ) -> None:
        self._store = store
        self._reader = reader
        self._progress = progress
        self._meanwhile = Meanwhile(store, kinds)
        self._summaries = SummaryStore(store)
        self._waits = waits
        self._on = on

    async def serve(self, address: Address, data: bytes) -> bytes:
        return _encode(await self.answer(address, payload.read(_request, data)))

    async def answer(self, address: Address, request: DistilRequest) -> DistilReply:
        """Raises `Denied`, `Invalid`, `NotFound` for a thread that there is not, and `Misconfigured`."""
        asked.check(address, request, "summarised")
        if not self._on:
            raise Misconfigured(OFF)
        standing = await self._progress.of(address.thread)
        if standing is None:
            raise NotFound(f"there is no thread {address.thread!r}")
        last = await self._last(standing, request.up_to)
        if not last:
            return DistilReply(state="nothing", up_to=standing.state.summarised, position=standing.head.position)
        await self._submit(address.thread, request, standing)
        state = await self._waited(standing, last, request.wait)
        done = state.summarised >= last
        return DistilReply(
            state="done" if done else "waiting",
            up_to=state.summarised,
            distillations=await self._meanwhile.since(standing, state, Viewer(address.caller, address.thread)),
            position=state.position,
            waits="" if done else self._waits(),
        )

    async def _last(self, standing: Standing, up_to: int) -> int:
        """The ordinal of the last turn that waits and says something, 0 where none does."""
        last = await self._reader.ordinal(standing.head, up_to)
        for first, end in reversed(list(batching.spans(standing.state.summarised, last))):
            turns = await self._reader.turns(standing.head, first, end)
            if found := max((turn.ordinal for turn in turns if batching.says(turn)), default=0):
                return found
        return 0

    async def _submit(self, thread: str, request: DistilRequest, standing: Standing) -> None:
        """Let a job wait for whatever turns wait, which asks for no less than the one in whose place it comes."""
        subject = subjects.job(self._store.space, KIND, thread)
        job = SummariseJob(
            thread=thread,
            up_to=request.up_to or standing.head.header.turns,
            position=standing.head.position,
            window=request.window,
            least=1,
        )
        await wanted.submit(self._store.jobs, subject, job)

    async def _waited(self, before: Standing, last: int, seconds: float) -> ThreadState:
        """The state once the summary is that far, or it is recorded that it stays as it was, or time is up."""
        state = before.state

        async def done() -> bool:
            nonlocal state
            document = await self._summaries.get(before.thread)
            state = await self._progress.state(before.thread)
            return state.summarised >= last or before.head.position < document.kept_at <= state.position

        await aside.until(done, seconds)
        return state
