"""Whole conversations over the SDKs' own clients, with a server that refuses what the APIs refuse."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anthropic
import openai
import pytest
from scripted_api import MODEL, Api, Call, Reply, serving

from eunoe.client import Memory
from eunoe.schemas.context import Context, Format

WINDOW = 3_000  # tokens, so that turns leave on the way
OUTPUT = "line of a module that is long enough to fill a window\n" * 60
THOUGHT = "which nobody but a person is to read"
TURNS = 8
LONG = "y = 2\n" * 400

Ask = Callable[[Api, Any, str], Awaitable[Any]]


async def chat(api: Api, messages: Any, system: str) -> Any:
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    async with openai.AsyncOpenAI(base_url=f"{api.url}/v1", api_key="k", max_retries=0, http_client=http) as client:
        return await client.chat.completions.create(model=MODEL, messages=messages)


async def responses(api: Api, messages: Any, system: str) -> Any:
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    async with openai.AsyncOpenAI(base_url=f"{api.url}/v1", api_key="k", max_retries=0, http_client=http) as client:
        return await client.responses.create(model=MODEL, input=messages, instructions=system)


async def blocks(api: Api, messages: Any, system: str) -> Any:
    http = anthropic.DefaultAsyncHttpxClient(trust_env=False)
    async with anthropic.AsyncAnthropic(base_url=api.url, api_key="k", max_retries=0, http_client=http) as client:
        return await client.messages.create(model=MODEL, messages=messages, system=system, max_tokens=1_000)


APIS: dict[Format, Ask] = {"openai": chat, "responses": responses, "anthropic": blocks}


def script() -> list[Reply]:
    """Of each turn: two calls at once, then a call that writes much with nothing said, then an answer."""
    found = []
    for turn in range(1, TURNS + 1):
        reads = (Call(f"a{turn}", "read_file", {"path": "a.py"}), Call(f"b{turn}", "list.files", {}))
        writes = (Call(f"c{turn}", "write_file", {"path": "b.py", "content": LONG}),)
        found += [Reply(f"I look, {turn}.", reads, THOUGHT), Reply(calls=writes), Reply(f"Answer {turn}.\n")]
    return found


async def converse(memory: Memory, api: Api, form: Format) -> list[Context]:
    """Every turn asks, calls and answers as the script says; the contexts that were sent."""
    sent: list[Context] = []
    for number in range(1, TURNS + 1):
        async with memory.thread(f"talk-{form}").turn(f"Question {number}?", instructions="Be brief.") as turn:
            for results in ([("a", OUTPUT), ("b", "")], [("c", "written")], []):
                sent.append(await turn.context(window=WINDOW, format=form, memory_tool=True))
                await turn.reply(await APIS[form](api, sent[-1].messages, sent[-1].system))
                for call, output in reversed(results):
                    await turn.result(output, call=f"{call}{number}")
    return sent


@pytest.mark.parametrize("form", APIS)
async def test_a_whole_conversation_is_what_the_api_takes(memory: Memory, form: Format) -> None:
    """Every request is accepted, whatever left it; what the model thought is kept and never sent again."""
    with serving(script()) as api:
        sent = await converse(memory, api, form)
        entries = (await memory.thread(f"talk-{form}").entries(limit=1_000)).entries

    assert api.refused == []
    assert len(api.asked) == 3 * TURNS
    assert sent[-1].recipe.left > 0
    assert {one.how for one in sent[-1].recipe.renderings} >= {"reference", "arguments"}
    assert THOUGHT not in json.dumps(api.asked)
    assert LONG not in json.dumps(api.asked[-1])
    assert [one.kind for one in entries].count("tool.call") == 3 * TURNS
    assert sum(THOUGHT in str(one) for one in entries) == TURNS
    assert "Question 8?" in json.dumps(api.asked[-1])


def text_message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


CHAT_CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USE = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
GO_ON: dict[str, Any] = {"role": "user", "content": "go on"}
WRONG: list[tuple[Format, list[dict[str, Any]], str]] = [
    ("openai", [{"role": "assistant", "tool_calls": [CHAT_CALL]}, GO_ON], "did not have response messages: c"),
    ("openai", [{"role": "tool", "tool_call_id": "c", "content": "x"}], "must be a response to a preceeding message"),
    ("openai", [{"role": "user", "content": ""}], "empty string"),
    ("responses", [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}], "No tool output found"),
    ("responses", [{"type": "function_call_output", "call_id": "c", "output": "x"}], "No tool call found"),
    ("responses", [{"type": "message", "id": "m", **GO_ON}], "Item with id 'm' not found"),
    ("anthropic", [{"role": "assistant", "content": [{"type": "text", "text": "hi"}]}], 'must use the "user" role'),
    ("anthropic", [text_message("user", "a"), text_message("user", "b")], "roles must alternate"),
    (
        "anthropic",
        [text_message("user", "a"), {"role": "assistant", "content": [USE]}, text_message("user", "b")],
        "without `tool_result` blocks immediately after: c",
    ),
    ("anthropic", [text_message("user", " ")], "must contain non-whitespace text"),
]


@pytest.mark.parametrize(("form", "said", "reason"), WRONG)
async def test_the_server_refuses_what_the_api_refuses(form: Format, said: list[dict[str, Any]], reason: str) -> None:
    """With 400 and the API's kind of message, which the SDK raises."""
    with serving(script()) as api, pytest.raises((openai.BadRequestError, anthropic.BadRequestError), match=reason):
        await APIS[form](api, said, "")

    assert api.asked == []
