"""Facts in what a model said, wherever they stand in it and wherever it breaks off."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.distillation import scanning
from eunoe.distillation.scanning import scan

A = '{"subject": "note", "name": "a", "value": "one", "speaker": "person", "turn": 1}'
B = '{"subject": "note", "name": "b", "value": "two {x} ```[1]", "speaker": "model", "turn": 2}'
NO_CODE = f"no valid JSON: invalid \\u{'X' * 4} escape"


def names(text: str) -> list[str]:
    return [value["name"] for value, _ in scan(text).facts]


def broken(text: str) -> list[tuple[str, str]]:
    return [(one.text, one.reason) for one in scan(text).broken]


@pytest.mark.parametrize(
    "text",
    [
        f'{{"facts": [{A}, {B}]}}',
        f'note {{x}}: {{"facts": [{A}, {B}]}} and {{that}} is [all].',
        f'```json\n{{"facts": [{A}, {B}]}}\n```\nHope that helps!',
        f'{{"facts": [{A}]}}\n{{"facts": [{B}]}}',
        f'{{"facts": {A}}} {{"facts": {B}}}',
        f"[{A}, {B}]",
        f"Here: [\n{A}\n{B}\n]",
        f"{A}\n{B}",
        f"- {A}\n- {B}",
        f'{{"note": "two", "facts": [{A}, {B}], "more": {{"facts": 1}}}}',
        f'{{"facts": [{A}, {B},]}}',
        f'{{"facts": [{A}, {B}}}',
    ],
)
def test_whole_facts_are_found_in_whatever_stands_around_them(text: str) -> None:
    """Prose with brackets, code fences, several objects, bare lists, a fact a line, a comma too many or a bracket too
    few; braces and fences inside of strings are words."""
    assert names(text) == ["a", "b"]
    assert broken(text) == []


def test_a_fact_is_taken_as_it_stands_there() -> None:
    """With the text that it was, and its numbers as they were written."""
    found = scan('[{"name": "a", "value": 1.50, "turn": 3}]')

    assert found.facts == [({"name": "a", "value": "1.50", "turn": "3"}, '{"name": "a", "value": 1.50, "turn": 3}')]
    assert isinstance(found.facts[0][0]["turn"], scanning.Number)


def test_control_characters_in_a_string_are_its_words() -> None:
    """Unescaped ones too, which JSON has no place for: it is plain where the string ends."""
    assert names('[{"name": "a\nb\tc\x1b\x00\u2028"}]') == ["a\nb\tc\x1b\x00\u2028"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (r'{"name": "C:\x"}', r"no valid JSON: invalid \escape"),
        (r'{"name": "\u12"}', NO_CODE),
        ('{"name": "5" screen"}', "no valid JSON: expecting ',' delimiter"),
        ('{"name": 5" screen}', "no valid JSON: expecting ',' delimiter"),
        ("{'name': 'x'}", "no valid JSON: expecting property name enclosed in double quotes"),
        ('{"name" "x"}', "no valid JSON: expecting ':' delimiter"),
        ('{"name": "x", "more": [}', "no valid JSON: expecting value"),
        ('{"name": None}', "no valid JSON: expecting value"),
        ('"a"', "a fact must be an object"),
        ("12", "a fact must be an object"),
        ("null", "a fact must be an object"),
        (f"[{A}]", "a fact must be an object"),
        ("...", "no valid JSON"),
    ],
)
def test_one_that_is_broken_costs_no_other(bad: str, reason: str) -> None:
    """What stands before and after it is kept, and it is set aside as it was."""
    found = scan(f'{{"facts": [{A}, {bad}, {B}], "summary": "So far."}}')

    assert [value["name"] for value, _ in found.facts] == ["a", "b"]
    assert [(one.text.rstrip(", "), one.reason) for one in found.broken] == [(bad, reason)]
    assert found.summary == "So far."


def test_a_string_that_was_not_closed_costs_only_its_own_fact() -> None:
    """It seems to go on into the next one, which is found all the same."""
    assert names(f'{{"facts": [{A}, {{"name": "x, "value": "y"}}, {B}]}}') == ["a", "b"]
    assert names(f'{{"facts": [{A}, {{"name": "x}}, {B}]}}') == ["a", "b"]


def test_what_was_quoted_in_a_fact_is_no_fact() -> None:
    """Not even where the fact around it is broken."""
    quoted = json.dumps(A)

    assert scan(f'[{{"name": "x", "value": {quoted}, "bad": "\\x"}}]').facts == []
    assert scan(f'[{{"name": "x", "value": {quoted}').facts == []
    assert scan(f'[{{"name": "x", "value": {A}, "bad').facts == []


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ('{"facts": []}', True),
        ('So: {"facts": [ ], "summary": "x"}', True),
        ('{"facts": []', True),
        ("[]", True),
        ("```json\n[]\n```", True),
        ('{"facts": [', False),
        ('{"facts": null}', False),
        ('{"facts": {}}', False),
        ("{}", False),
        ("null", False),
        ("", False),
        ("Nothing [] here", False),
        ("[1, 2]", False),
        ("I cannot.", False),
    ],
)
def test_that_there_are_no_facts_has_to_be_said(text: str, empty: bool) -> None:
    """An empty list says so; nothing at all does not."""
    assert scan(text).empty == empty


@pytest.mark.parametrize(
    ("tail", "aside"),
    [
        ("", [""]),
        (", ", [""]),
        (", {", ["{"]),
        (', {"name": "b', ['{"name": "b']),
        (', {"name": "b\\', ['{"name": "b\\']),
        (', {"name": "b", "turn": 1', ['{"name": "b", "turn": 1']),
    ],
)
def test_where_an_answer_is_cut_off_the_rest_is_set_aside(tail: str, aside: list[str]) -> None:
    """And that it was is known where nothing is left over."""
    found = scan(f'{{"facts": [{A}{tail}')

    assert len(found.facts) == 1
    assert [(one.text, one.reason) for one in found.broken] == [(text, "cut off") for text in aside]


@pytest.mark.parametrize(
    ("summary", "found", "aside"),
    [
        ('"Two\\nlines."', "Two\nlines.", []),
        ("7", "7", []),
        ("null", None, []),
        ('["a"]', ["a"], []),
        ('"bad \\x"', None, [('"bad \\x"', "the summary is no valid JSON")]),
    ],
)
def test_a_summary_is_found_beside_the_facts(summary: str, found: Any, aside: list[tuple[str, str]]) -> None:
    """As it was given; a broken one costs no fact."""
    text = f'{{"facts": [{A}], "summary": {summary}}}'

    assert names(text) == ["a"]
    assert scan(text).summary == found
    assert broken(text) == aside


def test_a_summary_that_is_cut_off_is_none() -> None:
    """Whatever brackets it has."""
    assert scan(f'{{"facts": [{A}], "summary": "So {{far').summary is None
    assert broken(f'{{"facts": [{A}], "summary": "So {{far') == [('"So {far', "cut off")]


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "{",
        '{"a":',
        "[{",
        '{"facts":[',
        '[{"a":',
        "}",
        '"',
        "{ ",
        '{"a":1,"',
        "\\",
        '{"a":"\\x"},',
        "[[{",
        '{"a":[x}, ',
    ],
)
def test_a_megabyte_of_brackets_is_soon_done_with(unit: str) -> None:
    """Work is bounded by places that are broken and by characters, and nothing is raised."""
    found = scan((unit * (1_048_576 // len(unit) + 1))[:1_048_576])

    assert found.facts == []
    assert len(found.broken) <= scanning.BROKEN + 2


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
facts = st.fixed_dictionaries(
    {"subject": st.text(max_size=8), "name": st.text(max_size=8), "value": st.text(max_size=30) | values}
)


@st.composite
def answered(draw: st.DrawFn) -> tuple[str, list[tuple[int, dict[str, Any]]]]:
    """An answer of a model, and where in it each of its facts ends."""
    text, ends = draw(st.sampled_from(["", "note {x}: ", "```json\n"])) + '{"facts": [', []
    for at, fact in enumerate(draw(st.lists(facts, max_size=4))):
        text += (", " if at else "") + json.dumps(fact, ensure_ascii=draw(st.booleans()))
        ends.append((len(text.encode()), fact))
    return text + draw(st.sampled_from(["]}", '], "summary": "So [far] {it} goes."}', "]}\n```"])), ends


def plain(value: Any) -> Any:
    """A value with its numbers as they are written, as the scan has it."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


@settings(max_examples=150, deadline=None)
@given(answered(), st.data())
def test_cut_at_any_byte_every_whole_fact_before_it_is_kept_and_none_is_changed(
    made: tuple[str, list[tuple[int, dict[str, Any]]]], data: st.DataObject
) -> None:
    """No end of a fact is ever invented."""
    text, ends = made
    at = data.draw(st.integers(0, len(text.encode())))
    for cut in (text.encode()[:at].decode(errors="ignore"), text.encode()[:at].decode(errors="replace")):
        assert [value for value, _ in scan(cut).facts] == [plain(fact) for end, fact in ends if end <= at]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([*'{}[]",:\\`', "\n", "facts", '"facts":', '"summary":', "1", "x", A, '\\"']), max_size=24)
)
def test_garbage_is_looked_through(parts: list[str]) -> None:
    """Whatever it is made of, nothing is raised."""
    scan("".join(parts))
