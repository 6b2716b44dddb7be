"""What is kept of a model's answer, what is set aside of it and why, and when nothing of it can be used."""

from __future__ import annotations

from typing import Any

import pytest
from drawing import answer, batch, fact, said, task, turn
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.distillation import items
from eunoe.distillation.door import Drawn, Item, Task
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import SetAside
from eunoe.schemas.errors import ModelFailed

DATABASE = Item("decision", "database", "Postgres 16", "person", 3, (5,), 5_000)


def read(text: str) -> Drawn:
    return items.read(text, task())


def reason(bad: Any) -> str:
    """Why a fact beside a good one is set aside."""
    drawn = read(answer(fact(), bad))
    assert drawn.items == (DATABASE,)
    (aside,) = drawn.set_aside
    assert answer(bad) == f'{{"facts": [{aside.text}]}}'
    return aside.reason


def test_a_fact_is_tied_to_where_it_was_said() -> None:
    """To the entry of its turn that its speaker said, with its time."""
    drawn = read(answer(fact(), fact(name="port", value="5433", speaker="model")))

    assert drawn == Drawn(items=(DATABASE, Item("decision", "port", "5433", "model", 3, (7,), 7_000)))


@pytest.mark.parametrize(
    ("value", "entries", "at"),
    [
        ("short answers", (8,), 8_000),
        ("answers, SHORT", (8,), 8_000),
        ("german", (9,), 9_000),
        ("brief ones", (8, 9), 0),
        ("short German answers", (8, 9), 0),
        ("man", (8, 9), 0),
    ],
)
def test_of_several_prompts_it_is_the_one_that_has_its_words(value: str, entries: tuple[int, ...], at: int) -> None:
    """In any order and case; where none has all of them it was said in all of the turn's."""
    (item,) = read(answer(fact(turn=4, value=value))).items

    assert (item.entries, item.at) == (entries, at)


def test_of_two_prompts_with_its_words_it_is_the_newer_one() -> None:
    """What was said again stands as it was said last."""
    twice = turn(3, said(5, "person", "Use Postgres 16."), said(6, "person", "I said Postgres 16!"))

    (item,) = items.read(answer(fact()), Task(turns=(twice,), kinds=task().kinds)).items

    assert (item.entries, item.at) == ((6,), 6_000)


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ({"value": 5433, "speaker": "model"}, {"value": "5433", "speaker": "model", "entries": (7,), "at": 7_000}),
        ({"name": 16}, {"name": "16"}),
        ({"turn": "3"}, {}),
        ({"turn": " 3 "}, {}),
        ({"subject": " Decision"}, {}),
        ({"speaker": "User"}, {}),
        ({"speaker": "human"}, {}),
        ({"value": " Postgres\n\t16 "}, {}),
        ({"confidence": 0.9}, {}),
    ],
)
def test_what_is_meant_without_doubt_is_taken(changed: dict[str, Any], kept: dict[str, Any]) -> None:
    """A number for a text or in quotes, another case, the usual names of who speaks, and breaks of lines."""
    wanted = {name: getattr(DATABASE, name) for name in DATABASE.__slots__} | kept

    assert read(answer(fact(**changed))).items == (Item(**wanted),)


@pytest.mark.parametrize("speaker", ["model", "assistant", "Agent", "AI"])
def test_the_model_has_several_names(speaker: str) -> None:
    (item,) = read(answer(fact(value="5433", speaker=speaker))).items

    assert item.speaker == "model"


