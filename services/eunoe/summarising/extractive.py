"""A summary without a model: a line for what each turn was about, and one for what came of it. Pure.

    Turn 3: person: Please book the later flight.
    Turn 3: model: Your flight to Seattle is booked.
    Turn 4: read_file reviews/3.md; run_command make ci

Every line names its turn, so that one stays true when those around it are gone. It has one sentence of the turn's
prompts or of its last reply as it stands there (`eunoe.summarising.telling`), on one line and with a mark where it is
cut; or, where no reply says anything, the tools that were called, with the values of their arguments; never outputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from eunoe.composition import contents
from eunoe.distillation import door
from eunoe.facts import values
from eunoe.schemas import limits
from eunoe.summarising import capping, telling


def updated(batch: door.Batch) -> str:
    """The text so far as it is, then the lines of turns that it has none of, in ``batch.size`` bytes (`capping`)."""
    size = min(int(batch.size * limits.SUMMARY_SENTENCE_SHARE), limits.SUMMARY_SENTENCE_BYTES)
    new = [turn for turn in batch.turns if not _has(batch.text, turn.number)]
    lines = [line for turn in new for line in _lines(turn, size)]
    before = batch.text.rstrip() if lines else batch.text
    return capping.capped("\n".join([before, *lines] if before else lines), batch.size)


def _has(text: str, turn: int) -> bool:
    return any(line.startswith(_lead(turn)) for line in text.splitlines())


def _lead(turn: int) -> str:
    return f"Turn {turn}: "


def _lines(turn: door.Turn, size: int) -> list[str]:
    return [_lead(turn.number) + contents.shortened(said, size) for said in _told(turn) if said]


def _told(turn: door.Turn) -> Iterator[str]:
    asked = telling.sentence("\n".join(said.text for said in turn.said if said.speaker == "person"), telling.PROMPT)
    if asked:
        yield f"person: {asked}"
    replies = (said.text for said in reversed(turn.said) if said.speaker == "model")
    came = next((told for text in replies if (told := telling.sentence(text, telling.REPLY, telling.LEAST))), "")
    yield f"model: {came}" if came else "; ".join(dict.fromkeys(map(_call, turn.called)))


def _call(call: door.Called) -> str:
    """A call in a few words: the tool, and what it was given."""
    given = values.one_line(" ".join(_given(call.arguments)))
    return f"{values.one_line(call.tool)} {values.cut(given, limits.SUMMARY_ARGUMENTS)}".rstrip()


def _given(arguments: str) -> Iterator[str]:
    """The plain values of a call's arguments in their order; arguments that are no object as they were written."""
    try:
        found: Any = json.loads(arguments)
    except (ValueError, RecursionError):
        found = arguments
    if not isinstance(found, dict):
        yield arguments
        return
    yield from (value if isinstance(value, str) else json.dumps(value) for value in found.values() if _plain(value))


def _plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
