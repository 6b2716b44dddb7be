"""Reviews that are laid aside: of ranges that failed as often as they may be tried, and that killed a worker."""

from __future__ import annotations

import msgspec

from eunoe.distillation.drawn import Range
from eunoe.distillation.letters import Letters
from eunoe.distillation.progress import CALLER, Progress, Standing
from eunoe.distillation.rules import Ordinals
from eunoe.runtime import dead_letters
from eunoe.runtime.doors import Clock, Store, Stored
from eunoe.schemas.jobs import ReviewJob

_job = msgspec.json.Decoder(ReviewJob)


class LaidAside:
    """The letters about reviews of one space."""

    def __init__(self, store: Store, clock: Clock, progress: Progress) -> None:
        self._store = store
        self._clock = clock
        self._progress = progress
        self._letters = Letters(store, CALLER.principal, "review")

    async def lay(self, found: Range, message: Stored, attempts: int, reason: str) -> None:
        """Write the letter of a range; its job asks for every turn of that, some of which were committed since."""
        job = msgspec.json.encode(ReviewJob(thread=found.thread, ordinal=found.last))
        aside = Stored(message.subject, message.seq, job, message.time)
        now, part = self._clock.now(), f"{found.first}-{found.last}"
        await dead_letters.write(self._store, CALLER.principal, aside, attempts, reason, now, part)

    async def killed(self, standing: Standing, ordinals: Ordinals) -> tuple[Ordinals, str] | None:
        """Those of these turns that are passed over, and why, as a job that asked for them was laid aside since the
        last review for ending whoever worked on it: no others than its letter has done again."""
        thread = standing.state.thread
        if not await self._letters.killed(thread, 0):
            return None
        letter = await self._letters.killed(thread, await self._progress.written(standing))
        if letter is None:
            return None
        first, last = ordinals[0], min(ordinals[1], _job.decode(letter.payload).ordinal)
        return ((first, last), letter.reason) if first <= last else None
