"""Answers of a reviewing model, read item by item."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eunoe.distillation.door import Turn
from eunoe.distillation.reviewing.candidates import Candidate, read
from eunoe.distillation.reviewing.deciding import decide
from eunoe.distillation.reviewing.records import Known, Place
from eunoe.schemas.errors import ModelFailed
from eunoe.schemas.facts import Source

TURNS = (Turn(number=3, ordinal=2, at=30), Turn(number=4, ordinal=3, at=40))
KINDS = ("event", "fact", "guidance")
ADD = {"action": "add", "kind": "guidance", "text": "Write tests first", "content": "", "turn": 3, "reason": "asked"}


def answer(*items: Any) -> str:
    return json.dumps(list(items))


def test_every_kind_of_item_is_read() -> None:
    """An addition, a replacement, a retirement and one that was left; the turn is found by its number."""
    items = [
        ADD,
        {**ADD, "action": "replace", "id": "f1", "turn": "4", "kind": "FACT", "content": "All of it."},
        {"action": "retire", "id": "f2", "reason": "over"},
        {"action": "skip", "text": "Said hello", "reason": "small talk"},
    ]
    found = read(answer(*items), TURNS, KINDS)

    assert not found.set_aside
    assert [(one.action, one.kind, one.summary, one.about, one.reason) for one in found.candidates] == [
        ("add", "guidance", "Write tests first", "", "asked"),
        ("replace", "fact", "Write tests first", "f1", "asked"),
        ("retire", "", "", "f2", "over"),
        ("skip", "", "Said hello", "", "small talk"),
    ]
    assert [one.turn.number if one.turn else 0 for one in found.candidates] == [3, 4, 0, 0]
    assert found.candidates[1].body == "All of it."


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({**ADD, "action": "forget"}, "its action is none of add, replace, retire, skip"),
        ({**ADD, "kind": "secret"}, "its kind is none of event, fact, guidance"),
        ({**ADD, "text": " \u200b"}, "it has no text"),
        ({**ADD, "text": ["a"]}, "its text is no string"),
        ({**ADD, "content": {}, "text": "x"}, None),
        ({**ADD, "content": {"a": 1}}, "its content is no string"),
        ({**ADD, "turn": 9}, "turn 9 is none of those that are reviewed"),
        ({**ADD, "turn": "third"}, "its turn is no number"),
        ({**ADD, "action": "replace"}, "it names no record; give its id"),
        ({"action": "retire", "reason": "old"}, "it names no record; give its id"),
    ],
)
def test_a_bad_item_is_set_aside_and_costs_no_other(item: Any, reason: str | None) -> None:
    """With its text and what is wrong with it; an empty content of any type is none."""
    found = read(answer(ADD, item), TURNS, KINDS)

    assert len(found.candidates) == (1 if reason else 2)
    assert [one.reason for one in found.set_aside] == ([reason] if reason else [])


def test_prose_and_fences_around_and_a_name_for_the_list_do_no_harm() -> None:
    """Models add all of these."""
    for text in (f"Here:\n```json\n{answer(ADD)}\n```\nDone.", json.dumps({"records": [ADD]}), json.dumps(ADD)):
        assert [one.summary for one in read(text, TURNS, KINDS).candidates] == ["Write tests first"]


def test_what_is_cut_off_keeps_what_was_whole() -> None:
    """The second item breaks off in its summary."""
    text = answer(ADD, {**ADD, "text": "Deploy on Friday"})[:-60]
    found = read(text, TURNS, KINDS, cut_off=True)

    assert [one.summary for one in found.candidates] == ["Write tests first"]
    assert [one.reason for one in found.set_aside] == ["cut off"]


def test_nothing_to_keep_is_an_answer() -> None:
    """An empty list is what most turns come to."""
    assert read("[]", TURNS, KINDS).candidates == ()


@pytest.mark.parametrize(
    ("text", "cut_off", "reason"),
    [
        ("I would keep nothing.", False, "unreadable"),
        ('[{"action": "add", "kind"', True, "cut_off"),
        (answer({**ADD, "kind": "secret"}), False, "unreadable"),
    ],
)
def test_an_answer_of_which_nothing_can_be_used_is_a_failure(text: str, cut_off: bool, reason: str) -> None:
    """It says how."""
    with pytest.raises(ModelFailed) as failed:
        read(text, TURNS, KINDS, cut_off=cut_off)

    assert failed.value.detail["reason"] == reason


def test_of_too_many_items_the_first_eight_are_taken() -> None:
    """The rest is set aside, by what it would have said."""
    found = read(answer(*({**ADD, "text": f"Rule {number}"} for number in range(10))), TURNS, KINDS)

    assert [one.summary for one in found.candidates] == [f"Rule {number}" for number in range(8)]
    assert [(one.text, one.reason) for one in found.set_aside] == [
        ("Rule 8", "it is over 8 items"),
        ("Rule 9", "it is over 8 items"),
    ]


def test_a_long_summary_goes_on_in_the_content_and_secrets_stay_out() -> None:
    """A line has 200 characters; what was there as content stays."""
    long = "word " * 60
    whole, kept, secret = read(
        answer(
            {**ADD, "text": long},
            {**ADD, "text": long, "content": "More."},
            {**ADD, "text": "The password is hunter2hunter2", "content": "token: abcdefgh12345678"},
        ),
        TURNS,
        KINDS,
    ).candidates

    assert (len(whole.summary), whole.summary[-1], whole.body) == (200, "…", long.strip())
    assert kept.body == "More."
    assert (secret.summary, secret.body) == ("The password is [redacted]", "token: [redacted]")


@pytest.mark.parametrize(("about", "named"), [("faaaaaaaaaa", "faaaaaaaaaa"), ("Ada's number is 4412", "")])
def test_what_is_skipped_names_a_record_or_none(about: str, named: str) -> None:
    """Whatever else a model gives as an id stays in no record: an erasure would leave it there."""
    place = Place("builder", "s")
    record = Known("faaaaaaaaaa", place.identity("fact", "x"), "x", Source(kind="model", principal="builder"), own=True)
    candidate = Candidate("skip", "small talk", about, summary="Said hello")

    (made,) = decide([candidate], {}, {record.id: record}, place, {}).decisions

    assert (made.action, made.about) == ("skipped", named)
