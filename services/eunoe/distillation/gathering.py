"""Committed turns, put together from the records of a thread as they are read: the newest first. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from eunoe.distillation import words
from eunoe.distillation.door import Called, Said, Speaker, Turn
from eunoe.schemas.events import EntryBase, Event, Prompt, Response, ToolCall, TurnCommitted, TurnOpened
from eunoe.schemas.records import Header, Record


@dataclass(slots=True)
class _Found:
    """A turn on its way. ``opening`` is the number of the record that opened it, 0 while that is not known."""

    number: int
    ordinal: int
    at: int
    opening: int = 0
    agent: str = ""
    session: str = ""
    preview: str = ""
    entries: set[int] = field(default_factory=set)
    said: dict[int, Said] = field(default_factory=dict)
    called: dict[int, Called] = field(default_factory=dict)

    def made(self) -> Turn:
        first, last = min(self.entries, default=0), max(self.entries, default=0)
        return Turn(
            number=self.number,
            ordinal=self.ordinal,
            at=self.at,
            agent=self.agent,
            session=self.session,
            preview=self.preview,
            said=tuple(self.said[entry] for entry in sorted(self.said)),
            called=tuple(self.called[entry] for entry in sorted(self.called)),
            entries=(first, last),
            others=tuple(entry for entry in range(first, last) if entry not in self.entries),
        )


class Gathering:
    """The turns with the ordinals ``first`` to ``last``. Records are to be taken in one after the other, each older
    than those before; one that is lost is passed over, and so is a turn whose commit is."""

    def __init__(self, first: int, last: int) -> None:
        self._wanted = range(first, last + 1)
        self._turns: dict[int, _Found] = {}
        self._every = first > last
        self._at = 0

    @property
    def unsure(self) -> bool:
        """Whether the whole header of the next record can tell how far back these turns go."""
        return not self._every or any(not turn.opening for turn in self._turns.values())

    @property
    def oldest(self) -> int:
        """The number of the oldest record that is to be taken in; 0 where that is not known yet, or none is."""
        return 0 if self.unsure else min((turn.opening for turn in self._turns.values()), default=0)

    @property
    def enough(self) -> bool:
        """Whether no record that is older than those taken in can hold anything of these turns."""
        return not self.unsure and (not self._turns or 0 < self._at <= self.oldest)

    def take(self, record: Record) -> None:
        """One more record; of its header only its own number and time are looked at."""
        self._at = record.header.record
        for event in record.events:
            if isinstance(event, TurnCommitted) and event.ordinal in self._wanted:
                self._turns[event.turn] = _Found(event.turn, event.ordinal, record.header.time)
                self._every = self._every or event.ordinal == self._wanted[0]
        for event in record.events:
            turn = self._turns.get(getattr(event, "turn", 0))
            if turn is not None:
                _add(turn, event, record)

    def behind(self, header: Header) -> None:
        """What the whole header of a record says of the turns that were committed after it. Told before that record is
        taken in."""
        self._every = self._every or header.committed < self._wanted[0]
        opened = {one.turn: one for one in header.open.values()}
        for turn in self._turns.values():
            if turn.opening:
                continue
            found = opened.get(turn.number)
            if found is None:  # the record that opened it is lost, and was behind this one
                turn.opening = header.record + 1
            else:
                turn.opening = found.record
                turn.agent, turn.session, turn.preview = found.agent, found.session, found.preview

    def turns(self) -> list[Turn]:
        """In the order of their commits."""
        return [turn.made() for turn in sorted(self._turns.values(), key=lambda found: found.ordinal)]


def committed(events: Iterable[Event], up_to: int) -> int:
    """The highest ordinal with which events commit a turn of a number up to that one, 0 for none."""
    found = (event for event in events if isinstance(event, TurnCommitted) and event.turn <= up_to)
    return max((event.ordinal for event in found), default=0)


def _add(turn: _Found, event: Event, record: Record) -> None:
    accepted = record.header.time
    at = min(event.at or accepted, accepted)
    if isinstance(event, TurnOpened):
        turn.opening, turn.at = record.header.record, at
        turn.agent, turn.session, turn.preview = event.agent, event.session, event.preview
        return
    if not isinstance(event, EntryBase) or event.erased:
        return
    turn.entries.add(event.entry)
    if isinstance(event, ToolCall):
        turn.called[event.entry] = Called(event.entry, event.tool, words.arguments(event))
    elif isinstance(event, Prompt | Response) and (text := words.said(event)):
        speaker: Speaker = "person" if isinstance(event, Prompt) else "model"
        turn.said[event.entry] = Said(event.entry, record.position, at, speaker, text)
