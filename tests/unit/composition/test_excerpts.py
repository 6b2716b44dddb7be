"""Excerpts: outputs over the output budget arrive as head, marker and tail."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.composition import contents, excerpts
from eunoe.composition.excerpts import output_bytes
from eunoe.composition.showing import Manner, shown_text
from eunoe.schemas.blobs import split
from eunoe.schemas.context import Rendering
from eunoe.schemas.events import Attachment, Prompt, Response, ToolResult


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


@given(
    st.lists(st.sampled_from(["a", "é", "日本", "😀", "\n", "\r\n", "\u2028", " word", "x" * 500]), max_size=400).map(
        "".join
    ),
    st.integers(256, 5_000),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_an_excerpt_is_within_its_size_and_counts_what_is_missing(content: str, size: int, memory_tool: bool) -> None:
    """Both ends are the content's own, of whole characters, and the marker says exactly how many bytes are between."""
    found = excerpt(ToolResult(entry=2**53 - 1, call="c", tool="bash", content=content), size, memory_tool)

    whole = len(content.encode())
    if whole <= size:
        assert found == content
        return
    assert len(found.encode()) <= size
    head, _, rest = found.partition("\n[… ")
    marker, _, tail = rest.partition(" …]\n")
    assert content.startswith(head)
    assert content.endswith(tail)
    held = int(marker.partition(" bytes of entry 9007199254740991 held back")[0].replace(",", ""))
    assert held == whole - len(head.encode()) - len(tail.encode())


@given(st.integers(0, 40), st.integers(256, 3_000), st.text(max_size=300), st.integers(0, 4_000))
@settings(max_examples=100, deadline=None)
def test_attachments_are_named_within_the_size_of_an_excerpt(
    kit: Any, count: int, size: int, name: str, long: int
) -> None:
    """As many as have room, then how many more there are; of the words both ends are left."""
    picture = Attachment(media_type="image/png", size=12_345, digest="0" * 64, name=name)
    thread = kit.thread()
    thread.turn(Response(content="x" * long, attachments=(picture,) * count))
    turn = thread.fold().turns[1]
    how = {1: Rendering(entry=1, how="excerpt", size=size)}

    shown = shown_text(turn, turn.items[0], how, Manner("openai", memory_tool=True))

    assert len(shown.encode()) <= size
    named = shown.count(": image/png, 12,345 bytes;" if name else "[attachment image/png, 12,345 bytes;")
    assert named == count or f"{count - named} " in shown.rpartition("\n")[2]
    assert shown.startswith("x") or not long


def test_a_request_of_nothing_but_attachments_names_them(kit: Any) -> None:
    """A line for each, with name, type and size, what is only linked to without; never their bytes."""
    picture = Attachment(media_type="image/png", size=12_345, digest="0" * 64, name="a b.png", data="iVBORw0KGgo=")
    link = Attachment(media_type="image/*", size=0, digest="0" * 64, name="https://example.org/c.png")
    thread = kit.thread()
    key = thread.open(Prompt(attachments=(picture, link)))

    composed = kit.compose(memory_tool=True)(thread.fold(), key=key)

    assert composed.messages[-1]["content"] == (
        '[attachment a b.png: image/png, 12,345 bytes; memory "recall entry 1" shows it]\n'
        '[attachment https://example.org/c.png: image/*; memory "recall entry 1" shows it]'
    )


def test_an_output_over_the_budget_is_an_excerpt_in_its_own_turn(kit: Any) -> None:
    """At 8,192 tokens an output may have 4,096 bytes; one byte more is shown at both ends."""
    thread = kit.thread()
    key = thread.open(Prompt(content="look"), *kit.reads("x" * 4096, call="a"), *kit.reads("y" * 4097, call="b"))

    composed = kit.compose()(thread.fold(), key=key)

    whole, cut = [message["content"] for message in composed.messages if message["role"] == "tool"]
    assert whole == "x" * 4096
    assert cut.startswith("y" * 1948 + "\n[… 201 bytes of entry 5 held back; call it again to see it …]\n")
