"""Recipes of contexts, in one line."""

from __future__ import annotations

from typing import Any

from eunoe.schemas.context import Recipe


def recipe(**said: Any) -> Recipe:
    """Of turn 3, after turn 2, in a window of 1,000 tokens; unless something else is said."""
    given: dict[str, Any] = {
        "v": 1, "id": "c1", "turn": 3, "window": 1000, "format": "openai", "counter": "bytes/4", "renderer": 1,
        "position": 45, "turns": (2,), "first_turn": 2, "sha256": "0" * 64,
    }  # fmt: skip
    return Recipe(**{**given, **said})
