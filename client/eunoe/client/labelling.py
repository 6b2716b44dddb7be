"""Labels by name and by number, and what of a fact goes along when it is moved. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import Event, FactLabelled, FactPinned
from eunoe.schemas.requests import FactView

_NUMBER = re.compile(r"#(\d{1,4})\Z", re.ASCII)


def numbers(names: Iterable[str], declared: Mapping[str, int]) -> tuple[int, ...]:
    """The numbers of labels by name, or as ``#N`` for one without a name; raises `Invalid` for one not declared."""
    return tuple(dict.fromkeys(_number(name, declared) for name in names))


def carried(fact: FactView, there: str, labels: tuple[int, ...]) -> list[Event]:
    """The labels and the pin of a fact, put on the one (its id) that takes its place."""
    found: list[Event] = [FactLabelled(id=there, add=labels)] if labels else []
    return [*found, FactPinned(id=there)] if fact.pinned else found


def _number(name: str, declared: Mapping[str, int]) -> int:
    unnamed = _NUMBER.match(name)
    number = int(unnamed[1]) if unnamed else declared.get(name.strip().casefold())
    if number is None:
        known = ", ".join(sorted(declared)) or "none"
        raise Invalid(
            f"there is no label {name!r}; declared are {known}. Declare it under `labels` in the configuration"
        )
    return number
