"""Having a thread worked on now, and waiting for it: what the verbs ``distil`` and ``summarise`` have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
from eunoe.schemas.jobs import DistilJob, Kind, SummariseJob
from eunoe.schemas.requests import DistilReply, DistilRequest, ThreadState
from eunoe.schemas.subjects import Address

Failed = tuple[tuple[int, int, str], ...]
"""Ranges of ordinals of which nothing came, with the reason."""

_request = msgspec.json.Decoder(DistilRequest)
_encode = msgspec.json.Encoder().encode


class Asking(ABC):
    """Serves one verb of one space. The work is done by whoever takes the job; ``waits`` says why this worker's waits,
    empty while it does not.

    ``kind`` is that of the job, ``done`` what becomes of a thread by it, and ``off`` what is said where nobody does it.
    """

    kind: Kind
    done: str
    off: str

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
        check(address, request, self.done)
        if not self._on:
            raise Misconfigured(self.off)
        standing = await self._progress.of(address.thread)
        if standing is None:
            raise NotFound(f"there is no thread {address.thread!r}")
        state, last = standing.state, await self._last(standing, request.up_to)
        if self._reached(state) >= last:
            reached, failed = self._reached(state), self._failed(state)
            return DistilReply(state="nothing", up_to=reached, undistilled=failed, position=standing.head.position)
        subject = subjects.job(self._store.space, self.kind, address.thread)
        await wanted.submit(self._store.jobs, subject, self._job(address.thread, request, standing))
        state = await self._waited(standing, last, request.wait)
        done = self._reached(state) >= last
        return DistilReply(
            state="done" if done else "waiting",
            up_to=self._reached(state),
            distillations=await self._meanwhile.since(standing, state, Viewer(address.caller, address.thread)),
            undistilled=self._failed(state),
            position=state.position,
            waits="" if done else self._waits(),
        )

    @abstractmethod
    async def _last(self, standing: Standing, up_to: int) -> int:
        """The ordinal of the last turn up to that one which is to be worked on; what is reached already where none
        is."""

    @abstractmethod
    def _reached(self, state: ThreadState) -> int:
        """The ordinal up to which that is done."""

    @abstractmethod
    def _job(self, thread: str, request: DistilRequest, standing: Standing) -> DistilJob | SummariseJob:
        """The job that asks for it."""

    def _failed(self, state: ThreadState) -> Failed:
        return ()

    async def _over(self, before: Standing, state: ThreadState) -> bool:
        """Whether there is nothing more to wait for, though it is not reached."""
        return False

    async def _waited(self, before: Standing, last: int, seconds: float) -> ThreadState:
        """The state once it is that far, or there is nothing more to wait for, or time is up."""
        state = before.state

        async def done() -> bool:
            nonlocal state
            state = await self._progress.state(before.thread)
            return self._reached(state) >= last or await self._over(before, state)

        await aside.until(done, seconds)
        return state


def check(address: Address, request: DistilRequest, done: str) -> None:
    """Raise `Denied` for who may only look, `Invalid` for a request that makes no sense."""
    if address.caller.role not in ("person", "caller", "agent"):
        raise Denied(f"{address.caller.kind} may not have a thread {done}; a person, a caller or an agent may")
    if not address.thread:
        raise Invalid(f"name the thread that is to be {done}")
    if request.up_to < 0 or request.wait < 0:
        raise Invalid("turns are numbered from 1 (0: every one), and no wait is shorter than 0 seconds")
    if request.window and not limits.WINDOW_MIN <= request.window <= limits.WINDOW_MAX:
        raise Invalid(f"a window has {limits.WINDOW_MIN:,} to {limits.WINDOW_MAX:,} tokens, not {request.window:,}")
