"""One turn of a thread as far as it was read: its entries, and what they are to each other. Not pure: `Turn.add`
changes it in place."""

from __future__ import annotations

from bisect import insort
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Literal

from eunoe.composition import contents
from eunoe.composition.contents import Item
from eunoe.composition.references import reference, tool_of
from eunoe.composition.rounds import Round, Step, steps
from eunoe.schemas.events import Prompt, ToolCall, ToolResult

TurnState = Literal["open", "committed", "aborted"]


@dataclass(slots=True)
class Turn:
    """One turn as far as it was read. ``whole``: its opening was read, so no entry of it is missing.

    ``cache`` keeps what is derived from all its entries by pure functions, and a new entry empties it; ``kept``
    keeps what is derived from the entries that a key names.
    """

    number: int
    state: TurnState = "open"
    ordinal: int = 0
    key: str = ""
    agent: str = ""
    session: str = ""
    preview: str = ""
    time: int = 0
    whole: bool = False
    items: list[Item] = field(default_factory=list)
    size: int = 0
    cache: dict[Hashable, Any] = field(default_factory=dict)
    kept: dict[Hashable, Any] = field(default_factory=dict)

    def add(self, item: Item) -> None:
        if not self.items or self.items[-1].entry < item.entry:
            self.items.append(item)
        elif any(held.entry == item.entry for held in self.items[-64:]):
            return
        else:
            insort(self.items, item, key=lambda held: held.entry)
        self.size += contents.held(item.event)
        self.cache.clear()

    @property
    def asked(self) -> bool:
        """Whether its request is in the log."""
        return any(isinstance(item.event, Prompt) for item in self.items)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Prompts, rounds of calls with their results, and replies, in order."""
        found: tuple[Step, ...] | None = self.cache.get("steps")
        if found is None:
            found = self.cache["steps"] = steps(self.items)
        return found

    def call_of(self, result: int) -> ToolCall | None:
        """The call that the result with this entry number answers."""
        return self._calls.get(result)

    @property
    def tools(self) -> dict[int, str]:
        """The name of the tool behind every result, by the result's entry number."""
        found: dict[int, str] | None = self.cache.get("tools")
        if found is None:
            results = [item.event for item in self.items if isinstance(item.event, ToolResult)]
            found = self.cache["tools"] = {event.entry: tool_of(event, self.call_of(event.entry)) for event in results}
        return found

    def reference(self, item: Item, result: ToolResult, memory_tool: bool) -> str:
        """What stands for an output once this turn is over."""
        key = ("reference", item.entry, memory_tool)
        found: str | None = self.cache.get(key)
        if found is None:
            found = self.cache[key] = reference(item, result, self.call_of(item.entry), memory_tool)
        return found

    @property
    def _calls(self) -> dict[int, ToolCall]:
        found: dict[int, ToolCall] | None = self.cache.get("calls")
        if found is None:
            pairs = [call for step in self.steps if isinstance(step, Round) for call in step.calls]
            found = self.cache["calls"] = {
                call.result.entry: call.call.event
                for call in pairs
                if call.result is not None and isinstance(call.call.event, ToolCall)
            }
        return found
