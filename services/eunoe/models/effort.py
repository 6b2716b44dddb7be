"""What an answer took, as the log keeps it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eunoe.models.door import Answer
from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.errors import ModelFailed

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


@contextmanager
def noted(answer: Answer[Any]) -> Iterator[None]:
    """What finds inside that an answer cannot be used tells with the failure what that answer took."""
    try:
        yield
    except ModelFailed as error:
        error.detail["effort"] = of(answer)
        raise


def wasted(error: Exception) -> Effort:
    """What a failed question took, as far as that is known: nothing is of one that got no answer."""
    found = error.detail.get("effort") if isinstance(error, ModelFailed) else None
    return found if isinstance(found, Effort) else Effort()
