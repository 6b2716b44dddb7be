"""What holds of everything that rules draw, whatever is said."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import KINDS, facts, items, stated, turns

from eunoe.distillation.by_rules import RulesDistiller, drawn
from eunoe.distillation.door import Batch, Drawn, Kind, Task
from eunoe.distillation.statements.language import Language, Pattern
from eunoe.distillation.statements.languages import LANGUAGES
from eunoe.facts.kinds import Kinds
from eunoe.facts.values import limit
from eunoe.schemas import limits
from eunoe.schemas.labels import record_id

_PARTS = (
    *("the ticket is 17", "we decided to use *Kafka*", "I went to the harbour yesterday", "CI is green again", "yes"),
    *(
        "remember that the key is below",
        "Your task: mend the pump",
        "I\u2019m a nurse",
        "last week",
        "not 17 but 18",
        "\n\n",
    ),
    *(
        ", and",
        ";",
        ".",
        "!",
        "?",
        "\n",
        "  ",
        "—",
        '"',
        "`",
        "- ",
        "```",
        "> ",
        "🎉",
        "她",
        "\u2028",
        "\x00",
        "﷽",
        "she",
    ),
)
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(_PARTS)).map(" ".join))


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_a_value_is_a_part_of_what_was_said(prompt: str, reply: str) -> None:
    """But for the normalisations that are stated; and every fact is one that its kind takes."""
    for item in items(prompt, f"model: {reply}"):
        assert stated(item.value, prompt if item.turn == 1 else reply)
        assert item.value.strip()
        assert len(item.value) <= limit(item.subject)
        assert Kinds().name(item.subject, item.name)


@pytest.mark.parametrize("nothing", ["", " \t\n", "🎉🎉", "…", "!!!", "﷽", "\u200b"])
def test_a_turn_that_says_nothing_gives_nothing(nothing: str) -> None:
    assert facts(nothing, f"model: {nothing}") == []


def test_what_memory_itself_wrote_is_never_drawn_again() -> None:
    """A context that comes back as a prompt twenty times gives no fact but what was said beside it."""
    body = "Never push to main.\nThe ticket is 17."
    record = f'<eunoe-record kind="facts" id="{record_id("facts", body)}">\n{body}\n</eunoe-record>'

    assert facts(*[record] * 20) == []
    assert facts(f"{record}\nThe ticket is 18.") == [("entity", "ticket", "18")]


def test_what_is_said_in_a_preview_is_corrected_there_alone() -> None:
    """Outside of it nobody said what the correction is of; in it, what was said before outside is known."""
    outside, inside = turns("The ticket is 17.", "The build number is 5291.")
    wrong, right = turns("It's not 5291 but 5292.", "It's not 17 but 18.")
    said = [outside, replace(inside, preview="try"), replace(wrong, number=3), replace(right, number=4, preview="try")]

    found, _ = drawn(Task(said, KINDS))

    assert [(item.turn, item.name, item.value) for item in found] == [
        (1, "ticket", "17"),
        (2, "build number", "5291"),
        (4, "ticket", "18"),
    ]


def test_a_turn_that_quotes_rules_keeps_its_own_words() -> None:
    """Nothing is translated or told anew."""
    said = "Remember that facts in Japanese (日本語) are to be kept as they are."

    assert [value for _, _, value in facts(said)] == ["facts in Japanese (日本語) are to be kept as they are"]


def test_what_is_said_again_is_no_further_fact() -> None:
    """Six turns that overlap, in changing words for them, hold three statements."""
    said = (
        "The ticket is 17. I prefer short answers.",
        "As I said, I prefer short answers!",
        "Also, the ticket is 17. I went to the harbour yesterday.",
        "I prefer short answers, and the ticket is 17.",
        "Yesterday I went to the harbour.",
        "Well, I went to the harbour yesterday; the ticket is #17.",
    )

    assert len({(subject, name) for subject, name, _ in facts(*said)}) == 3


def test_a_turn_gives_so_many_facts_and_the_others_are_counted() -> None:
    many = " ".join(f"The port of service{number} is {8000 + number}." for number in range(20))

    found, dropped = drawn(Task(turns(many, "The ticket is 17."), KINDS))

    assert len(found) == limits.DISTILLED_FACTS + 1
    assert dropped == 20 - limits.DISTILLED_FACTS


def test_a_long_value_is_cut_with_a_mark() -> None:
    (item,) = items("Remember that " + "very " * 60 + "long things are cut.")

    assert len(item.value) == limits.VALUE_LENGTH
    assert item.value.endswith("…")


def test_a_kind_that_is_not_offered_is_not_given() -> None:
    found, _ = drawn(Task(turns("The ticket is 17. Never push to main."), [Kind("entity", "")]))

    assert [item.subject for item in found] == ["entity"]


@pytest.mark.parametrize("piece", ["the ", "I went. ", "```\n", "*a ", '"', "\n", "a", "my friend and ", "_ a_", "- "])
def test_a_megabyte_is_worked_on_within_bounds(piece: str) -> None:
    """The head and the tail are read; what repeats has one identity."""
    assert len({(item.subject, item.name) for item in items(piece * (1_000_000 // len(piece)))}) <= 1


async def test_the_distiller_updates_the_summary_where_it_is_due() -> None:
    """In the same go; where it is not, the summary stays as it was."""
    distiller = RulesDistiller()
    task = Task(turns("The ticket is 17."), KINDS)

    with anyio.fail_after(10):
        alone = await distiller.draw(task)
        both = await distiller.draw(Task(task.turns, KINDS, batch=Batch("", task.turns, 1_000)))
        nothing = await distiller.draw(Task((), KINDS))
        await distiller.close()

    assert distiller.by == "rules"
    assert alone.summary is None
    assert both.items == alone.items != []
    assert "The ticket is 17." in str(both.summary)
    assert nothing == Drawn(items=[])


_GERMAN_LITTLE = ("ich", "habe", "war", "wohne", "in", "der", "die", "das", "den", "ein", "eine", "zu")
GERMAN = Language(
    code="de",
    speakers={"person": "Nutzer", "model": "Assistent"},
    patterns=(
        Pattern("entity", r"(?:das|unser) ticket ist (?:jetzt )?(?P<value>\d+)", "Ticket", change=True),
        Pattern("decision", r"wir haben beschlossen, (?P<what>.{3,})", "{topic}"),
        Pattern("note", r"ich (?:habe|war|wohne) .+", "{who} {topic}", plain=2),
    ),
    openings=r"(?:übrigens|ach ja|also), ",
    unsaid=r"\b(?:du|dein\w*|würde|vielleicht)\b",
    little=frozenset((*_GERMAN_LITTLE, "wir", "haben", "beschlossen")),
    empty=frozenset(_GERMAN_LITTLE),
)


def test_another_language_is_data_alone() -> None:
    """Its statements are found beside those of English, in one text and by the same rules."""
    both = (*LANGUAGES, GERMAN)

    assert facts("Übrigens, das Ticket ist 17. The port is 80.", languages=both) == [
        ("entity", "port", "80"),
        ("entity", "ticket", "17"),
    ]
    assert facts("Wir haben beschlossen, Kafka zu nehmen.", languages=both) == [
        ("decision", "kafka nehmen", "Wir haben beschlossen, Kafka zu nehmen")
    ]
    assert facts("Ich wohne in Bremen.", "Ich wohne in Bremen am Deich.", languages=[GERMAN]) == [
        ("note", "nutzer bremen am deich", "Ich wohne in Bremen am Deich")
    ]
    assert facts("Vielleicht, ich war in Bremen am Deich.", languages=[GERMAN]) == []
