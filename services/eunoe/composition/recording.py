"""Storing a recipe: on its thread's chain, through audit, before the context is handed out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from eunoe.composition.fold import Fold
from eunoe.runtime import numbering
from eunoe.runtime.doors import Auditor
from eunoe.schemas import limits, records
from eunoe.schemas.errors import Busy, DoesNotFit, NumberReused, NumberSkipped, OutcomeUnknown, TooLarge
from eunoe.schemas.events import Event
from eunoe.schemas.requests import AppendRequest, ThreadState
from eunoe.schemas.subjects import Caller

Events = tuple[Event, ...]

PRODUCER = "composition"
CALLER = Caller("worker", "composition")
_KEY = records.producer_key(CALLER, PRODUCER)
_ATTEMPTS = 16  # appends in a row that lost their number to another worker, or got no answer


class Recorder:
    """Appends recipes under one producer, which all composition workers of a space share."""

    def __init__(self, auditor: Auditor) -> None:
        self._auditor = auditor
        self._counts = {"recorded": 0, "renumbered": 0}

    def statistics(self) -> dict[str, int]:
        return dict(self._counts)

    async def record(
        self, fold: Fold, events: Events, state: ThreadState | None, refresh: Callable[[], Awaitable[None]]
    ) -> int:
        """Store a recipe and what it used; the position of its record. ``refresh`` reads the thread's end again.

        Raises `Busy`, and `DoesNotFit` for a context of so many parts that no record holds its recipe.
        """
        number = numbering.next_number(_KEY, fold.header, state)
        for _ in range(_ATTEMPTS):
            try:
                reply = await self._auditor.append(fold.chain, _request(number, events))
            except OutcomeUnknown:
                continue
            except NumberSkipped as refused:
                number = int(refused.detail.get("expected", 0)) or await self._again(fold, state, refresh)
            except TooLarge:
                raise DoesNotFit(
                    f"the recipe of this context is more than a record of {limits.RECORD_BYTES:,} bytes holds, so many "
                    "turns and outputs it names, and it is not handed out; use a smaller window"
                ) from None
            except NumberReused:
                number = max(await self._again(fold, state, refresh), number + 1)
            else:
                self._counts["recorded"] += 1
                return reply.position
        raise Busy("the recipe could not be stored, so the context is not handed out; try again")

    async def _again(self, fold: Fold, state: ThreadState | None, refresh: Callable[[], Awaitable[None]]) -> int:
        self._counts["renumbered"] += 1
        await refresh()
        return numbering.next_number(_KEY, fold.header, state)


def _request(number: int, events: Events) -> AppendRequest:
    return AppendRequest(v=limits.SCHEMA_VERSION, producer=PRODUCER, n=number, events=events)
