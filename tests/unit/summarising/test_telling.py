"""Which sentence tells most: not the greeting, not the thanks, and not the code, in any language."""

from __future__ import annotations

import pytest

from eunoe.summarising.telling import PROMPT, REPLY, sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi there! Can you move my seminar to Thursday? Thanks!", "Can you move my seminar to Thursday?"),
        ("Yes. Please order forty chairs.", "Please order forty chairs."),
        ("Hi.", "Hi."),
        ("1. Blue\n2. Three hundred pages\n3. No", "Three hundred pages"),
        ("## Notes\n\n> Ship the northern catalogue before Easter.", "Ship the northern catalogue before Easter."),
        ("你好！请帮我订一张明天去北京的火车票。谢谢！", "请帮我订一张明天去北京的火车票。"),  # noqa: RUF001
        ("مرحبا! أريد حجز طاولة لأربعة أشخاص يوم الجمعة. شكرا!", "أريد حجز طاولة لأربعة أشخاص يوم الجمعة."),
        ("Привет! Закажите билеты в Казань на пятницу.", "Закажите билеты в Казань на пятницу."),
    ],
)
def test_the_sentence_of_a_prompt_says_what_is_wanted(text: str, expected: str) -> None:
    """A greeting is passed over while there is anything else."""
    assert sentence(text, PROMPT) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sure! The chairs are ordered in Molde. They come on 12 May by lorry from Ulvik.", "The chairs are ordered"),
        ("Done. If anything else comes up, ask.", "If anything else comes up, ask."),
    ],
)
def test_the_sentence_of_a_reply_comes_to_the_point_early(text: str, expected: str) -> None:
    """The first one that says enough is taken, though a later one has more names and numbers."""
    assert sentence(text, REPLY).startswith(expected)


def test_code_is_looked_at_only_where_there_is_nothing_else() -> None:
    """A fence that is never closed goes to the end of the text."""
    code = "```python\nfrom measuring.instruments import Thermometer, Barometer\n```\n"

    assert sentence(f"Why?\n{code}", PROMPT) == "Why?"
    assert sentence(f"Why?\n{code[:-4]}", PROMPT) == "Why?"
    assert sentence(code, PROMPT) == "from measuring.instruments import Thermometer, Barometer"


@pytest.mark.parametrize("text", ["", "  \n ", "…", "--- !!! ---", "\u200b"])
def test_what_says_nothing_has_no_sentence(text: str) -> None:
    """Neither a letter nor a digit of any script."""
    assert sentence(text, PROMPT) == ""


def test_a_sentence_is_one_line() -> None:
    """Space within it is single, characters that cannot be seen are gone: nothing else of it is changed."""
    assert sentence("Weigh\tthe   northern\x00 cargo, please.", PROMPT) == "Weigh the northern cargo, please."
