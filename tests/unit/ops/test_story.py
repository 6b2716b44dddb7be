"""The scripted conversation gives no answer away but where it is meant to."""

from __future__ import annotations

import re

import pytest

from evaluation import reviews
from evaluation.dropping import Dropping
from evaluation.scoring import holds, normal
from evaluation.scripted import play
from evaluation.story import CONVERSATION, QUESTIONS, Question
from evaluation.strategies import Size
from evaluation.threads import Thread

GIVEN = {  # where each answer stands: turn, and what of it
    "codename": {(1, "prompt")},
    "ticket": {(4, "prompt")},
    "preference": {(3, "prompt")},
    "CI now": {(10, "prompt")},
    "first file": {(2, "prompt"), (2, "arguments")},
    "task": {(1, "prompt")},
    "detail": {(2, "output")},
}


def places(question: Question, phrases: tuple[str, ...]) -> set[tuple[int, str]]:
    found = set()
    for number, turn in enumerate(CONVERSATION, 1):
        said = [("prompt", turn.prompt), ("reply", turn.reply)]
        said += [("arguments", call.arguments) for call in turn.calls]
        said += [("output", call.output) for call in turn.calls]
        found |= {(number, what) for what, text in said if holds(normal(text), phrases)}
    return found


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_an_answer_stands_only_where_it_was_planted(question: Question) -> None:
    """No other file, reply, review or question holds it."""
    assert places(question, question.answers) == GIVEN[question.name]


@pytest.mark.parametrize("number", range(1, reviews.COUNT + 1))
def test_a_review_of_another_product_holds_no_answer_old_or_new(number: int) -> None:
    text = normal(reviews.review(number) + reviews.reply(number) + reviews.path(number))

    assert not any(holds(text, (*question.answers, *question.stale)) for question in QUESTIONS)


def test_the_state_of_the_build_changes_once() -> None:
    (build,) = (question for question in QUESTIONS if question.stale)

    assert places(build, build.stale) == {(2, "prompt")}
    statuses = [call.exit_status for turn in CONVERSATION for call in turn.calls if call.tool == "run_command"]
    assert statuses == [2, 0]


def test_the_conversation_has_the_shape_that_is_described() -> None:
    """Four turns that plant, ten about something else that read one review each, seven questions that read nothing."""
    reads = [[call.arguments for call in turn.calls if call.tool == "read_file"] for turn in CONVERSATION]

    assert [len(found) for found in reads] == [0, 1, 1, 1] + [1] * 10 + [0] * 7
    assert [turn.question for turn in CONVERSATION[:14]] == [None] * 14
    assert tuple(turn.question for turn in CONVERSATION[14:]) == QUESTIONS
    assert len({path for found in reads for path in found}) == 13


def test_what_is_read_is_about_as_long_each_time() -> None:
    sizes = [len(call.output.encode()) for turn in CONVERSATION for call in turn.calls if call.tool == "read_file"]

    assert all(3_400 <= size <= 3_700 for size in sizes)


def test_the_whole_conversation_is_about_sixteen_thousand_tokens() -> None:
    (seen,) = play(Thread("whole"), [Dropping(Size(100_000))])

    assert 15_000 <= seen[-1].contexts[-1].tokens <= 17_000


def test_nothing_that_is_said_looks_like_the_name_of_a_turn_or_an_entry() -> None:
    """So whatever names one is the memory's own."""
    said = [text for turn in CONVERSATION for text in (turn.prompt, turn.reply, *(call.output for call in turn.calls))]

    assert not any(re.search(r"\b(?:entry|turn) \d|held back", text) for text in said)
