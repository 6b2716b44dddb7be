"""A call's arguments in short: the same keys, with long values described."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.composition.arguments import shorten
from eunoe.composition.formats.shape import parsed
from eunoe.schemas.blobs import split
from eunoe.schemas.events import Prompt, Response, ToolCall, ToolResult

RECALL = '; memory "recall entry 4" shows it'


def short(arguments: object, size: int = 640, *, memory_tool: bool = True) -> Any:
    """What is shown of a call with these arguments, read again."""
    content = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    shown = shorten(ToolCall(entry=4, call="c", tool="write_file", content=content), size, memory_tool)
    assert len(shown.encode()) <= size
    return json.loads(shown)


def test_the_longest_values_go_and_short_ones_stay() -> None:
    """A path of 300 bytes fits into 640 when the content of 5,000 is described; numbers and flags stay."""
    path = "src/" + "a" * 296

    assert short({"path": path, "content": "é" * 2500, "mode": 420, "force": True}) == {
        "path": path,
        "content": f"[text of 5,000 bytes held back{RECALL}]",
        "mode": 420,
        "force": True,
    }


def test_without_the_memory_tool_nothing_is_said_of_recalling() -> None:
    """The description says type and size."""
    assert short({"content": "x" * 999}, memory_tool=False) == {"content": "[text of 999 bytes held back]"}


def test_objects_keep_their_keys_and_lists_are_described_whole() -> None:
    """50 edits of 22 bytes each have, with 49 commas and two brackets, 1,151 bytes."""
    edits = [{"old": "ab", "new": "c"}] * 50

    assert len(json.dumps(edits[0], separators=(",", ":"))) == 22
    assert short({"edits": edits, "where": {"file": {"name": "a.py", "text": "x" * 700}, "line": 7}}) == {
        "edits": f"[list of 50, 1,151 bytes, held back{RECALL}]",
        "where": {"file": {"name": "a.py", "text": f"[text of 700 bytes held back{RECALL}]"}, "line": 7},
    }


def test_what_lies_too_deep_is_described_with_what_holds_it() -> None:
    """Three objects inside each other are looked into, the fourth is a value."""
    deep = {"a": {"b": {"c": {"d": {"e": "x" * 700}}}}}

    assert short(deep) == {"a": {"b": {"c": {"d": f"[object of 1 key, 708 bytes, held back{RECALL}]"}}}}


def test_an_object_of_much_that_is_short_is_described_whole() -> None:
    """With 200 numbers in it, each of its own key, nothing in it is long."""
    numbers = {f"k{n:03}": 1 for n in range(200)}

    assert short({"path": "a.py", "table": numbers}) == {
        "path": "a.py",
        "table": f"[object of 200 keys, 1,801 bytes, held back{RECALL}]",
    }


def test_of_too_many_keys_the_first_are_shown_and_the_others_counted() -> None:
    """Each pair takes 9 bytes with its comma; the note takes what a note of the most keys would."""
    shown = short({f"k{n:03}": 1 for n in range(200)})

    assert list(shown)[:2] == ["k000", "k001"]
    assert shown["…"] == f"[{200 - len(shown) + 1} more keys held back{RECALL}]"
    assert len(shown) > 60


def test_a_key_that_the_note_would_take_is_not_lost() -> None:
    """The note takes another one."""
    shown = short({"…": 1, **{f"k{n:03}": 1 for n in range(200)}})

    assert shown["…"] == 1
    assert "more keys held back" in shown["……"]


@pytest.mark.parametrize("arguments", ["rm -rf build\n" * 60, '{"a": NaN, "b": "' + "x" * 700 + '"}', "[" * 700])
def test_what_is_no_object_is_a_value_of_one(arguments: str) -> None:
    """As in a request where it stands whole."""
    assert short(arguments) == {"arguments": f"[text of {len(arguments)} bytes held back{RECALL}]"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"path": "a.py", "mode": 420, "content": "%s"}', {"path": "a.py", "mode": 420, "content": "[{} bytes]"}),
        ('{"path": "a.py", "content": {"a": "%s"}, "mode": 1}', {"path": "a.py", "content": "[{} bytes]"}),
        ('{"%s": 1}', {"arguments": "[{} bytes]"}),
        ("make %s", {"arguments": "[{} bytes]"}),
        ('{"n": Infinity, "a": "%s"}', {"n": "[{} bytes]"}),
    ],
)
def test_of_arguments_in_pieces_the_pairs_before_the_long_one_are_there(
    written: str, expected: dict[str, object]
) -> None:
    """Only their first 32 KiB are in the record: whole pairs in that are shown, and the next key's value described."""
    content = written.replace("%s", "x" * 300_000)
    blob, _ = split(content)
    held = f"[{len(content):,} bytes held back{RECALL}]"

    shown = shorten(ToolCall(entry=4, call="c", tool="t", blob=blob), 640, memory_tool=True)

    assert json.loads(shown) == {key: held if value == "[{} bytes]" else value for key, value in expected.items()}


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats() | st.text() | st.just("é" * 500),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


