"""Golden contexts: what a file in `tests/golden` holds beside the lines that explain it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

FOLDER = Path(__file__).resolve().parents[1] / "golden"
EXPLAINS = "// "  # how a line begins that is no part of the context


def golden(name: str) -> tuple[str, str]:
    """The serialised messages of a context, and its system text.

    ``.jsonc`` holds the messages over as many lines as is good to read, and after an empty one the system text as a
    JSON string, where there is one; any other file holds a text that is the whole context.
    """
    lines = (FOLDER / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    said = "\n".join(line for line in lines if not line.startswith(EXPLAINS))
    if not name.endswith(".jsonc"):
        return msgspec.json.encode(said).decode(), ""
    messages, _, system = said.partition("\n\n")
    return messages.replace("\n", ""), json.loads(system) if system else ""
