"""Pairing: the entries of a turn as the steps that an API wants, every call with its result.

A *round* is one answer of the model with the calls it made and their results. A call whose result never
came is shown as such; a result whose call is unknown is no result to an API, and is said by the user. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from eunoe.composition.contents import Item
from eunoe.schemas.events import Instructions, Prompt, Response, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Call:
    """A call and its result, None while (or because) there is none."""

    call: Item
    result: Item | None


@dataclass(frozen=True, slots=True)
class Round:
    """What the model said, and the calls it made with that; a reply has no calls."""

    texts: tuple[Item, ...]
    calls: tuple[Call, ...]

    @property
    def first(self) -> int:
        """The number of its first entry, which names it in its turn."""
        return (self.texts or [call.call for call in self.calls])[0].event.entry

    @property
    def entries(self) -> tuple[int, ...]:
        results = [call.result.entry for call in self.calls if call.result]
        return (*(item.entry for item in self.texts), *(call.call.entry for call in self.calls), *results)


@dataclass(frozen=True, slots=True)
class Said:
    """A prompt, or a result without a call."""

    item: Item

    @property
    def first(self) -> int:
        return self.item.entry

    @property
    def entries(self) -> tuple[int, ...]:
        return (self.item.entry,)


Step = Round | Said


@dataclass(slots=True)
class _Open:
    texts: list[Item] = field(default_factory=list)
    calls: list[Item] = field(default_factory=list)
    answered: bool = False


def steps(items: Iterable[Item]) -> tuple[Step, ...]:
    """The steps of one turn, in the order of their first entries; instructions are no step."""
    walk = _Walk()
    for item in items:
        walk.take(item)
    return walk.end()


def tool_rounds(found: Iterable[Step]) -> list[Round]:
    return [step for step in found if isinstance(step, Round) and step.calls]


class _Walk:
    def __init__(self) -> None:
        self.order: list[_Open | Said] = []
        self.results: dict[int, Item] = {}
        self.waiting: dict[str, list[tuple[int, _Open]]] = {}

    def take(self, item: Item) -> None:
        match item.event:
            case Instructions():
                return
            case Prompt():
                self.order.append(Said(item))
            case Response():
                self._current(fresh=self._has_calls()).texts.append(item)
            case ToolCall():
                current = self._current(fresh=self._answered())
                current.calls.append(item)
                self.waiting.setdefault(item.event.call, []).append((item.entry, current))
            case ToolResult():
                self._result(item, item.event.call)

    def end(self) -> tuple[Step, ...]:
        return tuple(step if isinstance(step, Said) else self._round(step) for step in self.order)

    def _result(self, item: Item, call: str) -> None:
        waiting = self.waiting.get(call)
        if not waiting:
            self.order.append(Said(item))
            return
        entry, owner = waiting.pop(0)
        self.results[entry] = item
        owner.answered = True

    def _current(self, *, fresh: bool) -> _Open:
        last = self.order[-1] if self.order else None
        if isinstance(last, _Open) and not fresh:
            return last
        current = _Open()
        self.order.append(current)
        return current

    def _has_calls(self) -> bool:
        last = self.order[-1] if self.order else None
        return isinstance(last, _Open) and bool(last.calls)

    def _answered(self) -> bool:
        last = self.order[-1] if self.order else None
        return isinstance(last, _Open) and last.answered

    def _round(self, step: _Open) -> Round:
        return Round(tuple(step.texts), tuple(Call(item, self.results.get(item.entry)) for item in step.calls))
