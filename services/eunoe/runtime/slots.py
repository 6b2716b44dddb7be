"""Which of the two sets of buckets of a space is in use. Pure.

A set is *whole* when its three buckets hold the origin of one generation. Of whole sets the newest is in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eunoe.runtime.bucket_doors import InUse
from eunoe.schemas.facts import Origin
from eunoe.schemas.subjects import SLOTS


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot as it was found: the origins in its buckets (None: no origin, or no bucket), and whether any bucket
    takes no writes any more."""

    number: int
    origins: tuple[Origin | None, ...]
    sealed: bool = False

    @property
    def whole(self) -> bool:
        return None not in self.origins and len(set(self.origins)) == 1

    @property
    def generation(self) -> int:
        """The highest that is named, 0 when none is."""
        return max((origin.generation for origin in self.origins if origin), default=0)


def in_use(slots: Sequence[Slot]) -> InUse:
    """The newest whole set; where there is none, the one with the newest traces, which is to be made again.

    A space without any trace begins with the first slot and generation 1.
    """
    chosen = max(slots, key=lambda slot: (slot.whole, slot.generation, -slot.number))
    return InUse(
        slot=chosen.number,
        generation=max(1, chosen.generation),
        whole=chosen.whole,
        sealed=chosen.sealed,
        new=not chosen.generation,
        left=any(slot.sealed for slot in slots if slot is not chosen),
    )


def other(slot: int) -> int:
    """The slot that takes turns with this one."""
    return next(number for number in SLOTS if number != slot)
