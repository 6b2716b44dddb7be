"""The catalogue: every tool of a caller in a clause, the same bytes as long as the tools are the same. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eunoe.composition import marks
from eunoe.facts.values import cut, one_line
from eunoe.schemas.requests import ToolDefinition

HEADER = "Tools (those registered for a request are listed with it; call any other by its name):"
CLAUSE = 120  # characters of what is said of one tool
_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[\u3002\uff01\uff1f])|[\r\n]")


def catalogue(tools: Sequence[ToolDefinition]) -> str:
    """One line for each tool, by name; empty without tools."""
    lines = [f"- {line(tool)}" for tool in sorted(tools, key=lambda tool: tool.name)]
    return marks.clean("\n".join([HEADER, *lines])) if lines else ""


def line(tool: ToolDefinition) -> str:
    """A tool's name, and the first sentence of what it is for."""
    clause = cut(one_line(_SENTENCE.split(tool.description.strip(), maxsplit=1)[0]), CLAUSE).rstrip(".")
    return f"{tool.name}: {clause}" if clause else tool.name
