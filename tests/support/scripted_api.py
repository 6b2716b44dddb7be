"""A model behind a real HTTP server: it refuses what the APIs refuse, and otherwise says what the script says.

It speaks OpenAI chat completions, OpenAI responses and Anthropic messages, so that the SDKs' own clients can call it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import api_rules
from api_rules import Refused

Body = dict[str, Any]
MODEL = "scripted-1"
BYTES_PER_TOKEN = 4  # of a request's body, as this provider counts


@dataclass(frozen=True)
class Call:
    id: str
    tool: str
    arguments: Body


@dataclass(frozen=True)
class Reply:
    """What the model thinks, says and calls."""

    text: str = ""
    calls: Sequence[Call] = ()
    thinking: str = ""


@dataclass
class Api:
    """The script, and what was asked: bodies of the requests that were accepted, messages of those refused."""

    url: str
    script: list[Reply]
    asked: list[Body] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


@contextmanager
def serving(script: Sequence[Reply]) -> Iterator[Api]:
    """The API at an address of this machine, until the block is left."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    host, port = server.server_address[:2]
    server.api = api = Api(f"http://{host!s}:{port}", list(script))  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the name that the library calls
        data = self.rfile.read(int(self.headers["content-length"]))
        body = json.loads(data)
        check, answer = _PATHS[self.path]
        api: Api = self.server.api  # type: ignore[attr-defined]
        try:
            check(body)
        except Refused as error:
            api.refused.append(str(error))
            self._send(400, {"type": "error", "error": {"type": "invalid_request_error", "message": str(error)}})
            return
        api.asked.append(body)
        self._send(200, answer(api.script.pop(0), len(api.asked), len(data) // BYTES_PER_TOKEN))

    def _send(self, status: int, value: Body) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the library has
        """Say nothing."""


def _chat(reply: Reply, number: int, tokens: int) -> Body:
    message: Body = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        functions = [{"name": call.tool, "arguments": json.dumps(call.arguments)} for call in reply.calls]
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": function}
            for call, function in zip(reply.calls, functions, strict=True)
        ]
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if reply.calls else "stop"}
    usage = {"prompt_tokens": tokens, "completion_tokens": 10, "total_tokens": tokens + 10}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [choice],
        "usage": usage,
    }


def _responses(reply: Reply, number: int, tokens: int) -> Body:
    output: list[Body] = []
    if reply.thinking:
        summary = [{"type": "summary_text", "text": reply.thinking}]
        output.append({"type": "reasoning", "id": f"rs_{number}", "summary": summary})
    if reply.text:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        message = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
        output.append({**message, "content": content})
    for call in reply.calls:
        arguments = json.dumps(call.arguments)
        item = {"type": "function_call", "id": f"fc_{call.id}", "call_id": call.id, "name": call.tool}
        output.append({**item, "arguments": arguments, "status": "completed"})
    usage = {
        "input_tokens": tokens,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens + 10,
    }
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": MODEL,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
    }


def _anthropic(reply: Reply, number: int, tokens: int) -> Body:
    content: list[Body] = []
    if reply.thinking:
        content.append({"type": "thinking", "thinking": reply.thinking, "signature": "s"})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    content += [{"type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments} for call in reply.calls]
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": tokens, "output_tokens": 10},
    }


_PATHS = {
    "/v1/chat/completions": (api_rules.chat, _chat),
    "/v1/responses": (api_rules.responses, _responses),
    "/v1/messages": (api_rules.anthropic, _anthropic),
}
