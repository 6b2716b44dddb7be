"""What rules draw from things said, one a turn, and what a value must be a part of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from eunoe.distillation.by_rules import drawn
from eunoe.distillation.door import Item, Kind, Known, Said, Task, Turn
from eunoe.distillation.statements.language import Language
from eunoe.distillation.statements.languages import LANGUAGES
from eunoe.distillation.statements.prose import collapsed
from eunoe.facts.kinds import SHIPPED

KINDS = tuple(Kind(subject, kind.description) for subject, kind in SHIPPED.items() if kind.distil)
SUNDAY = int(datetime(2023, 5, 7, 13, 56, tzinfo=UTC).timestamp() * 1_000)  # ms UTC
_MEANING = re.compile(r" \((?:week(?:end)? of )?\d{4}(?:-\d\d){0,2}\)")

Fact = tuple[str, str, str]
"""Subject, name, value."""


def turns(*texts: str) -> list[Turn]:
    """One turn a text, said by the person; by the model where it begins with ``model: ``."""
    return [_turn(number, text) for number, text in enumerate(texts, 1)]


def items(*texts: str, known: Sequence[Known] = (), languages: Sequence[Language] = LANGUAGES) -> list[Item]:
    return drawn(Task(turns(*texts), KINDS, known), languages)[0]


def facts(*texts: str, known: Sequence[Known] = (), languages: Sequence[Language] = LANGUAGES) -> list[Fact]:
    return [(item.subject, item.name, item.value) for item in items(*texts, known=known, languages=languages)]


def stated(value: str, source: str) -> bool:
    """Whether a value is a part of its source but for collapsed space, marks of emphasis, what dates mean in
    parentheses, and a mark where it was cut."""
    return _MEANING.sub("", value).removesuffix("…").rstrip(" (") in collapsed(source)


def _turn(number: int, text: str) -> Turn:
    model = text.startswith("model: ")
    said = Said(number, number, SUNDAY, "model" if model else "person", text.removeprefix("model: "))
    return Turn(number, number, SUNDAY, said=(said,))
