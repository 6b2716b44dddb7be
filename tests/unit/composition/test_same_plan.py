"""The next request has the same plan and the same bytes whoever makes it: a worker that followed the thread all along,
one that reads it now, one that goes on from a copy, and one that forgot all that it could."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from types import ModuleType
from typing import Any

import pytest
from composition_desks import BUILDER, DISTILLATION, EXTRACTION, System

from eunoe.composition import worker
from eunoe.composition.blocks import spans
from eunoe.composition.worker import CompositionWorker
from eunoe.schemas import limits
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.events import (
    Distilled,
    Event,
    Extracted,
    Instructions,
    Prompt,
    Response,
    Summarised,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
    Usage,
)
from eunoe.schemas.requests import Refused
from eunoe.schemas.subjects import Caller
from eunoe.testing import MemoryCache

OTHER = Caller("agent", "other")
PROFILES: tuple[dict[str, Any], ...] = (
    {"window": 512},
    {"window": 1024, "format": "anthropic", "memory_tool": True},
    {"window": 1024, "format": "anthropic", "keep": 2},
    {"window": 2048, "format": "text"},
    {"window": 4096, "format": "responses", "model": "gpt-4o"},
    {"window": 4096, "format": "markdown", "keep": 3},
    {"window": 16_384},
)


class Life:
    """A thread as chance has it, composed by one worker in profiles that change."""

    def __init__(self, seed: int, composed: float) -> None:
        self.chance = Random(seed)
        self.system = System(distiller="rules")
        self.composed = composed
        self.profiles = [PROFILES[0]]
        self.open: dict[str, Caller] = {}
        self.committed: list[int] = []
        self.drawn = 0
        self.summary = 0
        self.count = 0

    def text(self) -> str:
        words = [f"{self.chance.choice(('note', 'line', 'word'))}{self.chance.randrange(50)}" for _ in range(400)]
        return " ".join(words[: int(2 ** self.chance.uniform(0, 8.6))])

    async def turn(self) -> None:
        """One more turn, with contexts at some of its steps, which ends or stays open for a while."""
        key, caller, how = await self._opened()
        for step in range(self.chance.choice((1, 1, 1, 2, 4))):
            if step:
                await self._append(key, *self._round(f"{key}-{step}"))
            if self.chance.random() < self.composed:
                await self._context(key, caller, how)
        await self._append(key, Response(content=self.text()))
        if self.chance.random() > 0.06 or len(self.open) > 5:
            await self._end(key)
        if self.open and self.chance.random() < 0.05:
            await self._end(self.chance.choice(sorted(self.open)))
        if self.chance.random() < 0.15:
            await self.system.fact(self.text()[:50], name=self.chance.choice("abc"), turn=self.count)
            await self.system.project()
        if self.chance.random() < 0.1:
            await self._drawn()

    async def _drawn(self) -> None:
        """Everything is drawn from turns up to one that chance has it, and the summary goes on, or stays behind."""
        first, newest = self.drawn + 1, min(len(self.committed), self.drawn + limits.DISTILLED_TURNS)
        last = self.chance.randint(self.drawn, newest)
        if first > last:
            return
        for ordinal in range(first, last + 1):
            turn = self.committed[ordinal - 1]
            await self.system.append(Extracted(turn=turn, ordinal=ordinal), caller=EXTRACTION)
        events: list[Event] = [Distilled(first=first, last=last, turns=self._turns(first, last), by="rules")]
        if self.chance.random() < 0.7:
            text = ". ".join(self.text() for _ in range(self.chance.choice((1, 3, 20))))
            turns, entries = self._turns(1, last), ((1, 2),)
            said = Summarised(text=text, last=last, turns=turns, entries=entries, by="rules", before=self.summary)
            events.append(said)
        reply = await self.system.append(*events, caller=DISTILLATION)
        self.summary = reply.position if len(events) > 1 else self.summary
        self.drawn = last
        await self.system.project()

    def _turns(self, first: int, last: int) -> tuple[tuple[int, int], ...]:
        return tuple(spans(sorted(self.committed[first - 1 : last])))

    def request(self, how: dict[str, Any]) -> dict[str, Any]:
        """A look at the next request: of an open turn, or of one that is to come."""
        if self.open and self.chance.random() < 0.5:
            return {**how, "key": self.chance.choice(sorted(self.open))}
        return {**how, "prompt": "Which note?"}

    async def _opened(self) -> tuple[str, Caller, dict[str, Any]]:
        self.count += 1
        if self.count % 9 == 1:
            self.profiles = self.chance.sample(PROFILES, self.chance.choice((1, 2, 3)))
        key, caller = f"k{self.count}", OTHER if self.chance.random() < 0.2 else BUILDER
        self.open[key] = caller
        given: list[Event] = [Instructions(content=self.text()[:80])] if self.chance.random() < 0.08 else []
        await self._append(key, TurnOpened(), *given, Prompt(content=self.text()))
        return key, caller, self.chance.choice(self.profiles)

    def _round(self, call: str) -> tuple[Event, Event]:
        said = ToolCall(call=call, tool="read_file", content='{"path": "a.py"}')
        return said, ToolResult(call=call, tool="read_file", content=self.text() * self.chance.choice((1, 4)))

    async def _context(self, key: str, caller: Caller, how: dict[str, Any]) -> None:
        try:
            context = await self.system.compose(caller=caller, key=key, store=True, **how)
            if self.chance.random() < 0.1:
                refused = Refused(context=context.id, tokens=how["window"] + 300)
                await self.system.compose(caller=caller, key=key, store=True, refused=refused, **how)
            elif self.chance.random() < 0.5:
                tokens = int(context.tokens * self.chance.uniform(0.7, 1.6)) + 1
                await self._append(key, Usage(input_tokens=tokens, model=how.get("model", "")))
        except DoesNotFit:
            pass  # then no context is stored, and the next request begins where this one did

    async def _append(self, key: str, *events: Event) -> None:
        await self.system.append(*events, key=key, caller=self.open[key])

    async def _end(self, key: str) -> None:
        aborted = self.chance.random() < 0.1
        await self._append(key, TurnAborted(reason="so") if aborted else TurnCommitted())
        self.committed += [] if aborted else [int(key.removeprefix("k"))]
        del self.open[key]


class Replicas:
    """The workers that are asked beside the one that followed the thread."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._cache = MemoryCache()
        self._forgetful = system.replica()

    async def results(self, request: dict[str, Any]) -> dict[str, Any]:
        """What each of them makes of a request; one leaves a copy for the next time."""
        found = {
            "warm": await self._result(self._system.worker, request),
            "cold": await self._result(self._system.replica(), request),
        }
        with patched(worker, "cache_of", lambda settings, clock: self._cache):
            copying = self._system.replica()
        found["from a copy"] = await self._result(copying, request)
        await copying.drain()
        with patched(limits, "FOLDED_THREAD_BYTES", 2_000):
            found["forgetful"] = await self._result(self._forgetful, request)
        return found

    async def _result(self, asked: CompositionWorker, request: dict[str, Any]) -> Any:
        try:
            context = await self._system.compose(asked, **request)
        except DoesNotFit as error:
            return str(error)
        return context.recipe, context.messages, context.system, context.facts