@given(st.dictionaries(st.text(max_size=300) | st.just("…"), values, max_size=30), st.integers(256, 2000))
@settings(max_examples=60, deadline=None)
def test_arguments_in_short_are_an_object_within_their_size(arguments: dict[str, Any], size: int) -> None:
    """Whatever they hold: keys in their order, and every value is itself or says that something is held back."""
    whole = parsed(json.dumps(arguments))
    shown = short(json.dumps(arguments), size)

    keys = [key for key in shown if key in whole]
    assert keys == list(whole)[: len(keys)]
    assert len(shown) - len(keys) == (len(keys) < len(whole))
    assert all(shown[key] == whole[key] or "held back" in json.dumps(shown[key]) for key in keys)


def test_a_turn_that_is_over_shows_its_long_arguments_in_short(kit: Any) -> None:
    """In its own turn a call is whole; later one of more than 640 bytes is not, and its recipe says so."""
    content = "x = 1\n" * 200
    long = ToolCall(call="a", tool="write_file", content=json.dumps({"path": "a.py", "content": content}))
    brief = ToolCall(call="b", tool="write_file", content='{"path": "b.py"}')
    thread = kit.thread()
    thread.turn(Prompt(content="write"), long, brief, ToolResult(call="a", content="ok"), ToolResult(call="b"))
    key = thread.open(Prompt(content="again"), long, ToolResult(call="a", content="ok"))

    composed = kit.compose()(thread.fold(), key=key)

    calls = [call["function"] for message in composed.messages for call in message.get("tool_calls", [])]
    assert json.loads(calls[0]["arguments"]) == {"path": "a.py", "content": "[text of 1,200 bytes held back]"}
    assert calls[1]["arguments"] == '{"path": "b.py"}'
    assert json.loads(calls[2]["arguments"]) == {"path": "a.py", "content": content}
    assert [(one.entry, one.how, one.size) for one in composed.recipe.renderings] == [(2, "arguments", 640)]


def test_one_long_turn_that_writes_much_shows_its_older_writes_in_short(kit: Any) -> None:
    """With outputs of nothing to hold back, what was written in all but the last three rounds goes."""
    thread = kit.thread()
    rounds = [
        event
        for n in range(8)
        for event in (
            Response(content=f"file {n}"),
            ToolCall(call=f"c{n}", tool="write_file", content=json.dumps({"path": f"{n}.py", "content": "y" * 3000})),
            ToolResult(call=f"c{n}", content="written"),
        )
    ]
    key = thread.open(Prompt(content="write eight files"), *rounds)

    composed = kit.compose(window=6_500)(thread.fold(), key=key)

    assert [(one.entry, one.how) for one in composed.recipe.renderings] == [
        (entry, "arguments") for entry in (3, 6, 9, 12, 15)
    ]
    assert composed.recipe.dropped_rounds == 0
