"""The verb ``distil``: have a thread distilled now, and wait for it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from eunoe.distillation.meanwhile import Meanwhile
from eunoe.distillation.progress import Progress, Standing
from eunoe.distillation.reading import Reader
from eunoe.facts.kinds import Kinds
from eunoe.facts.visibility import Viewer
from eunoe.runtime import aside, payload, wanted
from eunoe.runtime.doors import Store
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Denied, Invalid, Misconfigured, NotFound
from eunoe.schemas.jobs import DistilJob
from eunoe.schemas.requests import DistilReply, DistilRequest, ThreadState
from eunoe.schemas.subjects import Address

OFF = "nobody distils here: EUNOE_DISTILLER is off; set it to rules or model, or unset it, and restart the worker"

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
        self._waits = waits
        self._on = on

    async def serve(self, address: Address, data: bytes) -> bytes:
        return _encode(await self.answer(address, payload.read(_request, data)))

    async def answer(self, address: Address, request: DistilRequest) -> DistilReply:
        """Raises `Denied`, `Invalid`, `NotFound` for a thread that there is not, and `Misconfigured`."""
        check(address, request)
        if not self._on:
            raise Misconfigured(OFF)
        standing = await self._progress.of(address.thread)
        if standing is None:
            raise NotFound(f"there is no thread {address.thread!r}")
        last = await self._reader.ordinal(standing.head, request.up_to)
        if standing.state.distilled >= last:
            reached, failed = standing.state.distilled, standing.state.undistilled
            return DistilReply(state="nothing", up_to=reached, undistilled=failed, position=standing.head.position)
        await self._submit(address.thread, request, standing)
        state = await self._waited(standing, last, request.wait)
        done = state.distilled >= last
        return DistilReply(
            state="done" if done else "waiting",
            up_to=state.distilled,
            distillations=await self._meanwhile.since(standing, state, Viewer(address.caller, address.thread)),
            undistilled=state.undistilled,
            position=state.position,
            waits="" if done else self._waits(),
        )

    async def _submit(self, thread: str, request: DistilRequest, standing: Standing) -> None:
        """Let a job wait, which asks for no less than the one in whose place it comes."""
        subject = subjects.job(self._store.space, "distil", thread)
        up_to = request.up_to or standing.head.header.turns
        job = DistilJob(thread=thread, up_to=up_to, position=standing.head.position, window=request.window)
        await wanted.submit(self._store.jobs, subject, job)

    async def _waited(self, before: Standing, last: int, seconds: float) -> ThreadState:
        """The state once it is that far, or time is up."""
        state = before.state

        async def done() -> bool:
            nonlocal state
            state = await self._progress.state(before.thread)
            return state.distilled >= last

        await aside.until(done, seconds)
        return state


def check(address: Address, request: DistilRequest, done: str = "distilled") -> None:
    """Raise `Denied` for who may only look, `Invalid` for a request that makes no sense."""
    if address.caller.role not in ("person", "caller", "agent"):
        raise Denied(f"{address.caller.kind} may not have a thread {done}; a person, a caller or an agent may")
    if not address.thread:
        raise Invalid(f"name the thread that is to be {done}")
    if request.up_to < 0 or request.wait < 0:
        raise Invalid("turns are numbered from 1 (0: every one), and no wait is shorter than 0 seconds")
    if request.window and not limits.WINDOW_MIN <= request.window <= limits.WINDOW_MAX:
        raise Invalid(f"a window has {limits.WINDOW_MIN:,} to {limits.WINDOW_MAX:,} tokens, not {request.window:,}")
