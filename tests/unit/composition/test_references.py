"""References: what stands for an output once its turn is over."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.composition import hints
from eunoe.composition.contents import Item
from eunoe.composition.references import reference
from eunoe.schemas.blobs import split
from eunoe.schemas.events import Attachment, ToolCall, ToolResult

AT = 1_750_000_000_000  # 2025-06-15 15:06:40Z
CALL = ToolCall(entry=6, call="c", tool="read_file", content='{"path": "docs/a.md"}')


def shown(result: ToolResult, call: ToolCall | None = CALL, memory_tool: bool = True) -> str:
    return reference(Item(result, 1, AT), result, call, memory_tool)


def test_a_reference_says_what_the_output_was_and_how_to_recall_it() -> None:
    """Tool, entry, time, outcome, lines, bytes, arguments, first and last line, and the recall."""
    result = ToolResult(entry=7, call="c", content="# Title\n\nbody\nthe end\n")

    assert shown(result) == (
        "[output of entry 7 held back: read_file at 2025-06-15 15:06:40Z, ok, 4 lines, 22 bytes; "
        'memory "recall entry 7" shows it]\n'
        'arguments: {"path": "docs/a.md"}\n'
        "first line: # Title\n"
        "last line: the end"
    )


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("read_file", "call it again to see it"),
        ("searchDocs", "call it again to see it"),
        ("run_command", "do not run it again"),
        ("bash", "do not run it again"),
        ("str_replace_editor_view", "do not run it again"),
        ("get_and_delete", "do not run it again"),
        ("frobnicate", "do not run it again"),
    ],
)
def test_without_the_memory_tool_only_what_reads_is_called_again(tool: str, expected: str) -> None:
    """A command or an edit must not run twice, and a tool that nobody knows counts as one."""
    assert hints.recall(7, tool, memory_tool=False) == expected


def test_a_failed_command_shows_its_exit_status() -> None:
    """An exit status says more than failed."""
    result = ToolResult(entry=9, call="c", tool="bash", content="no such file", status="failed", exit_status=2)

    assert ", exit status 2, 1 line, 12 bytes; do not run it again]" in shown(result, memory_tool=False)


def test_a_reference_is_at_most_640_bytes_of_whole_characters() -> None:
    """Long lines and arguments are cut, in any script."""
    call = ToolCall(entry=6, call="c", tool="日" * 300, content="語" * 5000)
    result = ToolResult(entry=7, call="c", content="日本" * 5000 + "\n" + "é" * 9000)

    found = shown(result, call)

    assert len(found.encode()) <= 640
    assert "�" not in found
    assert "first line: 日本日本" in found


long = st.lists(
    st.sampled_from(["a", "日本", "\n", "\r\n", "\u2028", '"', "[", "\\", "\x00", "w" * 99]), max_size=60
).map("".join)


@given(tool=long, content=long, arguments=long, name=long, count=st.integers(0, 9), memory_tool=st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_reference_to_whatever_is_at_most_640_bytes_of_a_few_lines(
    tool: str, content: str, arguments: str, name: str, count: int, memory_tool: bool
) -> None:
    """Its first line says what it is of and the way back, whatever tool, arguments, output and attachments hold."""
    call = ToolCall(entry=6, call="c", tool=tool, content=arguments)
    picture = Attachment(media_type=name, size=2**40, digest="0" * 64, name=name)
    result = ToolResult(
        entry=2**53 - 1, call="c", content=content, exit_status=-(2**31), attachments=(picture,) * count
    )

    found = shown(result, call, memory_tool)

    lines = found.split("\n")
    assert len(found.encode()) <= 640
    assert len(lines) == len(found.splitlines()) <= 5
    assert lines[0].startswith("[output of entry 9007199254740991 held back: ")
    assert lines[0].endswith('; memory "recall entry 9007199254740991" shows it]' if memory_tool else "again]")


def test_content_in_pieces_is_counted_whole() -> None:
    """Size and lines are the whole content's, the quotes those of its head and tail."""
    blob, _ = split("first\n" + "x" * 99 + "\n" + "middle\n" * 60_000 + "last")

    found = shown(ToolResult(entry=7, call="c", blob=blob))

    assert "60003 lines, 420110 bytes" in found
    assert found.endswith("first line: first\nlast line: last")


def test_an_output_no_longer_than_its_reference_stays_whole(kit: Any) -> None:
    """In a later turn a short output is as it was, a long one is a reference."""
    thread = kit.thread()
    thread.turn(*kit.asks("read both", *kit.reads("short", call="a"), *kit.reads("long line\n" * 90, call="b")))

    composed = kit.compose()(thread.fold(), request="and now?")

    outputs = [message["content"] for message in composed.messages if message["role"] == "tool"]
    assert outputs[0] == "short"
    assert outputs[1].startswith("[output of entry 5 held back: read_file at ")
    assert [(one.entry, one.how) for one in composed.recipe.renderings] == [(5, "reference")]