def test_a_number_is_kept_as_it_was_written() -> None:
    """With the zeros at its end, and however long it is."""
    drawn = read('{"facts": [' + answer(fact(value=7))[11:-2].replace("7", "1.50") + "]}")

    assert [item.value for item in drawn.items] == ["1.50"]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (fact(subject=None), "it has no subject"),
        (fact(name=None), "it has no name"),
        (fact(value=None), "it has no value"),
        (fact(speaker=None), "it has no speaker"),
        (fact(turn=None), "it has no turn"),
        ({}, "it has no subject"),
        (fact(value=True), "its value is no text"),
        (fact(value=["Postgres"]), "its value is no text"),
        (fact(name={"is": "database"}), "its name is no text"),
        (fact(turn=True), "its turn is no number"),
        (fact(turn="third"), "its turn is no number"),
        (fact(turn=3.5), "its turn is no number"),
        (fact(turn=-3), "its turn is no number"),
        (fact(turn=10**40), "its turn is no number"),
        (fact(turn=[3]), "its turn is no number"),
        ("Postgres 16", "a fact must be an object"),
        ([], "a fact must be an object"),
        (fact(subject="weather"), 'there is no kind "weather" to distil'),
        (fact(speaker="Alice"), 'its speaker is "Alice", which is neither the person nor the model'),
        (fact(value=" \n"), "its value is empty"),
        (fact(value="\u200b"), "its value is empty"),
        (fact(name=""), "its name is empty"),
        (fact(turn=5), "turn 5 is none of those that were asked about"),
        (fact(turn=0), "turn 0 is none of those that were asked about"),
        (fact(value="Postgres 17"), "it was said in turn 5, which is not asked about yet"),
        (fact(value="a\u0000b"), "its value holds the control character U+0000"),
        (fact(name="\u001b[31m"), "its name holds the control character U+001B"),
    ],
)
def test_what_is_no_fact_is_set_aside_with_its_text_and_the_reason(bad: Any, why: str) -> None:
    """And the good one beside it is kept."""
    if isinstance(bad, list):
        assert read(f'{{"facts": [{answer(fact())[11:-2]}, []]}}').set_aside == (SetAside(text="[]", reason=why),)
    else:
        assert reason(bad) == why


def test_half_a_character_is_set_aside_as_it_was_written() -> None:
    """Both halves of one are a character."""
    good = answer(fact(value="Postgres 16"))[11:-2]
    half = good.replace("16", r"\ud83d")
    drawn = read(f'{{"facts": [{half}, {good.replace("16", chr(92) + "ud83d" + chr(92) + "ude00")}]}}')

    assert [item.value for item in drawn.items] == ["Postgres \U0001f600"]
    assert drawn.set_aside == (SetAside(text=half, reason="its value holds half a character, U+D83D"),)


def test_a_speaker_who_said_nothing_in_that_turn_said_no_fact_of_it() -> None:
    """Whatever the model holds."""
    silent = turn(3, said(5, "person", "Postgres 16"))

    drawn = items.read(answer(fact(speaker="model"), fact()), Task(turns=(silent,), kinds=task().kinds))

    assert [one.reason for one in drawn.set_aside] == ["the model said nothing in turn 3"]
    assert drawn.items == (DATABASE,)


def test_a_line_break_of_unicode_is_space() -> None:
    """As every other one."""
    (item,) = read(answer(fact(value="Postgres\u202816"))).items

    assert item == DATABASE


def test_a_fact_that_was_given_twice_is_one() -> None:
    assert read(answer(fact(), fact()) + answer(fact())).items == (DATABASE,)


