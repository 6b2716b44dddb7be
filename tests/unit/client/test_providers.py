"""What model APIs return is accepted as it is: the SDKs' own objects, and the same as dictionaries."""

from __future__ import annotations

import base64

import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletion

from eunoe.client.providers import calls_of, events_of, results_of
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import Prompt, Response, ToolCall, ToolResult, Usage

COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1_767_268_800,
    "model": "some-model-2026",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "I will look.",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "bash", "arguments": '{"command": "ls"}'},
                    }
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19},
}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "another-model-2026",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "content": [
        {"type": "thinking", "thinking": "The listing first.", "signature": "s"},
        {"type": "text", "text": "I will look."},
        {"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"command": "ls"}},
    ],
    "usage": {"input_tokens": 10, "output_tokens": 7, "cache_read_input_tokens": 2},
}


@pytest.mark.parametrize("reply", [COMPLETION, ChatCompletion.model_validate(COMPLETION)])
def test_an_openai_completion(reply: object) -> None:
    """Text, call as the model wrote it, and usage, from the object and from the dictionary."""
    assert events_of(reply) == [
        Response(content="I will look.", model="some-model-2026"),
        ToolCall(call="call_1", tool="bash", content='{"command": "ls"}'),
        Usage(model="some-model-2026", input_tokens=12, output_tokens=7),
    ]


def test_an_openai_message_object() -> None:
    """The message of a choice alone has no model and no usage."""
    message = ChatCompletion.model_validate(COMPLETION).choices[0].message

    assert events_of(message) == [
        Response(content="I will look."),
        ToolCall(call="call_1", tool="bash", content='{"command": "ls"}'),
    ]


@pytest.mark.parametrize("reply", [MESSAGE, Message.model_validate(MESSAGE)])
def test_an_anthropic_message(reply: object) -> None:
    """Thinking belongs to the reply; input counts what came from the cache."""
    assert events_of(reply) == [
        Response(content="I will look.", thinking="The listing first.", model="another-model-2026"),
        ToolCall(call="toolu_1", tool="bash", content='{"command":"ls"}'),
        Usage(model="another-model-2026", input_tokens=12, output_tokens=7),
    ]


def test_anthropic_content_blocks() -> None:
    """The content of a message, as its blocks, is the message's events."""
    blocks = Message.model_validate(MESSAGE).content

    assert events_of(blocks) == [
        Response(content="I will look.", thinking="The listing first."),
        ToolCall(call="toolu_1", tool="bash", content='{"command":"ls"}'),
    ]


def test_null_content_with_calls_is_no_empty_reply() -> None:
    """A message that only calls says nothing."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}

    assert events_of({"role": "assistant", "content": None, "tool_calls": [call]}) == [
        ToolCall(call="c", tool="f", content="")
    ]


def test_a_refusal_is_what_the_model_said() -> None:
    """The refusal's text stands where the content would."""
    message = {"role": "assistant", "content": None, "refusal": "I cannot do that."}

    assert events_of(message) == [Response(content="I cannot do that.")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            {"role": "tool", "tool_call_id": "c", "content": "done"},
            ToolResult(call="c", content="done"),
        ),
        (
            {"role": "tool", "tool_call_id": "c", "name": "f", "content": [{"type": "text", "text": "done"}]},
            ToolResult(call="c", tool="f", content="done"),
        ),
        (
            {"type": "tool_result", "tool_use_id": "c", "content": "no such file", "is_error": True},
            ToolResult(call="c", content="no such file", status="failed"),
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]},
            ToolResult(call="c"),
        ),
    ],
)
def test_tool_results(value: object, expected: ToolResult) -> None:
    """Tool messages and tool_result blocks, with content as text, as parts, or absent."""
    assert results_of(value) == [expected]


def test_calls_as_apis_write_them() -> None:
    """One call of an OpenAI reply, as its object, and one tool_use block."""
    calls = ChatCompletion.model_validate(COMPLETION).choices[0].message.tool_calls
    assert calls is not None

    assert calls_of(calls[0]) == [ToolCall(call="call_1", tool="bash", content='{"command": "ls"}')]
    assert calls_of({"type": "tool_use", "id": "u", "name": "f", "input": {}}) == [
        ToolCall(call="u", tool="f", content="{}")
    ]


def test_an_image_is_an_attachment() -> None:
    """The picture's bytes, size and digest are kept beside the text."""
    data = base64.b64encode(b"\x89PNG").decode()
    message = {
        "role": "user",
        "content": [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        ],
    }
    (event,) = events_of(message)

    assert isinstance(event, Prompt)
    assert event.content == "What is this?"
    (found,) = event.attachments
    assert (found.media_type, found.size, found.data) == ("image/png", 4, data)
    assert found.digest == "0f4636c78f65d3639ece5a064b5ae753e3408614a14fb18ab4d7540d2c248543"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (42, "type int is no message"),
        ({"silly": "this"}, "neither a role nor a type"),
        ({"role": "assistant"}, "no content"),
        ({"role": "wizard", "content": "abracadabra"}, "the role 'wizard'"),
        ({"choices": []}, "no message in its first choice"),
    ],
)
def test_what_is_no_message(value: object, reason: str) -> None:
    """The error says what is wanted."""
    with pytest.raises(Invalid, match=reason):
        events_of(value)
