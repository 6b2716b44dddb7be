"""Token counts as providers report them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eunoe.schemas.events import Usage


def usage_of(message: Mapping[str, Any], at: int = 0) -> Usage | None:
    """The usage that a reply carries, or None. Input counts what was read from a cache or written to one."""
    found = message.get("usage")
    if not isinstance(found, Mapping):
        return None
    if "prompt_tokens" in found:
        given, made = _sum(found, "prompt_tokens"), _sum(found, "completion_tokens")
    else:
        given = _sum(found, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        made = _sum(found, "output_tokens")
    if not (given or made):
        return None
    return Usage(at=at, model=str(message.get("model") or ""), input_tokens=given, output_tokens=made)


def _sum(counts: Mapping[str, Any], *names: str) -> int:
    values = (counts.get(name) for name in names)
    return sum(value for value in values if isinstance(value, int) and value > 0)
