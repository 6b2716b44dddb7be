"""Cutting a conversation into turns: a prompt opens one, and the next prompt, or the end, closes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from eunoe.client.importing.model import Turn
from eunoe.schemas.events import (
    HappenedEvent,
    Instructions,
    Prompt,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
)


@dataclass(slots=True)
class Conversation:
    """The turns of one thread as its messages come.

    Instructions before the first prompt wait for the turn that it opens. Imports are history: a turn is
    committed when it ends, unless the transcript says that it was interrupted.
    """

    suffix: str = ""
    session: str = ""
    last: int = 0
    turns: int = 0
    _line: int = 0
    _waiting: list[HappenedEvent] = field(default_factory=list)
    _events: list[HappenedEvent] = field(default_factory=list)

    def time(self, at: int | None) -> int:
        """The time of a message: its own, or that of the one before when it has none."""
        self.last = at or self.last
        return self.last

    def add(self, events: Iterable[HappenedEvent], line: int) -> Iterator[Turn]:
        """Take the events of one message; yields the turn that they end, if they do."""
        for event in events:
            if isinstance(event, Prompt):
                yield from self._end(TurnCommitted())
            if not self._events and isinstance(event, Instructions):
                self._line = self._line or line
                self._waiting.append(event)
                continue
            if not self._events:
                self._open(event, line)
            self._events.append(event)

    def interrupt(self, reason: str) -> Iterator[Turn]:
        """The turn at hand was aborted."""
        yield from self._end(TurnAborted(reason=reason))

    def finish(self) -> Iterator[Turn]:
        """The transcript is over: the turn at hand, and instructions that no prompt followed."""
        yield from self._end(TurnCommitted())
        if self._waiting:
            yield Turn(self.suffix, "", tuple(self._waiting), self._line)
            self._waiting, self._line = [], 0

    def _open(self, event: HappenedEvent, line: int) -> None:
        self.turns += 1
        opened = TurnOpened(at=event.at, key=str(self.turns), session=self.session)
        self._events = [opened, *self._waiting]
        self._line, self._waiting = self._line or line, []

    def _end(self, end: TurnCommitted | TurnAborted) -> Iterator[Turn]:
        if self._events:
            ended = msgspec.structs.replace(end, at=self._events[-1].at)
            committed = isinstance(end, TurnCommitted)
            yield Turn(self.suffix, str(self.turns), (*self._events, ended), self._line, committed=committed)
            self._events, self._line = [], 0
