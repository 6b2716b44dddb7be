"""SWE-agent trajectories, of both kinds: with tool calls, and with actions written in fenced blocks.

The history is what the model saw and is preferred; the trajectory gives the working directory of each
step, an observation that the history misses, and the whole run where there is no history.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from eunoe.client import messages
from eunoe.client.importing import actions
from eunoe.client.importing.model import Aside, Item, Problem
from eunoe.client.importing.source import Parsed, Source
from eunoe.client.importing.turns import Conversation
from eunoe.client.parts import SaidOrDone, flatten
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import HappenedEvent, ToolCall, ToolResult


def read(source: Source, *, lines: bool = False) -> Iterator[Item]:
    """The run of the file: one turn, from the issue to the submission. JSONL holds a run a line."""
    values = source.values() if lines else iter((source.whole(),))
    for number, item in enumerate(values, 1):
        if isinstance(item, Problem):
            yield item
        else:
            yield from _run(item, str(number) if lines else "")


def _at(line: int, item: Item) -> Item:
    """An item of a run that is one line of the file; its own line is the number of a message."""
    if isinstance(item, Problem):
        return replace(item, line=line, reason=f"message {item.line}: {item.reason}")
    return replace(item, line=line)


def _run(item: Parsed, suffix: str) -> Iterator[Item]:
    value = item.value
    history, steps = _list(value, "history"), _list(value, "trajectory")
    if not history and not steps:
        yield Problem(item.line, "no trajectory: an object with a history or a trajectory is wanted")
        return
    if item.mended:
        yield Problem(item.line, f"{item.mended} halves of surrogate pairs were replaced by U+FFFD", kept=True)
    run = _Run(Conversation(suffix), [step for step in steps if isinstance(step, dict)])
    said = chain(run.history(history) if history else run.steps_alone(), run.finish())
    yield from (_at(item.line, one) for one in said) if suffix else said


def _list(value: Any, key: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


@dataclass(slots=True)
class _Run:
    """One run while it is read. ``open`` is the call that waits for its observation, ``calls`` are all."""

    thread: Conversation
    trajectory: list[dict[str, Any]]
    done: int = 0
    open: ToolCall | None = None
    line: int = 0
    calls: dict[str, str] = field(default_factory=dict)

    def history(self, history: list[Any]) -> Iterator[Item]:
        for line, message in enumerate(history, 1):
            self.line = line
            if not isinstance(message, dict):
                yield Problem(self.line, "no message: an object with a role and content is wanted")
            elif message.get("is_demo"):
                yield Aside(self.line, "demonstration")
            else:
                yield from self._message(message)

    def steps_alone(self) -> Iterator[Item]:
        """A trajectory without a history: what the model said, did and saw, step by step."""
        for line, step in enumerate(self.trajectory, 1):
            self.line = line
            message = {"role": "assistant", "content": str(step.get("response") or ""), **_said(step)}
            yield from self._message(message)
            yield from self._observed(str(step.get("observation") or ""))

    def finish(self) -> Iterator[Item]:
        """A last action may have its observation in the trajectory only."""
        step = self._step()
        if self.open is not None and step is not None:
            yield from self._observed(str(step.get("observation") or ""))
        yield from self.thread.finish()

    def _message(self, message: dict[str, Any]) -> Iterator[Item]:
        if message.get("role") == "user" and self.open is not None:
            yield from self._observed(flatten(message.get("content"))[0])
            return
        try:
            found = messages.read(message)
            events = self._acted(message, found.events)
        except Invalid as error:
            yield Problem(self.line, str(error))
            return
        unknown = messages.unknown_calls(found.events, self.calls)
        self.calls.update((event.call, event.tool) for event in events if isinstance(event, ToolCall))
        yield from (Problem(self.line, note, kept=True) for note in (*found.notes, *unknown))
        yield from self.thread.add(events, self.line)

    def _acted(self, message: Mapping[str, Any], events: tuple[SaidOrDone, ...]) -> list[HappenedEvent]:
        """The events of a message; in the text kind, its action as a call of its own."""
        if message.get("role") == "tool":
            return [self._answer(event) for event in events]
        if message.get("role") != "assistant":
            return list(events)
        calls = [event for event in events if isinstance(event, ToolCall)]
        if calls:
            self.done, self.open = self.done + 1, calls[-1]
            return list(events)
        response, self.open = actions.split(message, number=self.done + 1)
        self.done += 1 if self.open else 0
        return [event for event in (response, self.open) if event]

    def _observed(self, text: str) -> Iterator[Item]:
        if self.open is not None:
            yield from self.thread.add([self._answer(ToolResult(call=self.open.call, content=text))], self.line)

    def _answer(self, event: SaidOrDone) -> SaidOrDone:
        call, self.open = self.open, None
        if not isinstance(event, ToolResult):
            return event
        tool = call.tool if call and call.call == event.call else event.tool
        return ToolResult(call=event.call, tool=tool, content=_placed(event.content, self._step()))

    def _step(self) -> dict[str, Any] | None:
        return self.trajectory[self.done - 1] if 0 < self.done <= len(self.trajectory) else None


def _said(step: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(step[key]) for key in ("action", "thought") if step.get(key)}


def _placed(content: str, step: Mapping[str, Any] | None) -> str:
    """An observation with the working directory of its step, which the prompt usually shows already."""
    directory = _working_directory(step)
    if not directory or "(Current directory: " in content:
        return content
    return f"{content.rstrip()}\n(Current directory: {directory})".lstrip("\n")


def _working_directory(step: Mapping[str, Any] | None) -> str:
    state = step.get("state") if step else None
    if isinstance(state, str):
        try:
            state = json.loads(state)
        except ValueError:
            return ""
    found = state.get("working_dir") if isinstance(state, dict) else None
    return found if isinstance(found, str) else ""
