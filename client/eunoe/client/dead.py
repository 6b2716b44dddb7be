"""Dead letters: what a person, or the operator, asks about work that failed for good."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.client.arguments import checked
from eunoe.client.erasing import Erasing
from eunoe.schemas import ids, limits
from eunoe.schemas.requests import DeadReply, DeadRequest, Letter


class Dead(Erasing):
    """Work that failed for good: looked at, done again, or let go of."""

    @checked
    async def dead(self, *, worker: str | None = None, after: int = 0, limit: int = limits.LETTERS_SHOWN) -> DeadReply:
        """Dead letters (of one worker) after number ``after``, in order, a page at a time."""
        return await self._dead(DeadRequest(worker=_given(worker), after=after, limit=limit))

    @checked
    async def dead_letter(self, number: int) -> Letter:
        """One of them, whole; raises `NotFound`."""
        return (await self._dead(DeadRequest(action="show", numbers=(number,)))).letters[0]

    @checked
    async def replay_dead(self, numbers: Sequence[int] = (), *, worker: str | None = None) -> DeadReply:
        """Have the work of these letters, or of the first `limits.LETTERS_SHOWN` of a worker, done again; a letter goes
        once its work waits. Only a person may."""
        return await self._dead(DeadRequest(action="replay", numbers=tuple(numbers), worker=_given(worker)))

    @checked
    async def drop_dead(self, numbers: Sequence[int] = (), *, worker: str | None = None) -> DeadReply:
        """Let go of these letters, or of the first `limits.LETTERS_SHOWN` of a worker. Only a person may."""
        return await self._dead(DeadRequest(action="drop", numbers=tuple(numbers), worker=_given(worker)))

    async def _dead(self, request: DeadRequest) -> DeadReply:
        return await self.gate.ask("dead", request, DeadReply)


def _given(worker: str | None) -> str:
    return ids.check(worker, "worker") if worker is not None else ""
