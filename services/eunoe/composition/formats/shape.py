"""What every format can do: turn what is said into serialised pieces, and join pieces into a request. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

EMPTY = "(empty)"  # stands where an API refuses a message without text
GO_ON = "(go on)"  # the user's part where the last word was the model's
_NAME = re.compile(r"[^a-zA-Z0-9_-]")
NAME_LENGTH = 64  # characters of a tool's name, the lower of the two APIs' limits

encode = msgspec.json.Encoder().encode


def _refuse(name: str) -> float:
    raise ValueError(name)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)  # no number that a request cannot carry


@dataclass(frozen=True, slots=True)
class Piece:
    """A serialised part of a request, and the role that says it."""

    role: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ShownCall:
    """A call as it is shown, with its result: ``failed`` as the API is to know it."""

    entry: int
    tool: str
    arguments: str
    result: str
    failed: bool

    @property
    def id(self) -> str:
        """Unique in the whole thread and valid in every API, which the provider's own need not be."""
        return f"call_{self.entry}"

    @property
    def name(self) -> str:
        return _NAME.sub("_", self.tool)[:NAME_LENGTH] or "tool"


class Shape(Protocol):
    """``frame`` is what a piece costs at most beside its own bytes; ``begin`` is what the user says, if anything,
    where the first word would be the model's."""

    frame: bytes
    begin: str

    def user(self, text: str) -> Sequence[Piece]: ...

    def derived(self, text: str) -> Sequence[Piece]:
        """A labelled record, said by the user's side and never by the system."""
        ...

    def round(self, text: str, calls: Sequence[ShownCall]) -> Sequence[Piece]:
        """The model's text and calls, then the results of all of them."""
        ...

    def request(self, system: Sequence[str], pieces: Sequence[Piece]) -> tuple[bytes, str]:
        """The serialised messages, and the system text where the API has it apart."""
        ...


def said(system: Sequence[str]) -> list[str]:
    """The instructions that say anything."""
    return [text for text in system if text.strip()]


def filled(text: str) -> str:
    return text if text.strip() else EMPTY


def parsed(arguments: str) -> dict[str, Any]:
    """Arguments as an object; what is none is kept as text in one, so that nothing is lost."""
    if not arguments.strip():
        return {}
    try:
        found = DECODER.decode(arguments)
    except (ValueError, RecursionError):
        return {"arguments": arguments}
    return found if isinstance(found, dict) and encodable(found) else {"arguments": arguments}


def as_object(arguments: str) -> str:
    """Arguments as the model wrote them, where that is an object; else the JSON text of an object that holds them."""
    found = parsed(arguments)
    if not found or list(found) == ["arguments"]:
        return encode(found).decode()
    return arguments


def encodable(value: dict[str, Any]) -> bool:
    """Whether a request can carry a value: no half of a surrogate pair, no number without end."""
    try:
        encode(value)
    except (UnicodeEncodeError, OverflowError, RecursionError, msgspec.MsgspecError):
        return False
    return True
