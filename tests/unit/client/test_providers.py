"""What model APIs return is accepted as it is: the SDKs' own objects, and the same as dictionaries."""

from __future__ import annotations

import base64

import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletion
from openai.types.responses import Response as OpenAIResponse

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
RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1_767_268_800,
    "model": "some-model-2026",
    "status": "completed",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "The listing first."}],
            "encrypted_content": "Z0FBQUFB",
        },
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "I will look.", "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "bash",
            "arguments": '{"command": "ls"}',
            "status": "completed",
        },
    ],
    "usage": {
        "input_tokens": 12,
        "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 0},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 3},
        "total_tokens": 19,
    },
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


@pytest.mark.parametrize("reply", [RESPONSE, OpenAIResponse.model_validate(RESPONSE)])
def test_a_reply_of_the_responses_api(reply: object) -> None:
    """Reasoning is the reply's thinking, a call keeps the id that its output will name, cached input counts once."""
    assert events_of(reply) == [
        Response(content="I will look.", thinking="The listing first.", model="some-model-2026"),
        ToolCall(call="call_1", tool="bash", content='{"command": "ls"}'),
        Usage(model="some-model-2026", input_tokens=12, output_tokens=7),
    ]


def test_the_last_event_of_a_stream_of_the_responses_api() -> None:
    """It brings the whole response."""
    assert events_of({"type": "response.completed", "sequence_number": 9, "response": RESPONSE}) == events_of(RESPONSE)


def test_the_output_of_the_responses_api_as_its_items() -> None:
    """The items of one output are the parts of one reply; two messages in it are two replies."""
    items = OpenAIResponse.model_validate(RESPONSE).output
    more = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Wait."}]}

    assert events_of([*items[:2], more, items[2]]) == [
        Response(content="I will look.", thinking="The listing first."),
        Response(content="Wait."),
        ToolCall(call="call_1", tool="bash", content='{"command": "ls"}'),
    ]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            {"type": "function_call_output", "call_id": "c", "output": "done"},
            ToolResult(call="c", content="done"),
        ),
        (
            {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "done"}]},
            ToolResult(call="c", content="done"),
        ),
        (
            {"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "no such file"},
            ToolResult(call="c", content="no such file", status="failed"),
        ),
    ],
)
def test_outputs_of_the_responses_api(item: object, expected: ToolResult) -> None:
    """As text, as parts, and failed."""
    assert results_of(item) == [expected]


def test_calls_of_the_responses_api() -> None:
    """Of a function, of a tool with free input, and of a shell; each waits for its output."""
    free = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "run", "input": "ls -l"}
    shell = {
        "type": "local_shell_call",
        "id": "l",
        "call_id": "c",
        "action": {"command": ["ls"]},
        "status": "completed",
    }

    assert calls_of(RESPONSE["output"][2]) == [ToolCall(call="call_1", tool="bash", content='{"command": "ls"}')]  # type: ignore[index]
    assert calls_of(free) == [ToolCall(call="c", tool="run", content="ls -l")]
    assert calls_of(shell) == [ToolCall(call="c", tool="local_shell", content='{"action":{"command":["ls"]}}')]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            {"type": "web_search_call", "id": "w", "status": "completed", "action": {"type": "search", "query": "x"}},
            [
                ToolCall(call="w", tool="web_search", content='{"action":{"type":"search","query":"x"}}'),
                ToolResult(call="w", tool="web_search"),
            ],
        ),
        (
            {
                "type": "code_interpreter_call",
                "id": "i",
                "status": "completed",
                "code": "print(1)",
                "container_id": "k",
                "outputs": [{"type": "logs", "logs": "1"}],
            },
            [
                ToolCall(call="i", tool="code_interpreter", content='{"code":"print(1)"}'),
                ToolResult(call="i", tool="code_interpreter", content="1"),
            ],
        ),
        (
            {
                "type": "mcp_call",
                "id": "m",
                "name": "fetch",
                "arguments": '{"url": "u"}',
                "server_label": "s",
                "output": None,
                "error": "timed out",
            },
            [
                ToolCall(call="m", tool="fetch", content='{"url": "u"}'),
                ToolResult(call="m", tool="fetch", content="timed out", status="failed"),
            ],
        ),
        ({"type": "mcp_list_tools", "id": "m", "server_label": "s", "tools": []}, [Response(content="Found.")]),
    ],
)
def test_what_the_provider_ran_is_a_call_with_its_result(item: object, expected: list[object]) -> None:
    """A search or a program of the provider's own; what is only its bookkeeping is left out."""
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Found."}]}

    found = events_of([item, said])

    assert found == [*expected, Response(content="Found.")] if len(expected) == 2 else found == expected


def test_a_picture_that_was_made_is_an_attachment_of_the_result() -> None:
    """Its base64 never becomes text."""
    data = base64.b64encode(b"\x89PNG").decode()
    item = {
        "type": "image_generation_call",
        "id": "g",
        "status": "completed",
        "result": data,
        "revised_prompt": "a cat",
    }

    call, result = events_of([item])

    assert call == ToolCall(call="g", tool="image_generation", content='{"revised_prompt":"a cat"}')
    assert isinstance(result, ToolResult)
    assert (result.content, result.attachments[0].media_type, result.attachments[0].size) == ("", "image/png", 4)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "input_file", "filename": "a.pdf", "file_data": "JVBERg=="},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/octet-stream;base64,JVBERg=="}},
    ],
)
def test_a_file_is_an_attachment_whether_its_data_is_a_url_or_not(part: object) -> None:
    """The four bytes of it are kept as such, under its name."""
    (event,) = events_of({"role": "user", "content": [part]})

    assert isinstance(event, Prompt)
    (found,) = event.attachments
    assert (found.name, found.media_type, found.size) == ("a.pdf", "application/octet-stream", 4)


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
        ({"type": "response.output_text.delta", "delta": "I wi"}, "output_text.delta event is a part of a stream"),
        ({"type": "content_block_delta", "index": 0, "delta": {}}, "content_block_delta event is a part of a stream"),
        (
            {"object": "response", "status": "failed", "error": {"message": "overloaded"}, "output": []},
            "is failed and has no output: overloaded; append it when it is complete",
        ),
    ],
)
def test_what_is_no_message(value: object, reason: str) -> None:
    """The error says what is wanted."""
    with pytest.raises(Invalid, match=reason):
        events_of(value)
