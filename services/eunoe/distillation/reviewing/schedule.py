"""When a review is due. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.distillation.door import Turn
from eunoe.runtime.review_settings import Messages, Review


def wanted(review: Review) -> int:
    """How many prompts and replies must have been said since the last review; 0 where a turn is enough."""
    return review.every.messages if isinstance(review.every, Messages) else 0


def said(turns: Iterable[Turn]) -> int:
    """The prompts and replies of turns."""
    return sum(len(turn.said) for turn in turns)
