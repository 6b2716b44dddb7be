"""Threads built by the audit worker's own rules, and contexts composed from them without any worker."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from shapes import check_anthropic, check_openai

from eunoe.audit import rules
from eunoe.composition import outline
from eunoe.composition.contents import Item
from eunoe.composition.counter import ByteCounter, Counter
from eunoe.composition.fold import Fold
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.known import Known, known
from eunoe.composition.making import make
from eunoe.composition.render import Rendered, Stored
from eunoe.composition.shelf import Facts
from eunoe.composition.showing import Manner
from eunoe.composition.summary import Summary
from eunoe.facts.document import build
from eunoe.facts.fold import fold
from eunoe.runtime.chains import Head
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Format, Recipe
from eunoe.schemas.events import (
    Event,
    Instructions,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.facts import Assertion, Identity, Provenance, Source, Stated
from eunoe.schemas.records import Record
from eunoe.schemas.requests import AppendRequest
from eunoe.schemas.subjects import Caller

START = 1_750_000_000_000  # 2025-06-15 15:06:40Z


@dataclass
class Thread:
    """One thread's records. Every append is one second after the last."""

    name: str = "t"
    records: list[Record] = field(default_factory=list)
    count: int = 0
    n: int = 0

    @property
    def chain(self) -> str:
        return subjects.thread_chain(self.name)

    def append(self, *events: Event, key: str = "") -> Record:
        self.n += 1
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer="test", n=self.n, events=events, turn=key)
        head = Head(self.records[-1].header, self.records[-1].position, "0" * 64) if self.records else None
        append = rules.Append(Caller("caller", "ann"), "test", self.chain, request, "0" * 64, START + 1000 * self.n)
        found = rules.decide(head, append)
        assert isinstance(found, rules.Write)
        record = Record(position=10 * self.n, header=found.header, hash="0" * 64, events=found.events)
        self.records.append(record)
        return record

    def instruct(self, text: str) -> None:
        self.append(Instructions(content=text))

    def open(self, *events: Event) -> str:
        self.count += 1
        key = f"k{self.count}"
        self.append(TurnOpened(agent="builder"), *events, key=key)
        return key

    def turn(self, *events: Event, aborted: bool = False) -> None:
        key = self.open(*events)
        self.append(TurnAborted(reason="test") if aborted else TurnCommitted(), key=key)

    def fold(self) -> Fold:
        fold = Fold(self.chain)
        for record in self.records:
            fold.add(record)
        return fold


@dataclass(frozen=True)
class Composed:
    recipe: Recipe
    rendered: Rendered

    @property
    def messages(self) -> Any:
        return json.loads(self.rendered.messages)


@dataclass(frozen=True)
class Compose:
    """What to compose of a thread; every field has the value that a plain request has."""

    window: int = 8192
    format: Format = "openai"
    memory_tool: bool = False
    target: float = limits.TARGET_SHARE
    headroom: int = limits.HEADROOM_TURNS
    counter: Counter = field(default_factory=ByteCounter)
    model: str = ""
    keep: int = 0
    relevant: bool = True
    outline: bool = True

    @property
    def settings(self) -> Settings:
        manner = Manner(self.format, self.memory_tool)
        return Settings(
            window=self.window,
            manner=manner,
            target=self.target,
            headroom=self.headroom,
            counter=self.counter,
            keep=self.keep,
            relevant=self.relevant,
            outline=self.outline,
            model=self.model,
        )

    def __call__(
        self,
        fold: Fold,
        *,
        key: str = "",
        request: str = "",
        earlier: Sequence[Known] = (),
        now: Sequence[Known] = (),
        mark: int = 0,
        before: Recipe | None = None,
        **more: Any,
    ) -> Composed:
        opened = fold.opened(key) if key else None
        turn = opened.number if opened else fold.last + 1
        inputs = Inputs(
            thread="t",
            fold=fold,
            turn=turn,
            open=opened,
            request=request,
            instructions=fold.in_force(turn, "builder"),
            earlier=Facts.of(earlier),
            now=Facts.of(now),
            before=before or (self.marked(mark) if mark else None),
            **more,
        )
        made = make(inputs, self.settings)
        return Composed(made.recipe, made.rendered)

    def marked(self, first_turn: int) -> Recipe:
        """A last recipe of which no more is known than its cut mark; every turn before that was committed."""
        return Recipe(
            v=limits.SCHEMA_VERSION,
            id="c0",
            turn=first_turn,
            window=self.window,
            format=self.format,
            counter=self.counter.name,
            renderer=limits.RENDERER_VERSION,
            position=0,
            turns=(),
            first_turn=first_turn,
            sha256="",
            left=first_turn - 1,
        )


def stored_of(
    recipe: Recipe, fold: Fold, instructions: Sequence[Item], facts: Sequence[Known], summary: Summary | None = None
) -> Stored:
    turns = {number: fold.turns[number] for number in (*recipe.turns, recipe.turn) if number in fold.turns}
    left = [fold.turns[one.turn] for one in recipe.outline]
    prompts = {turn.number: said for turn in left if (said := outline.asked_in(turn))}
    return Stored(turns, instructions, {fact.shown.id: fact.line for fact in facts}, prompts, summary)


@dataclass(frozen=True)
class Kit:
    """The names that tests build threads and contexts with."""

    thread: Callable[[], Thread] = Thread
    compose: Callable[..., Compose] = Compose
    stored_of: Callable[..., Stored] = stored_of
    check_openai: Callable[[Sequence[dict[str, Any]]], None] = check_openai
    check_anthropic: Callable[[Sequence[dict[str, Any]]], None] = check_anthropic

    def fact(self, value: str, *, name: str, turn: int, thread: str = "t") -> Known:
        """A fact of a file that a tool gave in that turn."""
        assertion = Assertion(
            identity=Identity("thread", thread, "file", name),
            value=value,
            source=Source(kind="tool", principal="read_file"),
            at=turn,
            provenance=Provenance(thread=thread, turn=turn),
        )
        stated = Stated(id=f"f{name}", position=turn, index=0, fact=assertion)
        return known(fold(build(assertion.identity, [stated])), thread)[0]

    def reads(self, output: str, call: str = "c1", tool: str = "read_file", **result: Any) -> tuple[Event, Event]:
        """A call that reads, and its result."""
        return (
            ToolCall(call=call, tool=tool, content='{"path": "a.py"}'),
            ToolResult(call=call, tool=tool, content=output, **result),
        )

    def asks(self, text: str, *events: Event, answer: str = "done") -> tuple[Event, ...]:
        return (Prompt(content=text), *events, Response(content=answer))


@pytest.fixture(scope="session")
def kit() -> Kit:
    return Kit()
