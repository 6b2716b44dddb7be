"""Counting tokens: exact where a model's tokenizer is at hand, else four bytes a token. Pure."""

from __future__ import annotations

from typing import Protocol

from eunoe.schemas import limits


class Counter(Protocol):
    """Counts the tokens of serialised text. ``name`` stands in every recipe."""

    @property
    def name(self) -> str: ...

    def count(self, data: bytes) -> int: ...


class ByteCounter:
    """`limits.BYTES_PER_TOKEN` bytes a token, rounded up: needs no download and gives the same result twice."""

    name = "bytes/4"

    def count(self, data: bytes) -> int:
        return -(-len(data) // limits.BYTES_PER_TOKEN)


def anchor(counted: int, reported: int, window: int) -> int:
    """Tokens to add to a count, from what the provider counted for the last request with the same counter.

    The difference holds what a context cannot know (tool schemas) and what the counter gets wrong; it is
    kept within half of the count below and half of the window above, so that one odd report cannot do harm.
    """
    if counted <= 0 or reported <= 0:
        return 0
    return max(-counted // 2, min(reported - counted, window // 2))
