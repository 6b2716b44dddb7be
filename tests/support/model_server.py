"""A model's API on this machine that answers as a test says: OpenAI's Chat Completions, and Anthropic's Messages."""

from __future__ import annotations

import json
import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "small-model"  # as the server calls its model
AT_ONCE = ("retry-after-ms", "1")  # has clients try again without waiting


@dataclass(frozen=True)
class Reply:
    """One answer: a text, a refusal, or a status with a message; ``drop`` ends the connection without one, and
    ``hold`` gives none until the server stops or whoever asked hangs up."""

    text: str = ""
    refusal: str = ""
    finish: str = "stop"
    thinking: str = ""
    status: int = 200
    message: str = ""
    drop: bool = False
    hold: bool = False
    body: str = ""
    model: str = NAME


@dataclass
class ModelServer:
    """Gives its replies in order, and the last one again and again. ``asked`` are the requests' bodies in order, and
    ``given_up`` counts those for whose answer nobody waited any more."""

    replies: list[Reply]
    port: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    given_up: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """The base of OpenAI's API; that of Anthropic's is `root`."""
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def next(self, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        self.asked.append(body)
        self.headers.append(headers)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]

    def prompt(self, at: int = -1) -> str:
        """Everything that one request said to the model."""
        body = self.asked[at]
        said = [body.get("system", ""), *(message["content"] for message in body["messages"])]
        return "\n".join(one if isinstance(one, str) else "".join(part["text"] for part in one) for one in said)


@contextmanager
def serving(*replies: Reply | str) -> Iterator[ModelServer]:
    """A server for as long as the context is open; a text alone is a good answer."""
    scripted = ModelServer([one if isinstance(one, Reply) else Reply(one) for one in replies])

    class Handler(_Handler):
        script = scripted

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        scripted.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield scripted
        finally:
            scripted.stopped.set()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    script: ModelServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = self.script.next(body, {name.lower(): value for name, value in self.headers.items()})
        if reply.hold:
            self._hold()
        if reply.drop or reply.hold:
            self.close_connection = True
            return
        shaped = _anthropic(reply) if self.path.endswith("/messages") else _openai(reply)
        self._send(reply.status, reply.body.encode() or json.dumps(shaped).encode())

    def _hold(self) -> None:
        while not self.script.stopped.is_set():
            if select.select([self.connection], [], [], 0.02)[0]:  # nothing more is sent, so it was closed
                self.script.given_up += 1
                return

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if status != 200:
            self.send_header(*AT_ONCE)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that its class gives it
        """Nothing is logged."""


def _openai(reply: Reply) -> dict[str, Any]:
    if reply.status != 200:
        return {"error": {"message": reply.message, "type": "error", "code": None}}
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.refusal:
        message["refusal"] = reply.refusal
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1_750_000_000,
        "model": reply.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 15, "total_tokens": 135},
    }


def _anthropic(reply: Reply) -> dict[str, Any]:
    if reply.status != 200:
        return {"type": "error", "error": {"type": "error", "message": reply.message}}
    thought = [{"type": "thinking", "thinking": reply.thinking, "signature": "s"}] if reply.thinking else []
    said = [{"type": "text", "text": reply.text}] if reply.text else []
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": [*thought, *said],
        "stop_reason": {"stop": "end_turn", "length": "max_tokens"}[reply.finish],
        "stop_sequence": None,
        "usage": {"input_tokens": 120, "output_tokens": 15},
    }
