"""The whole, as a fleet has it: a real server, every worker, and a client that plays the conversation to them."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from eunoe.client import Memory
from eunoe.client.thread import Thread
from eunoe.client.turn import Turn as Open
from eunoe.runtime.embedded import embedded
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.schemas.context import Format
from eunoe.schemas.requests import FactReply, FactRequest
from evaluation.scoring import Recalled
from evaluation.scripted import Row, Seen, row
from evaluation.story import CONVERSATION, INSTRUCTIONS, Turn
from evaluation.strategies import WHOLE, Context, Size

SETTLE_SECONDS = 60.0  # seconds until the facts of a turn are known, at most


@dataclass(frozen=True)
class Place:
    """Workers in this process, and a client of theirs."""

    fleet: Fleet
    memory: Memory


@asynccontextmanager
async def place() -> AsyncIterator[Place]:
    """A fresh embedded server with every worker, gone when the context ends."""
    with tempfile.TemporaryDirectory(prefix="eunoe-eval-") as folder:
        settings = Settings(data=Path(folder), role="caller", principal="eval", log_level="error")
        async with embedded(settings) as server:
            here = settings.at(server.url, server.user, server.password)
            async with running(here) as fleet, Memory.connect(settings=here, embedded=False) as memory:
                yield Place(fleet, memory)


async def rows(here: Place, sizes: Sequence[Size]) -> list[Row]:
    """The whole at every size, each in a thread of its own."""
    found = []
    for number, size in enumerate(sizes, 1):
        thread = here.memory.thread(f"scripted-{number}")
        seen = await play(here, thread, size)
        found.append(row(WHOLE, size, seen, await recalled(here.memory, thread)))
    return found


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
