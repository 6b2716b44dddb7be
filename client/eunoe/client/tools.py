"""The tools that a caller offers, in whatever shape it has them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import ToolDefinition

NAMED = ("function", "custom")  # types of tools that the caller runs itself, under names of their own


def definitions(tools: Sequence[object]) -> tuple[ToolDefinition, ...]:
    """Each tool is a `ToolDefinition`, a name, or a definition as a provider's API takes it.

    Raises `Invalid` for what is none of these.
    """
    return tuple(_definition(tool) for tool in tools)


def _definition(tool: object) -> ToolDefinition:
    if isinstance(tool, ToolDefinition):
        return tool
    if isinstance(tool, str):
        return ToolDefinition(name=tool)
    if isinstance(tool, Mapping):
        return _described(tool)
    raise Invalid(f"a tool is a name, a ToolDefinition, or what a provider's API takes, not {type(tool).__name__}")


def _described(tool: Mapping[Any, Any]) -> ToolDefinition:
    """A tool of the Chat Completions API has what it is under its type; one that a provider runs itself may have no
    name but its type."""
    kind = tool.get("type")
    inner = (tool.get(one) for one in NAMED)
    about: Mapping[Any, Any] = next((one for one in inner if isinstance(one, Mapping)), tool)
    name, description = about.get("name") or (None if kind in NAMED else kind), about.get("description") or ""
    if not isinstance(name, str) or not isinstance(description, str):
        had = ", ".join(map(str, about))
        raise Invalid(f"a tool has a name, and may have a description, as text; this one has {had}")
    return ToolDefinition(name=name, description=description)
