"""Which subjects a filter means, as the server decides it."""

from __future__ import annotations

import functools
from collections.abc import Sequence


@functools.lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(text.split("."))


def matches(pattern: str, subject: str) -> bool:
    """Whether ``subject`` is meant by ``pattern``: ``*`` is one token, ``>`` at the end one or more."""
    wanted, found = _tokens(pattern), _tokens(subject)
    if wanted[-1] == ">":
        wanted = wanted[:-1]
        if len(found) <= len(wanted):
            return False
        found = found[: len(wanted)]
    return len(wanted) == len(found) and all(w in ("*", f) for w, f in zip(wanted, found, strict=True))


def matches_any(patterns: Sequence[str], subject: str) -> bool:
    """As `matches` for any of the patterns; no pattern at all means every subject."""
    return not patterns or any(matches(pattern, subject) for pattern in patterns)
