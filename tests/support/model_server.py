"""A model's API on this machine that answers as a test says: OpenAI's Chat Completions, and Anthropic's Messages."""

from __future__ import annotations

import json
import select
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "small-model"  # as the server calls its model
AT_ONCE = ("retry-after-ms", "1")  # has clients try again without waiting


@dataclass(frozen=True)
class Reply:
    """One answer: a text, a refusal, or a status with a message; ``drop`` ends the connection without one, ``broken``
    in the middle of it, and ``hold`` gives none until the server stops or whoever asked hangs up; with a ``gate`` it
    is given once that is set."""

    text: str = ""
    refusal: str = ""
    finish: str = "stop"
    thinking: str = ""
    status: int = 200
    message: str = ""
    drop: bool = False
    broken: bool = False
    hold: bool = False
    gate: threading.Event | None = None
    body: str = ""
    model: str = NAME


Scripted = Reply | str | Callable[[str], Reply | str]
"""An answer, a text that is a good one, or what makes either from everything that the request said."""


@dataclass
class ModelServer:
    """Answers a request that holds a text of ``when`` by the first such text; any other one by the next of its
    ``replies``, and by the last of them again and again. Both may be changed at any time.

    ``asked`` are the requests' bodies in order, ``held`` counts those that wait for their answer now, and ``given_up``
    those for whose answer nobody waited any more.
    """

    replies: list[Reply]
    when: dict[str, Scripted] = field(default_factory=dict)
    port: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    in_order: int = 0
    held: int = 0
    given_up: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

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
        said = _said(body)
        scripted = next((answer for words, answer in self.when.items() if words in said), None)
        if scripted is None:
            self.in_order += 1
            scripted = self.replies[min(self.in_order, len(self.replies)) - 1]
        answer = scripted(said) if callable(scripted) else scripted
        return Reply(answer) if isinstance(answer, str) else answer

    def prompt(self, at: int = -1) -> str:
        """Everything that one request said to the model."""
        return _said(self.asked[at])

    def count(self, words: str) -> int:
        """How many requests held these words."""
        return sum(words in _said(body) for body in list(self.asked))


def _said(body: dict[str, Any]) -> str:
    said = [body.get("system", ""), *(message["content"] for message in body["messages"])]
    return "\n".join(one if isinstance(one, str) else "".join(part["text"] for part in one) for one in said)


@contextmanager
def serving(*replies: Reply | str, when: Mapping[str, Scripted] | None = None) -> Iterator[ModelServer]:
    """A server for as long as the context is open; a text alone is a good answer. Without replies whatever ``when``
    does not know is answered with nothing."""
    scripted = ModelServer(
        [one if isinstance(one, Reply) else Reply(one) for one in replies or ("",)], dict(when or {})
    )

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
    disable_nagle_algorithm = True  # else each answer waits for an acknowledgement

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = self.script.next(body, {name.lower(): value for name, value in self.headers.items()})
        if (reply.hold or reply.gate) and not self._held(reply.gate):
            self.close_connection = True
            return
        if reply.drop:
            self.close_connection = True
            return
        shaped = _anthropic(reply) if self.path.endswith("/messages") else _openai(reply)
        self._send(reply.status, reply.body.encode() or json.dumps(shaped).encode(), broken=reply.broken)

    def _held(self, gate: threading.Event | None) -> bool:
        """Wait; whether the answer is to be given now."""
        with self.script.lock:
            self.script.held += 1
        try:
            while not self.script.stopped.is_set():
                if gate is not None and gate.is_set():
                    return True
                if select.select([self.connection], [], [], 0.02)[0]:  # nothing more is sent, so it was closed
                    self.script.given_up += 1
                    return False
            return False
        finally:
            with self.script.lock:
                self.script.held -= 1

    def _send(self, status: int, data: bytes, *, broken: bool = False) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if status != 200:
            self.send_header(*AT_ONCE)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if broken else data)
        self.close_connection = self.close_connection or broken

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
