"""A small thread for distillers and summarisers: two turns to draw from, one before and one after them."""

from __future__ import annotations

import json
from typing import Any

from eunoe.distillation.door import Batch, Called, Kind, Known, Said, Speaker, Task, Turn

KINDS = (
    Kind("decision", "What was decided, and stays so."),
    Kind("preference", "How a person wants things done."),
    Kind("note", "Anything worth keeping in this thread."),
)
WINDOW = 8_192


def said(entry: int, speaker: Speaker, text: str) -> Said:
    """Something that was said, at a position and a time that follow from its entry."""
    return Said(entry=entry, position=100 + entry, at=1_000 * entry, speaker=speaker, text=text)


def turn(number: int, *saids: Said, called: tuple[Called, ...] = ()) -> Turn:
    return Turn(number=number, ordinal=number, at=1_000 * number, said=saids, called=called)


EARLIER = turn(2, said(3, "person", "Please look at the tests."), said(4, "model", "They pass."))
FIRST = turn(
    3,
    said(5, "person", "We use Postgres 16 from now on."),
    said(7, "model", "The port is 5433."),
    called=(Called(6, "Bash", '{"command": "pg_lsclusters"}'),),
)
SECOND = turn(
    4, said(8, "person", "I prefer short answers."), said(9, "person", "In German."), said(10, "model", "Gut.")
)
LATER = turn(5, said(11, "person", "Make that Postgres 17."), said(12, "model", "Very well."))


def task(batch: Batch | None = None) -> Task:
    return Task(
        turns=(FIRST, SECOND),
        kinds=KINDS,
        known=(Known("decision", "database", "Postgres 15"),),
        after=(LATER,),
        batch=batch,
    )


def batch(text: str = "Tests are looked at.", size: int = 1_000) -> Batch:
    return Batch(text, (EARLIER, FIRST, SECOND), size)


def fact(**changed: Any) -> dict[str, Any]:
    """A fact that is right, but for what is changed; None leaves a field out."""
    right = {"subject": "decision", "name": "database", "value": "Postgres 16", "speaker": "person", "turn": 3}
    return {name: value for name, value in (right | changed).items() if value is not None}


def answer(*facts: Any, **more: Any) -> str:
    return json.dumps({"facts": list(facts), **more}, ensure_ascii=False)
