"""Dead letters for scripts: the names of the asynchronous twin, without ``await``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from eunoe.client.dead import Dead as Asynchronous
from eunoe.client.sync_facts import Facts
from eunoe.schemas import limits
from eunoe.schemas.requests import DeadReply, Letter

_Memory = TypeVar("_Memory", bound=Asynchronous)


class Dead(Facts[_Memory]):
    """What `eunoe.client.Memory` asks about work that failed for good."""

    def dead(self, *, worker: str | None = None, after: int = 0, limit: int = limits.LETTERS_SHOWN) -> DeadReply:
        return self._run(self._memory.dead, worker=worker, after=after, limit=limit)

    def dead_letter(self, number: int) -> Letter:
        return self._run(self._memory.dead_letter, number)

    def replay_dead(self, numbers: Sequence[int] = (), *, worker: str | None = None) -> DeadReply:
        return self._run(self._memory.replay_dead, numbers, worker=worker)

    def drop_dead(self, numbers: Sequence[int] = (), *, worker: str | None = None) -> DeadReply:
        return self._run(self._memory.drop_dead, numbers, worker=worker)
