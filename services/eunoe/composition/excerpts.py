"""An excerpt: head and tail of something too long, with a marker that says what is held back. Pure."""

from __future__ import annotations

from functools import lru_cache

from eunoe.composition import contents, hints
from eunoe.schemas import limits
from eunoe.schemas.events import Entry, ToolResult

MARKER_BYTES = 200  # bytes that are kept free for a marker, which takes fewer
SIZE_MIN = 256  # bytes of the shortest excerpt


@lru_cache(maxsize=64)
def output_bytes(window: int) -> int:
    """The most bytes of one output that a window of so many tokens takes whole."""
    share = int(window * limits.OUTPUT_SHARE) * limits.BYTES_PER_TOKEN
    return min(max(share, limits.OUTPUT_BYTES_MIN), limits.OUTPUT_BYTES_MAX)


def shorten(words: str, event: Entry, size: int, way: str) -> str:
    """``words`` (those of ``event``, or what is left of them) in at most ``size`` bytes."""
    whole = len(words.encode()) if event.blob is None else event.blob.size
    if whole <= size:
        return words
    room = max(size - MARKER_BYTES, 0)
    head = _to_line(contents.cut_bytes(words, room - room // 2))
    tail = _from_line(contents.last_bytes(words if event.blob is None else contents.tail(event), room // 2))
    held = whole - len(head.encode()) - len(tail.encode())
    return f"{head}\n[… {held:,} bytes of entry {event.entry} held back{way} …]\n{tail}"


def hint(event: Entry, memory_tool: bool, tool: str = "") -> str:
    if isinstance(event, ToolResult):
        return "; " + hints.recall(event.entry, event.tool or tool, memory_tool)
    return hints.recall_text(event.entry, memory_tool)


def _to_line(head: str) -> str:
    """Back to the end of a line, where one is in the last quarter."""
    at = head.rfind("\n")
    return head[:at] if at >= len(head) * 3 // 4 else head


def _from_line(tail: str) -> str:
    at = tail.find("\n")
    return tail[at + 1 :] if 0 <= at <= len(tail) // 4 else tail
