"""A summary without a model: sentences of each turn as they stand. Pure."""

from __future__ import annotations

from eunoe.distillation import door
from eunoe.facts import values
from eunoe.summarising import capping, sentences


def updated(batch: door.Batch) -> str:
    """The text so far with lines for the turns of ``batch`` that are not in it, in ``batch.size`` bytes."""
    lines = [line for turn in batch.turns for line in _lines(turn)]
    return capping.capped("\n".join([*batch.text.splitlines(), *lines]), batch.size)


def _lines(turn: door.Turn) -> list[str]:
    first = next((said for said in turn.said if not values.blank(said.text)), None)
    return [f"Turn {turn.number}: {values.one_line(sentences.of(first.text.strip())[0])}"] if first else []
