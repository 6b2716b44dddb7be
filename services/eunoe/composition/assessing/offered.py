"""The tools that a caller offers: whether they can be tools, and which of them every request needs. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from eunoe.schemas import ids, limits
from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import ComposeRequest, ToolDefinition

MEMORY = "memory"  # the tool that contexts name where their model can call it


def offered(request: ComposeRequest) -> ComposeRequest:
    """The request with the tool that its context tells the model to call registered always, whatever is decided."""
    if not request.memory_tool:
        return request
    tools = [replace(tool, always=True) if tool.name == MEMORY else tool for tool in request.tools]
    return replace(request, tools=tuple(tools))


def check(tools: Sequence[ToolDefinition], unregistered: str) -> None:
    """Raise `Invalid` for more tools than there may be, for names that are none or not one's own, and for a tool that
    was called where none is offered."""
    if len(tools) > limits.TOOLS_MAX:
        raise Invalid(f"a request names {limits.TOOLS_MAX} tools at most, not {len(tools)}")
    names = Counter(tool.name for tool in tools)
    for name, count in names.items():
        ids.check(name, "tool")
        if count > 1:
            raise Invalid(f"the tool {name!r} is offered {count} times; name each tool once")
    for tool in tools:
        _check_words(tool)
    if unregistered and not tools:
        raise Invalid(f"the tool {unregistered!r} was called, and no tools are offered; give those that there are")


def _check_words(tool: ToolDefinition) -> None:
    """Raise `Invalid` for more than is worth looking through at each request."""
    if len(tool.words) > limits.TOOL_WORDS or any(len(word) > limits.ID_BYTES for word in tool.words):
        raise Invalid(
            f"the tool {tool.name!r} has {len(tool.words):,} words; "
            f"it may have {limits.TOOL_WORDS} of {limits.ID_BYTES} characters each"
        )
    if len(tool.description) > limits.TOOL_DESCRIPTION:
        raise Invalid(
            f"the description of the tool {tool.name!r} has {len(tool.description):,} characters; "
            f"the limit is {limits.TOOL_DESCRIPTION:,}"
        )
