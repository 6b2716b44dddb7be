"""When a review is due. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.distillation.door import Turn
from eunoe.runtime.settings import Messages, Review


def due(review: Review, turns: Iterable[Turn]) -> bool:
    """Whether these turns, the committed ones since the last review, are enough for one."""
    if isinstance(review.every, Messages):
        return said(turns) >= review.every.messages
    return review.every == "turn"


def said(turns: Iterable[Turn]) -> int:
    """The prompts and replies of turns."""
    return sum(len(turn.said) for turn in turns)
