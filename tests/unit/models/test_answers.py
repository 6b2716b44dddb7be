"""What a model said, as a value: found in whatever it stands, and checked."""

from __future__ import annotations

from typing import Any

import pydantic
import pytest

from eunoe.models import answers
from eunoe.schemas.errors import ModelFailed


class Point(pydantic.BaseModel):
    x: int
    label: str = "none"


@pytest.mark.parametrize(
    "text",
    [
        '{"x": 1}',
        ' {"x": 1}\n',
        '```json\n{"x": 1}\n```',
        'Here is the JSON:\n{"x": 1}\nDo you want more?',
        'In braces {like these} it is {"x": 1}.',
        '[note] {"x": 1, "label": "none"}',
        'First {} and then {"x": 1}',
        '{"x": 1, "unheard": [2, 3]}',
    ],
)
def test_the_value_is_found_in_what_stands_around_it(text: str) -> None:
    """Prose, a code fence, and brackets that are no JSON; what the schema does not name is passed over."""
    assert answers.read(text, Point) == Point(x=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the model answered without any JSON: ''"),
        ("I cannot do that.", "the model answered without any JSON: 'I cannot do that.'"),
        ('{"x": 1', "the model answered without any JSON: '{\"x\": 1'"),
        ('{"x": "one"}', "the model's answer does not fit: x: input should be a valid integer"),
        ("{}", "the model's answer does not fit: x: field required"),
        ("[1]", "the model's answer does not fit: the answer: input should be"),
        ("{" * 5_000, "the model answered without any JSON: '{{{"),
        ("[" * 100_000, "the model answered without any JSON: '[[["),
    ],
)
def test_what_is_no_value_of_the_schema_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    """One line; of what the model said no more than its beginning."""
    with pytest.raises(ModelFailed) as failed:
        answers.read(text, Point)

    assert str(failed.value).startswith(said)
    assert len(str(failed.value)) < 200
    assert failed.value.detail == {"reason": "unreadable"}


def test_a_text_is_taken_as_it_is() -> None:
    """Where text is asked for, JSON in it is text."""
    assert answers.read('{"x": 1}', str) == '{"x": 1}'


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain", "plain"),
        ("<think>\nHm.\n</think>\n\nyes", "yes"),
        ("Hm, {} perhaps.</think>yes", "yes"),
        ("<think>on and on", "<think>on and on"),
        ("<think>Hm.</think>the tag </think> ends it", "the tag </think> ends it"),
        ('{"x": "the tag </think> ends it"}', '{"x": "the tag </think> ends it"}'),
        ('```json\n{"x": "</think>"}\n```', '```json\n{"x": "</think>"}\n```'),
        ("half \ud83d a character", "half ? a character"),
    ],
)
def test_reasoning_is_no_part_of_what_is_said(text: str, left: str) -> None:
    """Some servers leave it in the text, and some of them without its first mark; in JSON the mark is a word."""
    assert answers.spoken(text) == left


@pytest.mark.parametrize(("text", "thinks"), [("<think>on and on", True), ("yes", False), ('{"x": "<think>"}', False)])
def test_reasoning_without_an_end_says_nothing(text: str, thinks: bool) -> None:
    assert answers.thinking(answers.spoken(text)) == thinks


def test_the_longest_value_is_the_answer() -> None:
    """A model that shows an example before its answer is understood when the answer is the longer one."""
    said: Any = answers.value_of('For example {"x": 2}. So: {"x": 1, "label": "here"}')

    assert said == {"x": 1, "label": "here"}


def test_the_schema_is_shown_to_the_model() -> None:
    """On one line after the instruction, with what is needed."""
    instruction, schema = answers.asking(Point).split("\n")

    assert "JSON" in instruction
    assert '"required":["x"]' in schema


def test_a_secret_in_an_answer_is_not_quoted() -> None:
    """Not even the beginning of one that does not fit."""
    said = answers.quoted("The words before it are many enough, so that it ends here: " + "ghp_" + "a1" * 40)

    assert said == "'The words before it are many enough, so that it ends here: [redacted]'"
