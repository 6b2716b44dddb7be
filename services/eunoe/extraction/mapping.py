"""Facts out of any JSON result, by a rule in the configuration and no code. Pure.

A path is names and numbers joined by dots, ``*`` for every element: ``data.flights.*``. ``name`` and
``value`` are texts with ``{path}`` in them, relative to what ``each`` leads to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pydantic

from eunoe.extraction.calls import Call
from eunoe.extraction.found import Around, Extractor, Found
from eunoe.schemas.errors import Misconfigured

_HOLE = re.compile(r"\{([^{}]*)\}")
_MOST = 100  # facts of one result


class Mapped(pydantic.BaseModel):
    """One rule: the results of ``tools``, each element at ``each`` (the result itself when empty), one fact."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    tools: tuple[str, ...] = pydantic.Field(min_length=1)
    subject: str = pydantic.Field(min_length=1, max_length=64)
    name: str = pydantic.Field(min_length=1)
    value: str = pydantic.Field(min_length=1)
    each: str = ""


def mapped(rule: Mapping[str, Any]) -> Extractor:
    """The extractor of a rule; raises `Misconfigured` with the field's name."""
    try:
        found = Mapped.model_validate(rule)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        field = ".".join(("mappings", *(str(part) for part in first["loc"])))
        raise Misconfigured(f"{field}: {first['msg']}") from None

    def read(call: Call, around: Around) -> Iterator[Found]:
        for element in list(_at(_decoded(call), found.each))[:_MOST]:
            name, value = _filled(found.name, element), _filled(found.value, element)
            if name and value:
                yield Found(found.subject, name, value)

    tools = frozenset(tool.casefold() for tool in found.tools)
    return Extractor(f"mapping of {found.subject}", tools, read, capped=False)


def _decoded(call: Call) -> Any:
    if not call.whole:
        raise ValueError("the result is too large to be mapped")
    return msgspec.json.decode(call.text) if call.text.lstrip()[:1] in ("{", "[") else None


def _at(value: Any, path: str) -> Iterator[Any]:
    """Everything that a path leads to; nothing where it leads nowhere."""
    step, _, rest = path.partition(".")
    if not path:
        yield value
    elif step == "*":
        for element in _elements(value):
            yield from _at(element, rest)
    elif isinstance(value, dict) and step in value:
        yield from _at(value[step], rest)
    elif isinstance(value, list) and step.isascii() and step.isdigit() and int(step) < len(value):
        yield from _at(value[int(step)], rest)


def _elements(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _filled(template: str, element: Any) -> str:
    """The template with its holes filled; empty when one of them leads to nothing that is text or a number."""
    found: list[str] = []
    for path in _HOLE.findall(template):
        values = [value for value in _at(element, path) if isinstance(value, str | int | float)]
        if not values:
            return ""
        found.append(", ".join(_plain(value) for value in values))
    parts = iter(found)
    return _HOLE.sub(lambda _: next(parts), template)


def _plain(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
