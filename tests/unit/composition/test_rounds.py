"""Pairing: calls with their results, whatever order the log has them in."""

from __future__ import annotations

from eunoe.composition.contents import Item
from eunoe.composition.rounds import Round, Said, steps
from eunoe.schemas.events import Entry, Prompt, Response, ToolCall, ToolResult


def shape(*events: Entry) -> list[object]:
    """Each step as numbers: ``[texts], [(call, result)]`` for a round, the entry for what was said."""
    items = [Item(event, 1, 1) for event in events]
    found: list[object] = []
    for step in steps(items):
        if isinstance(step, Said):
            found.append(step.item.entry)
        elif isinstance(step, Round):
            pairs = [(call.call.entry, call.result.entry if call.result else None) for call in step.calls]
            found.append(([item.entry for item in step.texts], pairs))
    return found


def call(entry: int, name: str) -> ToolCall:
    return ToolCall(entry=entry, call=name, tool="t")


def result(entry: int, name: str) -> ToolResult:
    return ToolResult(entry=entry, call=name)


def test_parallel_calls_are_one_round() -> None:
    """Calls made before any result belong together, with the text before them; a reply is a round of its own."""
    found = shape(
        Prompt(entry=1),
        Response(entry=2),
        call(3, "a"),
        call(4, "b"),
        result(5, "b"),
        result(6, "a"),
        Response(entry=7),
    )

    assert found == [1, ([2], [(3, 6), (4, 5)]), ([7], [])]


def test_a_call_after_a_result_begins_a_round() -> None:
    """The model answered in between."""
    assert shape(call(1, "a"), result(2, "a"), call(3, "b"), result(4, "b")) == [([], [(1, 2)]), ([], [(3, 4)])]


def test_a_missing_result_is_none_and_an_unknown_result_is_said() -> None:
    """A second result of one call is unknown too."""
    assert shape(call(1, "a"), result(2, "z"), Response(entry=3)) == [([], [(1, None)]), 2, ([3], [])]
    assert shape(call(1, "a"), result(2, "a"), result(3, "a")) == [([], [(1, 2)]), 3]


def test_a_result_that_comes_late_still_belongs_to_its_call() -> None:
    """Even after a prompt and another round."""
    found = shape(call(1, "a"), Prompt(entry=2), Response(entry=3), call(4, "b"), result(5, "b"), result(6, "a"))

    assert found == [([], [(1, 6)]), 2, ([3], [(4, 5)])]


def test_equal_call_ids_are_answered_in_order() -> None:
    """Some runtimes number their calls anew in every round."""
    assert shape(call(1, "0"), result(2, "0"), call(3, "0"), result(4, "0")) == [([], [(1, 2)]), ([], [(3, 4)])]
    assert shape(call(1, ""), call(2, ""), result(3, ""), result(4, "")) == [([], [(1, 3), (2, 4)])]
