"""A reference: what stands for a tool's output once its turn is over. Pure."""

from __future__ import annotations

from eunoe.composition import contents, hints, marks
from eunoe.composition.contents import Item
from eunoe.facts import times
from eunoe.schemas import limits
from eunoe.schemas.events import ToolCall, ToolResult

LINE_BYTES = 100  # bytes of a quoted line
ARGUMENTS_BYTES = 200  # bytes of the arguments
ATTACHMENTS_NAMED = 4  # attachments looked at for the line that names them


def reference(item: Item, result: ToolResult, call: ToolCall | None, memory_tool: bool) -> str:
    """At most `limits.REFERENCE_BYTES`: tool, entry, time, outcome, size, arguments, first and last line."""
    tool = tool_of(result, call)
    lines, size = _count(contents.lines(result), "line"), _count(contents.words_size(result), "byte")
    facts = ", ".join((outcome(result), lines, size))
    head = (
        f"[output of entry {result.entry} held back: {tool} at {times.stamp(item.time)}, {facts}; "
        f"{hints.recall(result.entry, tool, memory_tool)}]"
    )
    return contents.shortened("\n".join([head, *_quotes(result, call)]), limits.REFERENCE_BYTES)


def tool_of(result: ToolResult, call: ToolCall | None) -> str:
    name = result.tool or (call.tool if call else "")
    return contents.cut_bytes(marks.one_line(marks.clean(name)), 80) if name else "a tool"


def outcome(result: ToolResult) -> str:
    if result.exit_status is not None:
        return f"exit status {result.exit_status}"
    return result.status


def _quotes(result: ToolResult, call: ToolCall | None) -> list[str]:
    found = []
    if call is not None and call.content.strip():
        found.append("arguments: " + contents.shortened(" ".join(contents.said(call).split()), ARGUMENTS_BYTES))
    if result.attachments:
        named = "; ".join(contents.attachment(one) for one in result.attachments[:ATTACHMENTS_NAMED])
        found.append(f"{_count(len(result.attachments), 'attachment')}: {contents.shortened(named, LINE_BYTES)}")
    first, last = _first(contents.said(result)), _first(contents.tail(result), from_end=True)
    if first:
        found.append("first line: " + first)
    if last and last != first:
        found.append("last line: " + last)
    return found


def _first(text: str, from_end: bool = False) -> str:
    """The first line (from that end) that says anything, looked for in a bounded part of the text."""
    part = text[-8192:] if from_end else text[:8192]
    found = part.splitlines()
    for line in reversed(found) if from_end else found:
        if line.strip():
            return contents.shortened(line.strip(), LINE_BYTES)
    return ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
