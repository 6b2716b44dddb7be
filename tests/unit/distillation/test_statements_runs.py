"""What rules draw from whole conversations: the scripted one, and every recorded run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recordings import files, turns_of
from stating import KINDS, SUNDAY, Fact, stated

from eunoe.distillation.by_rules import drawn
from eunoe.distillation.door import Item, Said, Speaker, Task, Turn
from eunoe.schemas.events import Event, Prompt, Response
from evaluation import story

_FACTS: dict[int, list[Fact]] = {
    1: [
        ("note", "user prepare next release tidemark", "We prepare the next release of Tidemark"),
        (
            "task",
            "current",
            "give `tidemark publish` a --resume flag, so that a transfer which was cut off goes on where it stopped",
        ),
        ("entity", "name of release", "Copper Lantern"),
    ],
    2: [("tests", "ci", "CI is failing on the main branch at the moment")],
    3: [("preference", "ines falk table-driven tests", "she prefers table-driven tests")],
    4: [("entity", "ticket", "5291")],
    10: [("tests", "ci", "CI is green again")],
}


def test_the_scripted_conversation_gives_what_is_asked_of_it_and_nothing_else() -> None:
    """Its task, codename, ticket, preference, and the state of CI under one identity as it was and as it is."""
    said = [_turn(number, [turn.prompt, turn.reply]) for number, turn in enumerate(story.CONVERSATION, 1)]

    found, dropped = drawn(Task(said, KINDS))

    by_turn: dict[int, list[Fact]] = {}
    for item in found:
        by_turn.setdefault(item.turn, []).append((item.subject, item.name, item.value))
    assert by_turn == _FACTS
    assert dropped == 0


def test_no_recorded_run_gives_a_fact_that_it_does_not_state(tmp_path: Path) -> None:
    """Every value is in the entry that it names; agents at work give none of their own."""
    count = 0
    for path in files(tmp_path):
        runs = [_said(number, events) for number, events in enumerate(turns_of(path), 1)]
        for item in drawn(Task(runs, KINDS))[0]:
            count += 1
            assert stated(item.value, _source(runs, item)), f"{path.name}: {item}"
            assert item.speaker == "person" or path.name == "talk.json", f"{path.name}: {item}"

    assert count > 100


def _turn(number: int, texts: Sequence[str]) -> Turn:
    sides: tuple[Speaker, ...] = ("person", "model")
    said = [Said(2 * number + at, 1, SUNDAY, sides[at], text) for at, text in enumerate(texts)]
    return Turn(number, number, SUNDAY, said=said)


def _said(number: int, events: Sequence[Event]) -> Turn:
    said = [
        Said(at, at, SUNDAY, "person" if isinstance(event, Prompt) else "model", event.content)
        for at, event in enumerate(events, 1)
        if isinstance(event, Prompt | Response) and isinstance(event.content, str)
    ]
    return Turn(number, number, SUNDAY, said=said)


def _source(runs: Sequence[Turn], item: Item) -> str:
    return next(said.text for said in runs[item.turn - 1].said if said.entry == item.entries[0])
