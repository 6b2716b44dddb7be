"""A model's API on this machine, in a thread of its own, that answers each request after some time: OpenAI's Chat
Completions, as far as a distiller asks for them."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TURNS = re.compile(r"Note facts of these turns \((\d[\d, ]*)\)")
MODEL = "bench"


@contextmanager
def model(seconds: float) -> Iterator[str]:
    """The address of an API whose model thinks for so long."""

    class Handler(_Handler):
        thinks = seconds

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits for an acknowledgement
    thinks = 0.0

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        time.sleep(self.thinks)
        data = json.dumps(_completion(_answer(body))).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that its class gives it
        """Nothing is logged."""


def _answer(body: dict[str, Any]) -> str:
    """Two facts of each turn that it is asked about, and a summary."""
    found = TURNS.search(json.dumps(body["messages"]))
    turns = [int(turn) for turn in found[1].split(",")] if found else []
    facts = [
        {"subject": "entity", "name": f"part {turn}.{at}", "value": f"it has {at} sides", "speaker": "person"}
        | {"turn": turn}
        for turn in turns
        for at in (1, 2)
    ]
    return json.dumps({"facts": facts, "summary": f"The parts up to {max(turns, default=0)} were looked at."})


def _completion(text: str) -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1_750_000_000,
        "model": MODEL,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 15, "total_tokens": 135},
    }
