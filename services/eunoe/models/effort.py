"""What an answer took, as the log keeps it. Pure."""

from __future__ import annotations

from typing import Any

from eunoe.models.door import Answer
from eunoe.schemas.distilled_events import Effort

_MILLION = 1_000_000  # millionths of a US dollar in one


def of(answer: Answer[Any]) -> Effort:
    """The model as its provider names it, one call, its tokens, cost and time."""
    usage = answer.usage
    return Effort(
        model=answer.model,
        calls=1,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=None if usage.cost is None else round(usage.cost * _MILLION),
        ms=answer.ms,
    )
