"""Excerpts: outputs over the output budget arrive as head, marker and tail."""

from __future__ import annotations

from typing import Any

import pytest

from eunoe.composition import contents, excerpts
from eunoe.composition.excerpts import output_bytes
from eunoe.schemas.blobs import split
from eunoe.schemas.events import Prompt, ToolResult


def excerpt(result: ToolResult, size: int, memory_tool: bool) -> str:
    way = excerpts.hint(result, memory_tool)
    return excerpts.shorten(contents.said(result), result, size, way)


@pytest.mark.parametrize(
    ("window", "expected"),
    [(1024, 4096), (8192, 4096), (32_768, 16_384), (131_072, 65_536), (1_000_000, 65_536)],
)
def test_an_output_takes_an_eighth_of_the_window(window: int, expected: int) -> None:
    """Four bytes a token, at least 4 KiB and at most 64 KiB."""
    assert output_bytes(window) == expected


def test_an_excerpt_keeps_whole_lines_of_both_ends() -> None:
    """Of 1,000 bytes the marker has 200 and each end 400: 26 lines of 15 bytes, and what is held back is named."""
    content = "".join(f"line number {n:02}\n" for n in range(100))
    item = ToolResult(entry=7, call="c", tool="read_file", content=content)

    head, marker, tail = excerpt(item, 1000, memory_tool=True).partition("\n[… ")[0], "", ""
    found = excerpt(item, 1000, memory_tool=True)
    marker = found[len(head) :].split("\n")[1]
    tail = found.rpartition(" …]\n")[2]

    assert head == "\n".join(f"line number {n:02}" for n in range(26))
    assert tail == "".join(f"line number {n:02}\n" for n in range(74, 100))
    assert marker == '[… 721 bytes of entry 7 held back; memory "recall entry 7" shows it …]'
    assert len(found.encode()) <= 1000


def test_an_excerpt_of_content_in_pieces_is_made_of_what_the_record_holds() -> None:
    """Head and tail come from the blob; what is held back is counted against the whole."""
    blob, _ = split("日" * 200_000)
    item = ToolResult(entry=7, call="c", tool="bash", blob=blob)

    found = excerpt(item, 4096, memory_tool=False)

    assert found.startswith("日" * 600)
    assert found.endswith("日" * 600)
    assert "596,106 bytes of entry 7 held back; do not run it again" in found
    assert len(found.encode()) <= 4096


def test_an_output_over_the_budget_is_an_excerpt_in_its_own_turn(kit: Any) -> None:
    """At 8,192 tokens an output may have 4,096 bytes; one byte more is shown at both ends."""
    thread = kit.thread()
    key = thread.open(Prompt(content="look"), *kit.reads("x" * 4096, call="a"), *kit.reads("y" * 4097, call="b"))

    composed = kit.compose()(thread.fold(), key=key)

    whole, cut = [message["content"] for message in composed.messages if message["role"] == "tool"]
    assert whole == "x" * 4096
    assert cut.startswith("y" * 1948 + "\n[… 201 bytes of entry 5 held back; call it again to see it …]\n")
