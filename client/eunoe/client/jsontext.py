"""JSON as text, the way models write arguments."""

from __future__ import annotations

import json
import math

import msgspec

from eunoe.schemas.errors import Invalid


def compact(value: object) -> str:
    """A value as one line of JSON that keeps every script readable."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def as_written(value: object) -> str:
    """Arguments as the model wrote them: text stays as it is, anything else becomes JSON."""
    return value if isinstance(value, str) else compact(value)


def exact(value: object, what: str) -> str:
    """A value as JSON that says the same; raises `Invalid` for what JSON cannot hold, which ``what`` names."""
    try:
        plain = msgspec.to_builtins(value)
        _check(plain, what)
        return msgspec.json.encode(plain).decode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Invalid(f"{what} is JSON, and {type(value).__name__} cannot be: {error}") from None


def _check(value: object, what: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid(f"{what} is JSON, which has no {value}; leave it out, or say it in words")
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise Invalid(f"{what} is JSON, whose keys are text, and {key!r} is none; make it text")
    if isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            _check(one, what)
