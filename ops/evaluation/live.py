"""The whole, as a fleet has it: a real server, every worker, and a client that plays the conversation to them.

Nothing is distilled, or what leaves is, by rules or by the model that is configured.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

import msgspec

from eunoe.client import Memory
from eunoe.client.thread import Thread
from eunoe.client.turn import Turn as Open
from eunoe.runtime.embedded import embedded
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.schemas import limits
from eunoe.schemas.context import Format
from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.requests import FactReply, FactRequest
from evaluation.scoring import Recalled
from evaluation.scripted import Row, Seen, row
from evaluation.story import CONVERSATION, INSTRUCTIONS, Turn
from evaluation.strategies import WHOLE, Context, Size

SETTLE_SECONDS = 60.0  # seconds until the facts of a turn are known, at most
By = Literal["rules", "model"]
DISTILLED: Mapping[By, str] = {"rules": "distilled by rules", "model": "distilled, model"}
"""The strategies in which facts are drawn from prose and a summary is written, by what does it."""


@dataclass(frozen=True)
class Place:
    """Workers in this process, and a client of theirs."""

    fleet: Fleet
    memory: Memory


@dataclass(frozen=True)
class Work:
    """What distilling took in the thread of one size: pieces of work, what came of them, the median of their
    milliseconds, tokens of a model, and millionths of a US dollar (None where no price is known)."""

    strategy: str
    size: Size
    jobs: int
    facts: int
    set_aside: int
    failed: int
    versions: int
    ms: float
    effort: Effort


@asynccontextmanager
async def place(by: By | Literal["off"] = "off", configured: Settings | None = None) -> AsyncIterator[Place]:
    """A fresh embedded server with every worker, gone when the context ends; the model is that of ``configured``."""
    with tempfile.TemporaryDirectory(prefix="eunoe-eval-") as folder:
        own = {"data": Path(folder), "role": "caller", "principal": "eval", "log_level": "error", "distiller": by}
        settings = (configured or Settings()).model_copy(update=own)
        async with embedded(settings) as server:
            here = settings.at(server.url, server.user, server.password)
            async with running(here) as fleet, Memory.connect(settings=here, embedded=False) as memory:
                yield Place(fleet, memory)


async def rows(here: Place, sizes: Sequence[Size], strategy: str = WHOLE) -> list[Row]:
    """The whole at every size, each in a thread of its own."""
    found = []
    for size in sizes:
        thread = _thread(here, size)
        seen = await play(here, thread, size)
        found.append(row(strategy, size, seen, await recalled(here.memory, thread)))
    return found


async def works(here: Place, sizes: Sequence[Size], strategy: str) -> list[Work]:
    """What was distilled in the threads of these sizes, once they are played."""
    return [await _work(_thread(here, size), size, strategy) for size in sizes]


async def _work(thread: Thread, size: Size, strategy: str) -> Work:
    made = await thread.distillations(limit=limits.DISTILLATIONS_SHOWN)
    assert not made.more, "the conversation is not so long"
    done = made.distillations
    return Work(
        strategy=strategy,
        size=size,
        jobs=len(done),
        facts=sum(len(one.facts) for one in done),
        set_aside=sum(len(one.set_aside) for one in done),
        failed=sum(bool(one.failed) for one in done),
        versions=sum(one.summary == "updated" for one in done),
        ms=median([one.effort.ms for one in done]) if done else 0.0,
        effort=made.effort,
    )


def _thread(here: Place, size: Size) -> Thread:
    return here.memory.thread(f"scripted {size.window} {size.fill}")


async def play(
    here: Place, thread: Thread, size: Size, form: Format = "openai", story: Iterable[Turn] = CONVERSATION
) -> list[Seen]:
    """The conversation; a turn begins when the facts of the one before it are known."""
    seen = []
    for number, turn in enumerate(story, 1):
        contexts = []
        async with thread.turn(turn.prompt, instructions=INSTRUCTIONS if number == 1 else "") as opened:
            contexts.append(await _context(opened, size, form))
            for call in turn.calls:
                await opened.call(call.tool, call.arguments)
                await opened.result(call.output, exit_status=call.exit_status)
                contexts.append(await _context(opened, size, form))
            await opened.reply(turn.reply)
        if not await here.fleet.settle(SETTLE_SECONDS):
            raise TimeoutError(f"the facts of turn {number} are not known after {SETTLE_SECONDS:g} seconds")
        seen.append(Seen(turn, tuple(contexts)))
    return seen


async def recalled(memory: Memory, thread: Thread) -> Recalled:
    """What a recall of anything in a thread gives now."""
    entries: dict[int, str] = {}
    turns: dict[int, list[str]] = {}
    for number in range(1, (await thread.head()).entries + 1):
        shown = await thread.show(number)
        entries[number] = shown.content
        turns.setdefault(shown.turn, []).append(shown.content)
    facts: dict[str, str] = {}
    for view in (await memory.facts(thread=thread.id)).facts:
        name = f"{view.identity.subject} {view.identity.name}"
        reply = await memory.gate.ask("fact", FactRequest(id=view.id), FactReply)
        facts[name] = "\n".join(f"{name}: {version.value}" for version in reply.versions)
    return Recalled(entries, {number: "\n".join(found) for number, found in turns.items()}, facts)


async def _context(turn: Open, size: Size, form: Format) -> Context:
    given = await turn.context(size.composed, form, memory_tool=True, target=size.target)
    return Context(msgspec.json.encode(given.messages), given.tokens, given.recipe.left)
