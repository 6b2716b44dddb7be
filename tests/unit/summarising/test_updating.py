"""One update of a summary: what it covers then, what it goes on from, and what leaves it as it was."""

from __future__ import annotations

from dataclasses import replace

from said import turn

from eunoe.schemas import limits
from eunoe.schemas.distil_requests import SummaryDocument, SummaryVersion
from eunoe.schemas.distilled_events import Effort, Spans, Summarised, SummaryKept
from eunoe.summarising.updating import EMPTY, covered, update

WINDOW = 8_192
EFFORT = Effort(model="fine-model", calls=1, input_tokens=900, output_tokens=80)

BEFORE = SummaryDocument(
    v=1,
    thread="t",
    text="They plan a fair.",
    versions=(
        SummaryVersion(version=1, position=90, index=0, last=2, turns=(), entries=(), at=5, by="rules"),
        SummaryVersion(
            version=2, position=170, index=1, last=4, turns=((1, 2), (5, 6)), entries=((11, 24), (51, 62)), at=9,
            by="rules",
        ),
    ),
)  # fmt: skip


def test_the_first_update_goes_on_from_none() -> None:
    """It covers its turns, by number and by ordinal, and their entries."""
    found = update(None, (turn(1, "Weigh it.", "Done."), turn(2), turn(3, "Again.", "Done.")), WINDOW)

    assert found
    assert found.batch.text == ""
    assert found.batch.size == 1_636
    assert [one.number for one in found.batch.turns] == [1, 3]
    assert found.event("It was weighed twice.", "model", EFFORT) == Summarised(
        text="It was weighed twice.",
        last=3,
        turns=((1, 3),),
        entries=((11, 12), (31, 32)),
        by="model",
        effort=EFFORT,
    )


def test_an_update_covers_what_the_summary_before_it_did_and_its_own_turns() -> None:
    """It names the position of that one; ranges that touch are one."""
    turns = (turn(3, "Weigh it.", "Done.", ordinal=5), turn(7, "Again.", "Done.", ordinal=6))
    found = update(BEFORE, turns, WINDOW)

    assert found
    assert found.batch.text == "They plan a fair."
    assert found.event("They plan a fair. It is weighed.", "rules", Effort()) == Summarised(
        text="They plan a fair. It is weighed.",
        last=6,
        turns=((1, 3), (5, 7)),
        entries=((11, 24), (31, 32), (51, 62), (71, 72)),
        by="rules",
        before=170,
    )


def test_entries_that_a_turn_does_not_have_are_not_among_those_that_it_covers() -> None:
    """They were not read, so nothing of them is in it."""
    erased = replace(turn(3, "One.", "Two.", "Three.", "Four."), others=(32, 33))
    event = update(None, (erased,), WINDOW).event("Counted.", "rules", Effort())  # type: ignore[union-attr]

    assert isinstance(event, Summarised)
    assert event.entries == ((31, 31), (34, 34))


def test_turns_without_words_update_nothing() -> None:
    """There is nothing to ask anybody, whatever is in force."""
    assert update(BEFORE, (turn(7), turn(8, "?!")), WINDOW) is None
    assert update(None, (), WINDOW) is None


def test_an_empty_answer_leaves_the_summary_as_it_is() -> None:
    """What is recorded says why; the turns are still to come into it."""
    found = update(BEFORE, (turn(7, "Weigh it.", ordinal=5),), WINDOW)

    assert found
    assert found.event(" \n\u200b", "model", EFFORT) == SummaryKept(last=5, by="model", reason=EMPTY, effort=EFFORT)


def test_a_reason_is_one_line_and_no_longer_than_any() -> None:
    """Without what looks like a secret."""
    found = update(BEFORE, (turn(7, "Weigh it.", ordinal=5),), WINDOW)
    assert found

    assert found.kept("it said\nno: sk_live_0123456789abcdef", "model", EFFORT).reason == "it said no: [redacted]"
    assert len(found.kept("n" * 900, "model", EFFORT).reason) == limits.REASON_LENGTH
    assert found.kept("", "model", EFFORT).reason == "no reason given"


def test_a_text_is_kept_within_its_size_and_without_secrets() -> None:
    """Whatever a summariser gives back."""
    found = update(None, (turn(1, "Weigh it."),), limits.WINDOW_MIN)
    assert found
    lines = "\n".join(f"Turn {number}: person: Weigh cargo {number}." for number in range(1, 40))

    event = found.event(f"The key is sk_live_0123456789abcdef.\n{lines}\n", "model", EFFORT)

    assert isinstance(event, Summarised)
    assert event.text.startswith("The key is [redacted]")
    assert event.text.endswith("\nTurn 39: person: Weigh cargo 39.")
    assert len(event.text.encode()) <= limits.SUMMARY_BYTES_MIN


def test_a_summary_covers_the_turns_up_to_that_of_its_newest_version() -> None:
    """None while there is none."""
    assert covered(BEFORE) == 4
    assert covered(SummaryDocument(v=1, thread="t")) == 0
    assert covered(None) == 0


def test_a_summary_names_what_it_covers_in_few_ranges() -> None:
    """With 256 ranges, the most, and a turn beyond them: the narrowest gap is closed, of equal ones the oldest."""
    spans = (*((first, first + 6) for first in range(1, 2550, 10)), (2553, 2560))
    version = SummaryVersion(version=1, position=90, index=0, last=4, turns=spans, entries=spans, at=5, by="rules")
    document = SummaryDocument(v=1, thread="t", text="Long.", versions=(version,))

    def covered_with(number: int) -> Spans:
        found = update(document, (turn(number, "On.", ordinal=5),), WINDOW)
        assert found
        event = found.event("Longer.", "rules", Effort())
        assert isinstance(event, Summarised)
        assert len(event.entries) == 256
        return event.turns

    assert len(spans) == 256
    assert covered_with(2570) == ((1, 17), *spans[2:], (2570, 2570))
    assert covered_with(2563) == (*spans[:-1], (2553, 2563))
