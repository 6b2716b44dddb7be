"""Contexts of recorded threads over a real server with every worker, and of past turns after all that may happen."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from shapes import CHECKS

from eunoe.client import Memory
from eunoe.client.importing.model import Turn
from eunoe.client.importing.reading import read
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas.context import FORMATS, Context, Format
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.events import ToolResult
from eunoe.schemas.requests import Shown
from eunoe.testing import NatsServer

RECORDED = (
    "swe_agent/marshmallow_1867.traj",
    "swe_agent/pydicom_1458.traj",
    "tau_bench_airline/task_00.json",
    "tau_bench_airline/task_07.json",
    "claude_code/representative_messages.jsonl",
    "claude_code/edge_cases.jsonl",
)
WINDOWS = (2048, 4096, 8192, 32_768, 200_000)
REFERENCE = 640  # bytes that a reference may have


def recorded(name: str) -> Path:
    """A transcript beside the repository; a missing one fails in CI."""
    for folder in Path(__file__).resolve().parents:
        found = folder.parent / "shared" / "data" / name
        if found.is_file():
            return found
    if os.environ.get("CI"):
        pytest.fail(f"{name} is not there")
    pytest.skip(f"{name} is not there")


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    return Settings(url=nats_server.url, space=space, data=tmp_path, role="person", principal="ada")


def outputs(path: Path) -> list[str]:
    """What the tools of a transcript gave back, in order."""
    events = (event for item in read(path) if isinstance(item, Turn) for event in item.events)
    return [event.content for event in events if isinstance(event, ToolResult)]


async def shown(memory: Memory, thread: str) -> list[Shown]:
    """Every tool's output of a thread, whole."""
    found = (await memory.thread(thread).entries(limit=1000)).entries
    return [await memory.thread(thread).show(one.entry) for one in found if one.kind == "tool.result"]


async def composed(memory: Memory, thread: str, window: int, form: Format) -> tuple[Context | None, DoesNotFit | None]:
    try:
        return await memory.thread(thread).context(window=window, format=form, prompt="And then?"), None
    except DoesNotFit as refused:
        return None, refused


def serialised(context: Context) -> str:
    return (msgspec.json.encode(context.messages) + context.system.encode()).decode()


def check_shape(context: Context) -> None:
    if context.format in CHECKS:
        CHECKS[context.format](context.messages)
    elif context.format == "text":
        calls, results = (re.findall(f'<eunoe-{what} id="([^"]+)"', context.messages) for what in ("call", "output"))
        assert calls == results
        assert len(set(calls)) == len(calls)


@pytest.mark.parametrize("name", RECORDED)
async def test_a_recorded_thread_is_composed_at_every_window(settings: Settings, name: str) -> None:
    """It fits as serialised or the floor is named; calls have their results, older outputs are references, and
    each of them is still there byte for byte."""
    path = recorded(name)
    async with running(settings), Memory.connect(settings=settings) as memory:
        thread = (await memory.import_file(path)).threads[0]
        stored = await shown(memory, thread)
        for window in WINDOWS:
            for form in FORMATS:
                context, refused = await composed(memory, thread, window, form)
                if refused is not None:
                    assert refused.detail["floor"] > window
                    assert f"{refused.detail['floor']:,}" in str(refused)
                if context is not None:
                    check_shape(context)
                    assert -(-len(serialised(context).encode()) // 4) <= context.tokens <= window
                    check_outputs(context, stored, whole=window == WINDOWS[-1])

    assert [one.content for one in stored] == outputs(path)


def check_outputs(context: Context, stored: list[Shown], *, whole: bool) -> None:
    """No long output is there whole; where the window holds all (``whole``), each has its reference."""
    text = serialised(context)
    for one in stored:
        if one.size > REFERENCE:
            assert msgspec.json.encode(one.content)[1:-1].decode() not in text
            assert not whole or f"[output of entry {one.entry} held back: " in text


async def ask(memory: Memory, number: int) -> Context:
    """One whole turn that reads a file and finds out something; the context of its second model call."""
    function = {"name": "read_file", "arguments": f'{{"path": "module{number}.py"}}'}
    calls = [{"id": f"c{number}", "type": "function", "function": function}]
    async with memory.thread("work").turn(f"What is in module {number}?", instructions="Be brief.") as turn:
        await turn.reply({"role": "assistant", "tool_calls": calls})
        await turn.result(f"line of module {number}\n" * 120, call=f"c{number}")
        context = await turn.context(window=2048, memory_tool=True, format=FORMATS[number % 3])
        await turn.reply(f"Module {number} has 120 lines.")
    return context


async def again(memory: Memory) -> list[Context]:
    return [await memory.thread("work").context(turn=number) for number in range(1, 13)]


async def imported(memory: Memory, thread: str) -> list[tuple[bool, Any]]:
    found = [await memory.thread(thread).context(turn=number, window=8192) for number in (1, 2, 5)]
    return [(context.reconstructed, (context.messages, context.recipe.earlier)) for context in found]


async def test_what_a_turn_saw_stays_the_same_whatever_happens_then(
    own_server: NatsServer, space: str, tmp_path: Path
) -> None:
    """After later turns, a fact that came late, and a crash of server and workers, each of twelve contexts is the
    same bytes again; a turn of an import is reconstructed, says so, and is the same again too."""
    settings = Settings(url=own_server.url, space=space, data=tmp_path, role="person", principal="ada")
    path = recorded("tau_bench_airline/task_00.json")
    async with running(settings), Memory.connect(settings=settings) as memory:
        thread = (await memory.import_file(path)).threads[0]
        given = [await ask(memory, number) for number in range(1, 13)]
        before = await imported(memory, thread)
        at_once = await again(memory)
    own_server.kill()
    own_server.start()
    async with running(settings), Memory.connect(settings=settings) as memory:
        await ask(memory, 13)
        for where in ("work", thread):
            await memory.state_fact("note", "late", "it came late", thread=where)
        later, after = await again(memory), await imported(memory, thread)
        newest = await memory.thread("work").context(prompt="Anything new?")

    assert [(one.differs, one.reconstructed) for one in (*at_once, *later)] == [("", False)] * 24
    for one in (at_once, later):
        assert [(c.id, serialised(c), c.tokens) for c in one] == [(c.id, serialised(c), c.tokens) for c in given]
    assert given[-1].recipe.left > 0
    assert [reconstructed for reconstructed, _ in before] == [True] * 3
    assert after == before
    assert "note late: it came late" in serialised(newest)
