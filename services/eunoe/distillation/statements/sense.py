"""Whether an everyday statement makes sense alone, and is worth keeping. Pure."""

from __future__ import annotations

import re

from eunoe.distillation.statements import dates, naming
from eunoe.distillation.statements.language import Language, compiled

_CODED = re.compile(r"[<>]|->|\b\w+\(\w*\)|https?://")


def alone(text: str, language: Language, telling: int) -> bool:
    """Whether a clause makes sense without what was said around it, and has so many words that tell something; one
    with a time tells more. Who talks of their life shows no code."""
    if _CODED.search(text) or compiled(language.unsaid).search(text) or points(text, language):
        return False
    return naming.telling(text, language) + bool(dates.words(text, language.dates)) >= telling


def points(text: str, language: Language) -> bool:
    """Whether it points at something that it does not name."""
    return any(
        not compiled(antecedent).search(text, 0, word.start())
        for pointing, antecedent in language.pointing
        for word in compiled(pointing).finditer(text)
    )


def of_a_life(text: str, language: Language) -> bool:
    """Whether somebody tells of their life, and not a model of its work with tools."""
    return bool(compiled(language.personal).search(text)) and not compiled(language.working).search(text)
