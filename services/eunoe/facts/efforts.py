"""What pieces of work took, together. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.events import DistilledEvent, Event


def total(efforts: Iterable[Effort], before: Effort | None = None) -> Effort:
    """The sum, on top of ``before``; it names the model that was asked last. A call of unknown price makes the price of
    all of them unknown."""
    found = before or Effort()
    for one in efforts:
        found = _both(found, one)
    return found


def of(events: Iterable[Event]) -> list[Effort]:
    """What the work took that a record tells of."""
    return [event.effort for event in events if isinstance(event, DistilledEvent)]


def added(events: Sequence[Event], spent: Iterable[Effort]) -> tuple[Event, ...]:
    """The events of a record, of which the first that tells what the work took tells of ``spent`` too: what failed
    attempts at the same took before it."""
    before, found = total(spent), list(events)
    for at, event in enumerate(found):
        if isinstance(event, DistilledEvent):
            found[at] = msgspec.structs.replace(event, effort=total([event.effort], before))
            break
    return tuple(found)


def _both(one: Effort, other: Effort) -> Effort:
    return Effort(
        model=other.model or one.model,
        calls=one.calls + other.calls,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cost=_cost(one, other),
        ms=one.ms + other.ms,
    )


def _cost(one: Effort, other: Effort) -> int | None:
    """What was not asked of any model has no price, and adds none."""
    priced = [effort.cost for effort in (one, other) if effort.calls or effort.cost is not None]
    return None if None in priced or not priced else sum(cost for cost in priced if cost is not None)
