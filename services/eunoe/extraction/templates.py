"""Paths into a JSON value, and texts with such paths in them. Pure.

A path is names and numbers joined by dots: ``flights.0.origin``. ``*`` stands for every element of a list or object,
``#`` for how many it has. An empty path is the value itself; a dot in a name is written ``\\.``. A text that is JSON
is gone into like what it says.
A path that begins with ``$`` starts elsewhere: ``$result`` is the whole result, ``$arguments`` what the tool was
called with, ``$key`` the name or number (from 1) of the element in what it is part of, ``$tool`` the tool's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

_HOLE = re.compile(r"\{\{|\}\}|\{(?P<hole>[^{}]*)\}|(?P<stray>[{}])")
_DOT = re.compile(r"(?<!\\)\.")
_STARTS = ("$result", "$arguments", "$key", "$tool")

Json = Any
"""A decoded JSON value; a number with a fraction or an exponent is `msgspec.Raw`, so that it stays as written."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One element of a result: its value, its key there, and what paths with ``$`` lead to."""

    value: Json
    key: str = ""
    starts: Mapping[str, Json] | None = None

    def at(self, path: str) -> list[Json]:
        """Everything that a path leads to; nothing where it leads nowhere."""
        first, *rest = _DOT.split(path) if path else [""]
        if first == "$key":
            return [self.key] if self.key and not rest else []
        if first.startswith("$"):
            return list(_walk((self.starts or {}).get(first), rest))
        return list(_walk(self.value, [first, *rest] if path else []))

    def inside(self, path: str) -> Iterator[Spot]:
        """The elements that a path leads to, each with its key."""
        *above, last = _DOT.split(path) if path else [""]
        if last != "*":
            yield from (Spot(value, self.key, self.starts) for value in self.at(path))
            return
        for whole in self.at(".".join(above)):
            yield from (Spot(value, key, self.starts) for key, value in _elements(whole))


@dataclass(frozen=True, slots=True)
class Template:
    """A text with paths in braces: ``{origin} to {destination}``; ``{status|booked}`` says what stands for nothing.

    Braces of the text itself are doubled. `parse` raises `ValueError` with what is wrong.
    """

    parts: tuple[tuple[str, str, str | None], ...]
    """(text before, path, what stands for nothing); the last one has no path and is the rest of the text."""
    rest: str

    @classmethod
    def parse(cls, text: str) -> Template:
        parts: list[tuple[str, str, str | None]] = []
        before, at = "", 0
        for match in _HOLE.finditer(text):
            before += text[at : match.start()]
            at = match.end()
            if match["stray"]:
                raise ValueError(f"the brace at character {match.start() + 1} has no other; double it to mean a brace")
            if match["hole"] is None:
                before += match[0][0]
                continue
            path, bar, fallback = match["hole"].partition("|")
            parts.append((before, check(path.strip()), fallback if bar else None))
            before = ""
        return cls(tuple(parts), before + text[at:])

    def filled(self, spot: Spot) -> str:
        """The text for one element; empty when a path leads to nothing that has a text, and nothing stands for it."""
        found: list[str] = []
        for before, path, fallback in self.parts:
            texts = [said for value in spot.at(path) for said in texts_of(value)]
            if not texts and fallback is None:
                return ""
            found += [before, ", ".join(texts) if texts else fallback or ""]
        return "".join([*found, self.rest])


def check(path: str) -> str:
    """The path; raises `ValueError` when it cannot be one."""
    steps = _DOT.split(path) if path else []
    if "" in steps:
        raise ValueError(f"the path {path!r} has an empty step")
    if steps and steps[0].startswith("$") and steps[0] not in _STARTS:
        raise ValueError(f"the path {path!r} begins with {steps[0]}; known are {', '.join(_STARTS)}")
    return path


def texts_of(value: Json) -> Iterator[str]:
    """What a value is as text: a list as its elements, an object as JSON, null as nothing; numbers as written."""
    match value:
        case None | "":
            return
        case str():
            yield value
        case list():
            for element in value:
                yield from texts_of(element)
        case _:
            yield written(value)


def written(value: Json) -> str:
    """A value as JSON, in the order and with the numbers in which it was given."""
    return msgspec.json.encode(value).decode()


def decoded(text: str) -> Json:
    """A JSON text, with numbers kept as written; raises `ValueError` with the reason."""
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"the result is not JSON: {error}") from None


def _raw(number: str) -> msgspec.Raw:
    return msgspec.Raw(number.encode())


_decoder = msgspec.json.Decoder(float_hook=_raw)


def _walk(value: Json, steps: list[str]) -> Iterator[Json]:
    if not steps:
        yield value
        return
    step, rest = steps[0].replace("\\.", "."), steps[1:]
    if isinstance(value, str):
        value = _inside(value)
    if step == "*":
        for _, element in _elements(value):
            yield from _walk(element, rest)
    elif step == "#" and isinstance(value, list | dict):
        yield from _walk(len(value), rest)
    elif isinstance(value, dict) and step in value:
        yield from _walk(value[step], rest)
    elif isinstance(value, list) and step.isascii() and step.isdigit() and int(step) < len(value):
        yield from _walk(value[int(step)], rest)


def _inside(text: str) -> Json:
    """What a text holds that is JSON itself, as some tools put their result into a field; None for any other."""
    try:
        return _decoder.decode(text) if text.lstrip()[:1] in ("{", "[") else None
    except (msgspec.DecodeError, RecursionError):
        return None


def _elements(value: Json) -> list[tuple[str, Json]]:
    if isinstance(value, dict):
        return list(value.items())
    return [(str(number), one) for number, one in enumerate(value, 1)] if isinstance(value, list) else []
