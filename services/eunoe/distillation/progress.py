"""How far a thread is, where its state reflects all that was distilled of it; else whoever asks has to wait."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import anyio
import msgspec

from eunoe.distillation.reading import Reader
from eunoe.facts import state as states
from eunoe.runtime import numbering
from eunoe.runtime.chains import Head
from eunoe.runtime.doors import Store
from eunoe.schemas import records, subjects
from eunoe.schemas.errors import Busy
from eunoe.schemas.events import Distilled, Event, Summarised
from eunoe.schemas.requests import ThreadState
from eunoe.schemas.subjects import Caller

PRODUCER = "distillation"
CALLER = Caller("worker", "distillation")
BEHIND_SECONDS = 2.0  # seconds that a state which is behind is waited for at once
_LOOK_SECONDS = 0.01  # seconds before the second look at it
_LOOK_SHARE = 0.2  # of the time that was waited: seconds between two looks

_state = msgspec.json.Decoder(ThreadState)


@dataclass(frozen=True, slots=True)
class Standing:
    """A thread as it is: the end of its chain, its state, and under which number the next record is appended.

    ``summary`` is where whoever works on it wrote a summary last, 0 where that is not known.
    """

    head: Head
    state: ThreadState
    number: int
    summary: int = 0

    @property
    def thread(self) -> str:
        return self.state.thread

    def after(self, position: int, events: Iterable[Event]) -> Standing:
        """The same once a record of these events is appended next, at a position of the log: it need not be waited for
        until the state reflects that."""
        state, summary = self.state, self.summary
        for event in events:
            if isinstance(event, Distilled):
                state = msgspec.structs.replace(state, distilled=max(state.distilled, event.last))
            elif isinstance(event, Summarised):
                summary = position
        return replace(self, state=state, number=self.number + 1, summary=summary)


class Progress:
    """Reads how far threads of one space are, for one producer of a worker; ``key`` names it in records and states."""

    def __init__(self, store: Store, reader: Reader, producer: str = PRODUCER, caller: Caller = CALLER) -> None:
        self.key = records.producer_key(caller, producer)
        self._documents = store.thread
        self._log = store.log
        self._reader = reader

    async def of(self, thread: str) -> Standing | None:
        """Where a thread is; None for one that has no records. A state that is behind is waited for a little while.

        Raises `Busy` while its state does not reflect what this producer wrote last: what comes after that is not
        known. A thread that was never distilled needs no state.
        """
        head = await self._reader.head(subjects.thread_chain(thread))
        if head is None:
            return None
        begun = anyio.current_time()
        while self._behind(head, state := await self.state(thread)):
            waited = anyio.current_time() - begun
            if waited > BEHIND_SECONDS:
                raise Busy(
                    f"the state of thread {thread!r} does not reflect yet what was made of it last; "
                    "start the facts worker and try again"
                )
            await anyio.sleep(max(_LOOK_SECONDS, _LOOK_SHARE * waited))
        known = numbering.known_number(self.key, state)
        return Standing(head, state, max(numbering.last_number(self.key, head.header, state), known) + 1)

    async def reflected(self, standing: Standing) -> Standing:
        """A thread as it is once what was appended last is reflected, so that what that says is known to whatever comes
        next; where that takes long, as it was told: nothing else depends on it."""
        try:
            return await self.of(standing.thread) or standing
        except Busy:
            return standing

    async def state(self, thread: str) -> ThreadState:
        """The state as it is stored; that of a new thread where there is none yet."""
        entry = await self._documents.get(subjects.state_key(thread))
        return _state.decode(entry.value) if entry else states.new(thread)

    async def written(self, standing: Standing) -> int:
        """When this producer appended last to a thread (ms UTC), 0 for never."""
        _, _, position = standing.state.producers.get(self.key, (0, 0, 0))
        (stored,) = await self._log.get([position]) if position else (None,)
        return records.open_brief(records.open_wire(stored.data).header).time if stored else 0

    def _behind(self, head: Head, state: ThreadState) -> bool:
        """Whether the chain may have a record of this producer that its state does not reflect."""
        known = numbering.known_number(self.key, state)
        return known < numbering.last_number(self.key, head.header, state) or state.record < head.header.evicted
