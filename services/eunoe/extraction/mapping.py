"""Facts out of any JSON result, by a rule in the configuration and no code: `docs/mappings.md`. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import pydantic

from eunoe.extraction import secrets
from eunoe.extraction.calls import Call
from eunoe.extraction.found import Around, Extractor, Found
from eunoe.extraction.templates import Json, Spot, Template, check, decoded, texts_of, written
from eunoe.schemas.errors import Misconfigured

Path = Annotated[str, pydantic.AfterValidator(check)]
Text = Annotated[
    str, pydantic.Field(min_length=1), pydantic.AfterValidator(lambda text: (Template.parse(text), text)[1])
]


class Mapped(pydantic.BaseModel):
    """One rule: of the results of ``tools`` (``*`` in a name stands for anything), one fact for each element at
    ``each`` (the result itself when empty) for which all of ``where`` holds.

    ``name`` and ``value`` are `Template`s. ``where`` gives for a path the text it has to have, or several of which it
    has one, or true or false: it has to lead to that, or somewhere, or nowhere. ``content``: the fact's body is the
    element as JSON, or what this path leads to.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    tools: tuple[Annotated[str, pydantic.Field(min_length=1)], ...] = pydantic.Field(min_length=1)
    subject: str = pydantic.Field(min_length=1, max_length=64)
    name: Text
    value: Text
    each: Path = ""
    where: dict[Path, bool | str | int | float | tuple[str | int | float, ...]] = {}
    content: bool | Path = False


def mapped(rule: Mapping[str, Any], number: int = 0) -> Extractor:
    """The extractor of the rule with this number; raises `Misconfigured` with the field's name."""
    try:
        found = Mapped.model_validate(rule)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        field = ".".join(("mappings", str(number), *(str(part) for part in first["loc"])))
        raise Misconfigured(f"{field}: {first['msg'].removeprefix('Value error, ')}") from None
    name, value = Template.parse(found.name), Template.parse(found.value)

    def read(call: Call, around: Around) -> Iterator[Found]:
        for spot in _whole(call).inside(found.each):
            if all(_holds(spot.at(path), wanted) for path, wanted in found.where.items()):
                named, says = name.filled(spot), value.filled(spot)
                if named and says:
                    yield Found(found.subject, named, says, _content(spot, found.content))

    tools = frozenset(tool.casefold() for tool in found.tools)
    return Extractor(f"mapping of {found.subject}", read, tools=tools, capped=False)


def _whole(call: Call) -> Spot:
    """A result, without secrets, as the element of which all others are part; a text that is no JSON has none."""
    if call.text.lstrip()[:1] not in ("{", "["):
        return Spot(None)
    if not call.whole:
        raise ValueError("the result is too large to be mapped")
    result, arguments = secrets.without(decoded(call.text)), secrets.without(dict(call.arguments))
    return Spot(result, "", {"$result": result, "$arguments": arguments, "$tool": call.name})


def _holds(found: list[Json], wanted: Any) -> bool:
    flags = [value for value in found if isinstance(value, bool)]
    texts = [text for value in found for text in texts_of(value)]
    if isinstance(wanted, bool):
        return wanted in flags if flags else bool(texts) is wanted
    choices = wanted if isinstance(wanted, tuple) else (wanted,)
    return any(str(choice) in texts for choice in choices)


def _content(spot: Spot, wanted: bool | str) -> str:
    if not wanted:
        return ""
    found = spot.at(wanted) if isinstance(wanted, str) else [spot.value]
    if len(found) == 1 and isinstance(found[0], str):
        return found[0]
    return written(found[0] if len(found) == 1 else found) if found else ""
