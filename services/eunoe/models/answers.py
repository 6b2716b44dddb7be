"""What a model said, as a value: the JSON in its text, whatever stands around it, checked against a schema. Pure.

Finding the value and checking it are apart, so that whoever wants a list of things can check each of them alone, and
lose only those that are wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeVar

import pydantic

from eunoe.extraction.secrets import redact
from eunoe.schemas.errors import ModelFailed

_Value = TypeVar("_Value")

_THINKS = "<think>"  # what begins the reasoning that some servers leave in the text, where that is not cut away
_THOUGHT = "</think>"  # what ends it
_GIVES = ("{", "[", "`")  # what an answer in JSON begins with, and no reasoning
_TRIES = 256  # brackets at which a value is looked for
_QUOTED = 80  # characters of what a model said in a message
_LOOKED_AT = 4_096  # characters of it that are looked through for secrets
_decoder = json.JSONDecoder()


def asking(schema: type[Any]) -> str:
    """The instruction that has a model answer with a value of that schema."""
    described = json.dumps(pydantic.TypeAdapter(schema).json_schema(), separators=(",", ":"), ensure_ascii=False)
    return f"Answer with one JSON value that fits this JSON schema, and with nothing else:\n{described}"


def spoken(text: str) -> str:
    """The text without the reasoning before it, and with a question mark for what is no character.

    In what begins as JSON the mark that ends reasoning is a part of what is said.
    """
    text = text.strip()
    said = text if text.startswith(_GIVES) or _THOUGHT not in text else text.partition(_THOUGHT)[2].strip()
    return said.encode(errors="replace").decode()


def thinking(text: str) -> bool:
    """Whether a text is reasoning that never came to an end, so that nothing was said."""
    return text.startswith(_THINKS)


def read(text: str, schema: type[_Value]) -> _Value:
    """The text as a value of the schema, `str` as it is; raises `ModelFailed` (``unreadable``)."""
    return validated(text if schema is str else value_of(text), schema)


def value_of(text: str) -> Any:
    """The JSON object or list in a text: all of it, or the longest one with prose or a code fence around it."""
    found = max(_values(text), key=lambda one: one[0], default=None)
    if found is None:
        raise ModelFailed(f"the model answered without any JSON: {quoted(text)}", reason="unreadable")
    return found[1]


def validated(value: Any, schema: type[_Value]) -> _Value:
    """A value as one of the schema; what the schema does not name is passed over."""
    try:
        return pydantic.TypeAdapter(schema).validate_python(value)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise ModelFailed(
            f"the model's answer does not fit: {where}: {first['msg'][:1].lower()}{first['msg'][1:]}",
            reason="unreadable",
        ) from None


def quoted(text: str) -> str:
    """The beginning of what a model said, on one line and without secrets."""
    line = redact(" ".join(text[:_LOOKED_AT].split()))
    return repr(line if len(line) <= _QUOTED else line[: _QUOTED - 1] + "…")


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """Every outermost JSON object or list in a text, with its length; nothing after one that nests too deep."""
    at = 0
    for _ in range(_TRIES):
        if (at := _begins(text, at)) < 0:
            return
        try:
            value, end = _decoder.raw_decode(text, at)
        except ValueError:
            at += 1
        except RecursionError:
            return
        else:
            yield end - at, value
            at = end


def _begins(text: str, at: int) -> int:
    """Where the next object or list may begin, -1 for nowhere."""
    return min((found for bracket in "{[" if (found := text.find(bracket, at)) >= 0), default=-1)