def test_facts_over_the_limit_are_counted() -> None:
    """The first ones are kept."""
    drawn = read(answer(*(fact(name=f"n{at}") for at in range(limits.DISTILLED_FACTS + 2))))

    assert [item.name for item in drawn.items] == [f"n{at}" for at in range(limits.DISTILLED_FACTS)]
    assert drawn.dropped == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I cannot do that.", "the model answered without any facts: 'I cannot do that.'"),
        ("null", "the model answered without any facts: 'null'"),
        ("{}", "the model answered without any facts: '{}'"),
        ("<think>Perhaps " + answer(fact()), "the model answered without any facts: '<think>"),
        (answer(fact(name=None)), "nothing in the model's answer can be used (it has no name): '{\"facts\""),
        (answer(fact())[:60], "nothing in the model's answer can be used (cut off): '{\"facts\""),
        ('{"facts": null}', "nothing in the model's answer can be used (facts must be a list)"),
        ("[" * 1_048_576, "nothing in the model's answer can be used (more than 262,144 characters): '[[["),
        ('{"a":' * 100_000, "nothing in the model's answer can be used (nests too deep)"),
    ],
)
def test_without_anything_whole_an_answer_is_none(text: str, said: str) -> None:
    """One line that says why, with the beginning of what was answered."""
    with pytest.raises(ModelFailed) as failed:
        read(text)

    assert str(failed.value).startswith(said)
    assert "\n" not in str(failed.value)
    assert failed.value.detail == {"reason": "unreadable"}


@pytest.mark.parametrize("text", ["", '{"facts": [', answer(fact())[:60], "<think>So"])
def test_an_answer_that_was_cut_off_before_anything_was_whole_says_so(text: str) -> None:
    with pytest.raises(ModelFailed, match="cut off before anything in it was whole") as failed:
        items.read(text, task(), cut_off=True)

    assert failed.value.detail == {"reason": "cut_off"}


@pytest.mark.parametrize("text", ['{"facts": []}', "[]", answer(fact(turn=99)), answer(fact(subject="weather"))])
def test_none_of_what_was_asked_for_is_an_answer(text: str) -> None:
    """No facts at all, or whole ones of something else: asking again would bring the same."""
    assert read(text).items == ()


def test_a_summary_comes_with_the_facts() -> None:
    """Where it is due; else nobody asked for it."""
    text = answer(fact(), summary="Tests are looked at.\nPostgres 16 is used.")

    drawn = items.read(text, task(batch()))

    assert (drawn.summary, drawn.kept) == ("Tests are looked at.\nPostgres 16 is used.", "")
    assert (read(text).summary, read(text).kept) == (None, "")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (answer(fact()), "the model gave no whole summary"),
        (answer(fact(), summary=None), "the model gave no whole summary"),
        (answer(fact(), summary="So far it went")[:-5], "the model gave no whole summary"),
        (answer(fact(), summary=["a"]), "the summary is no text"),
        (answer(fact(), summary="  "), "the summary is empty"),
        (answer(fact(), summary="x").replace('"x"', r'"\udc00"'), "the summary holds half a character"),
    ],
)
def test_without_a_whole_summary_the_old_one_stays(text: str, kept: str) -> None:
    """The facts are kept all the same."""
    drawn = items.read(text, task(batch()))

    assert (drawn.summary, drawn.kept) == (None, kept)
    assert drawn.items == (DATABASE,)


def test_a_whole_summary_is_an_answer() -> None:
    """Even if no fact beside it is."""
    drawn = items.read(answer(fact(name=None), summary="All is well."), task(batch()))

    assert drawn.summary == "All is well."
    assert [one.reason for one in drawn.set_aside] == ["it has no name"]


def test_a_summary_is_kept_to_its_size() -> None:
    """Sentences in the middle go, and control characters with them."""
    lines = [f"Line {at} of the summary is here.\n" for at in range(40)]

    drawn = items.read(answer(summary="\x1b" + "".join(lines)), task(batch(size=200)))

    assert drawn.summary is not None
    assert len(drawn.summary.encode()) <= 200
    assert drawn.summary.startswith("Line 0 of")
    assert drawn.summary.rstrip().endswith("Line 39 of the summary is here.")


PARTS = [*'{}[]",:\\\n', answer(fact()), '"facts":', '"turn": 3', "\\ud83d", "\x00", "💥"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_garbage_is_a_failure_and_nothing_else(parts: list[str]) -> None:
    """Or an answer, where there is one in it."""
    try:
        drawn = items.read("".join(parts), task(batch()))
    except ModelFailed:
        return

    assert set(drawn.items) <= {DATABASE}