@contextmanager
def patched(module: ModuleType, name: str, value: object) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, value)
        yield


def check(found: dict[str, Any]) -> None:
    assert {name: what for name, what in found.items() if what != found["warm"]} == {}


@pytest.mark.parametrize(
    ("seed", "turns", "composed"), [(100, 150, 0.15), (107, 150, 0.15), (5, 60, 0.6), (1, 40, 1.0)]
)
async def test_every_replica_makes_the_same_of_a_request(seed: int, turns: int, composed: float) -> None:
    """In profiles that were used a moment ago, long ago and never; with facts that are still to come, and a summary
    that goes on and stays behind."""
    life = Life(seed, composed)
    replicas = Replicas(life.system)
    summaries = 0
    for number in range(turns):
        await life.turn()
        if number % (turns // 5) == turns // 5 - 1:
            for how in PROFILES:
                found = await replicas.results(life.request(how))
                check(found)
                summaries += isinstance(found["warm"], tuple) and found["warm"][0].summary is not None
    assert summaries


async def test_a_profile_from_before_a_whole_window_begins_anew(kit: Any) -> None:
    """Of 1,200 turns its recipe is 1,100 back, and its window holds some thirty: who knows of it, and who does not,
    make the same plan; where the window holds all that came since, the recipe still counts."""
    system = System()
    for number in range(100):
        await system.turn(*kit.asks(f"q{number}", answer="words " * 40))
    for window in (2048, 200_000):
        key = await system.open(Prompt(content="and now?"))
        context = await system.compose(key=key, store=True, window=window)
        usage = Usage(input_tokens=context.tokens + 200)
        await system.append(usage, TurnCommitted(), key=key)
    for number in range(1_100):
        await system.turn(*kit.asks(f"q{number}", answer="words " * 40))

    replicas = Replicas(system)
    narrow = await replicas.results({"window": 2048, "prompt": "next"})
    wide = await replicas.results({"window": 200_000, "prompt": "next"})

    check(narrow)
    check(wide)
    assert narrow["warm"][0].settings["anchor"] == 0
    assert wide["warm"][0].settings["anchor"] == 200


async def test_instructions_of_a_turn_that_is_open_for_long_hold_for_nobody_else(kit: Any) -> None:
    """Whether its turn was read, forgotten, or never reached, and from its end on for everybody."""
    system = System()
    await system.append(Instructions(content="Be brief."))
    for content in ("Be kind.", "Be loud."):
        key = await system.open(Prompt(content="slow"))
        await system.append(Instructions(content=content), key=key)
        await system.turn(*kit.asks("quick", answer="words " * 40))
    late = await system.open(Prompt(content="slow"))
    for number in range(150):
        await system.turn(*kit.asks(f"q{number}", answer="words " * 40))
    await system.append(Instructions(content="Be late."), key=late)
    await system.compose(key=await system.open(Prompt(content="a")), store=True, window=1024)
    await system.turn(*kit.asks("more"))

    replicas = Replicas(system)
    before = [await replicas.results({"prompt": "next", "window": 1024}) for _ in range(2)]
    await system.append(TurnCommitted(), key=late)
    after = await replicas.results({"prompt": "next", "window": 1024})

    for found in (*before, after):
        check(found)
    assert [found["warm"][1][0]["content"] for found in (*before, after)] == ["Be brief.", "Be brief.", "Be late."]
