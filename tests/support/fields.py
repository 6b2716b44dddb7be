"""Turns of an agent in one line, through the client, and what the memory knows afterwards."""

from __future__ import annotations

import json
from typing import Any

from eunoe.client import Memory, Turn
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet
from eunoe.schemas.requests import FactView, ThreadState

SETTLE_SECONDS = 60.0  # seconds in which workers have to be done with what a test wrote

LISTENING = "LISTEN 0 128 127.0.0.1:8080 0.0.0.0:*"  # one line of `ss -ltn`: one fact, service port 8080


def asks(call: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """An answer of a model that calls one tool, as a provider gives it."""
    function = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"role": "assistant", "tool_calls": [{"id": call, "type": "function", "function": function}]}


async def used(turn: Turn, call: str, tool: str, result: str, *, exit_status: int | None = None, **args: Any) -> None:
    """A call of a tool with these arguments, and its result."""
    await turn.reply(asks(call, tool, **args))
    await turn.result(result, call=call, exit_status=exit_status)


async def told(memory: Memory, thread: str, path: str) -> None:
    """A whole turn of which one fact is known afterwards: that file was read."""
    async with memory.thread(thread).turn(f"What is in {path}?") as turn:
        await used(turn, "c", "read_file", "one line", path=path)
        await turn.reply("One line.")


async def known(memory: Memory, fleet: Fleet, thread: str = "", **filters: Any) -> dict[tuple[str, str], str]:
    """The values in force by subject and name, once every worker has caught up."""
    found = await views(memory, fleet, thread, **filters)
    values = {(fact.identity.subject, fact.identity.name): fact.value for fact in found}
    assert len(values) == len(found)
    return values


async def views(memory: Memory, fleet: Fleet, thread: str = "", **filters: Any) -> tuple[FactView, ...]:
    """The facts in force, once every worker has caught up."""
    assert await fleet.settle(SETTLE_SECONDS)
    return (await memory.facts(thread=thread or None, **filters)).facts


async def state(memory: Memory, fleet: Fleet, thread: str) -> ThreadState:
    """A thread in short, once every worker has caught up."""
    assert await fleet.settle(SETTLE_SECONDS)
    return next(one for one in (await memory.threads()).threads if one.thread == thread)


def options(settings: Settings) -> tuple[str, ...]:
    """The options by which a command reaches the same server and space."""
    return ("--url", settings.url, "--space", settings.space)
