"""Threads of which a job was laid aside because whoever worked on it ended each time."""

from __future__ import annotations

from collections import OrderedDict

import msgspec

from eunoe.runtime.closing import closing
from eunoe.runtime.dead_letters import ENDED
from eunoe.runtime.doors import Store
from eunoe.runtime.matching import matches
from eunoe.schemas import subjects
from eunoe.schemas.requests import DeadLetter

_KEPT = 4_096  # threads that are remembered

_letter = msgspec.json.Decoder(DeadLetter)


class Letters:
    """The letters of one worker about jobs of one kind that killed it; each letter is read once."""

    def __init__(self, store: Store, worker: str, kind: str) -> None:
        self._dead = store.dead
        self._subject = subjects.dead(store.space, worker)
        self._jobs = subjects.jobs_filter(store.space, kind)
        self._read = 0
        self._killed: OrderedDict[str, tuple[int, DeadLetter]] = OrderedDict()

    async def killed(self, thread: str, since: int) -> DeadLetter | None:
        """The newest letter of a thread, where it is newer than ``since`` (ms UTC) and nobody let go of it."""
        await self._catch_up()
        number, letter = self._killed.get(thread, (0, None))
        if letter is None or letter.time <= since:
            return None
        (there,) = await self._dead.get([number])
        return letter if there is not None else None

    async def _catch_up(self) -> None:
        last = (await self._dead.info()).last
        if last <= self._read:
            return
        async with closing(self._dead.scan([self._subject], start=self._read + 1)) as found:
            async for stored in found:
                self._note(stored.seq, stored.data)
        self._read = last

    def _note(self, number: int, data: bytes) -> None:
        try:
            letter = _letter.decode(data)
        except msgspec.DecodeError:  # `eunoe dead list` tells of it
            return
        if letter.reason == ENDED and matches(self._jobs, letter.subject):
            self._killed[letter.thread] = (number, letter)
            self._killed.move_to_end(letter.thread)
            if len(self._killed) > _KEPT:
                self._killed.popitem(last=False)
