"""The tools that a caller offers, in whatever shape it has them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import ToolDefinition

NAMED = ("function", "custom")  # types of tools that the caller runs itself, under names of their own


def definitions(tools: Sequence[object]) -> tuple[ToolDefinition, ...]:
    """Each tool is a `ToolDefinition`, a name, or a definition as a provider's API takes it, beside which ``words`` and
    ``always`` may stand as in the first.

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
    words, always = about.get("words", tool.get("words", ())), about.get("always", tool.get("always", False))
    if not isinstance(always, bool) or not _are_words(words):
        raise Invalid(f"words of a tool are a list of text, and always is True or False; those of {name!r} are not")
    return ToolDefinition(name=name, description=description, words=tuple(words), always=always)


def _are_words(words: object) -> bool:
    return isinstance(words, list | tuple) and all(isinstance(word, str) for word in words)
