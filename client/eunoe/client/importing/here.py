"""What of a file is in its thread already, and what goes in: the file's turns against what is held. Pure."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from eunoe.client import batches
from eunoe.client.batches import Ready
from eunoe.client.importing.held import Held, entry_key
from eunoe.client.importing.prepare import Planned
from eunoe.schemas.events import Entry, FactRecorded, TurnAborted, TurnCommitted, TurnOpened

REST = ".rest"  # ends the key of a turn that holds what is new of another


class Comparison:
    """One file against its thread, turn by turn in the file's order.

    While the thread holds more, the file's entries must be the next ones there; once it holds no more,
    the rest of the file is new. ``differs`` is the number of the thread's entry that is another one,
    0 as long as there is none; nothing of such a file is new. What was stated before that is known has to
    wait: ``waiting`` counts the parts that `stated` takes in the end.
    """

    def __init__(self, held: Held) -> None:
        self.differs = 0
        self.waiting = 0
        self._held = held
        self._at = 0
        self._growing = not held
        self._opened: dict[str, TurnOpened] = {}
        self._cut: set[str] = set()

    @property
    def older(self) -> bool:
        """Whether the thread goes on where the file, as seen so far, ends."""
        return not self.differs and self._at < len(self._held.keys)

    def new(self, planned: Planned) -> Planned | None:
        """The part of a turn that the thread does not hold; None when there is none."""
        if planned.facts and self.older:
            self.waiting += 1
            return None
        if planned.facts:
            return None if self.differs else self._facts(planned)
        if planned.key in self._cut:
            return self._went_on(planned)
        if self._growing and planned.key not in self._opened:
            return planned
        begun = planned.key in self._opened
        here = self._here(planned)
        opened = self._remembered(planned)
        if self.differs or here == len(planned.readies):
            return None
        self._growing = True
        self._held, self._at = self._held.of_facts(), 0  # the rest of it is not looked at any more
        self._opened.pop(planned.key, None)
        return self._rest(planned, here, opened) if here or begun else planned

    def stated(self, planned: Planned) -> Planned | None:
        """What was stated in a part that had to wait; the parts come again in the same order."""
        if self.differs or not self.waiting:
            return None
        self.waiting -= 1
        return self._facts(planned)

    def _facts(self, planned: Planned) -> Planned | None:
        found = tuple(ready for ready in planned.readies if not self._knows(ready))
        return replace(planned, readies=found) if found else None

    def _knows(self, ready: Ready) -> bool:
        return isinstance(ready.event, FactRecorded) and self._held.has_fact(ready.event.fact)

    def _here(self, planned: Planned) -> int:
        """How many of the turn's events are in the thread, counted from its beginning."""
        whole, held = len(planned.readies), self._held
        if self.differs:
            return whole
        keys = [entry_key(ready.event) for ready in planned.readies if isinstance(ready.event, Entry)]
        left = len(held.keys) - self._at
        common = _common(keys, held, self._at)
        ends = common in (len(keys), left)
        if not planned.committed and (held.has_loose(keys) or not (common and ends)):
            return whole if left or held.has_loose(keys) else 0
        if not ends:
            self.differs = held.numbers[self._at + common]
            return whole
        self._at += common
        return whole if common == len(keys) else _after_entry(planned, common)

    def _remembered(self, planned: Planned) -> TurnOpened | None:
        """How the turn was opened, kept until it ends: an export brings it in several parts."""
        opened = self._opened.pop(planned.key, None)
        for ready in planned.readies:
            opened = ready.event if isinstance(ready.event, TurnOpened) else opened
        if opened is not None and not _ends(planned):
            self._opened[planned.key] = opened
        return opened

    def _rest(self, planned: Planned, here: int, opened: TurnOpened | None) -> Planned:
        """What is new of a turn, from its first new entry on, as a turn of its own that is opened as the turn was."""
        left = list(planned.readies[here:])
        while not isinstance(left[0].event, Entry):
            left.pop(0)
        if opened is None:
            return replace(planned, readies=tuple(left))
        key = planned.key + REST
        begins = batches.ready(structs.replace(opened, key=key, at=left[0].event.at))
        if not _ends(planned):
            self._cut.add(planned.key)
        return replace(planned, key=key, readies=(begins, *left), opens=True)

    def _went_on(self, planned: Planned) -> Planned:
        """A later part of a turn of which only the rest went in."""
        if _ends(planned):
            self._cut.discard(planned.key)
        return replace(planned, key=planned.key + REST)


def _common(keys: list[bytes], held: Held, at: int) -> int:
    """How many of ``keys`` are the next ones that are held."""
    most = min(len(keys), len(held.keys) - at)
    return next((count for count in range(most) if not held.has(at + count, keys[count])), most)


def _after_entry(planned: Planned, count: int) -> int:
    """The place after the first ``count`` entries of a turn."""
    places = [place for place, ready in enumerate(planned.readies, 1) if isinstance(ready.event, Entry)]
    return places[count - 1] if count else 0


def _ends(planned: Planned) -> bool:
    return any(isinstance(ready.event, TurnCommitted | TurnAborted) for ready in planned.readies)
