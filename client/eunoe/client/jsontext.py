"""JSON as text, the way models write arguments."""

from __future__ import annotations

import json


def compact(value: object) -> str:
    """A value as one line of JSON that keeps every script readable."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def as_written(value: object) -> str:
    """Arguments as the model wrote them: text stays as it is, anything else becomes JSON."""
    return value if isinstance(value, str) else compact(value)
