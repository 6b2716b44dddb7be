"""Facts in what a model said, as far as they stand there whole: whatever is around them, and wherever it breaks off.

Looked for are ``{"facts": [FACT, …], "summary": TEXT}``, a bare list of facts, and facts alone; several of them too,
with prose or code fences around. A fact is taken only where its object is whole and valid JSON, exactly as it stands
there. Nothing is mended: a mended end is an invented one. What is broken is kept as its text, with what is wrong, and
the scan goes on at the next place where a fact begins, so one that is bad costs no other. Pure.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from eunoe.schemas.distilled_events import SetAside

LENGTH = 256 * 1024  # characters that are looked through
BROKEN = 64  # broken places after which the rest is one of them
CUT_OFF = "cut off"
TOO_DEEP = "nests too deep"
NO_OBJECT = "a fact must be an object"

_KEY = r'"[^"\\]{1,64}"\s*:'
_START = re.compile(rf'\{{\s*{_KEY}|\[\s*(?=\{{\s*")')
_MEMBER = re.compile(r'[\s,]*"((?:[^"\\]|\\.)*)"\s*:\s*', re.DOTALL)
_NEXT = re.compile(rf"\}}[\s,]*(?=\{{\s*{_KEY})")
_PLACE = re.compile(r"[\]{]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]"]', re.DOTALL)
_BETWEEN = re.compile(r"[\s,]*")
_NOTHING = re.compile(r"(?:```\w*)?\s*\[\s*\]\s*(?:```)?")


class Number(str):
    """A number as it was written."""


_decoder = json.JSONDecoder(strict=False, parse_int=Number, parse_float=Number, parse_constant=lambda _: None)


@dataclass(slots=True)
class Found:
    """What stands in an answer. ``facts`` are values with their text, whole but not checked; ``summary`` is what was
    given as one, whatever it is. ``empty``: a list of no facts was given."""

    facts: list[tuple[Any, str]] = field(default_factory=list)
    broken: list[SetAside] = field(default_factory=list)
    summary: Any = None
    empty: bool = False


def scan(text: str) -> Found:
    """Everything that a text holds."""
    found = Found(empty=bool(_NOTHING.fullmatch(text.strip())))
    _Scan(text[:LENGTH], found).run()
    if len(text) > LENGTH:
        found.broken.append(SetAside(text=text[LENGTH:], reason=f"more than {LENGTH:,} characters"))
    return found


class _Scan:
    """Goes through a text once; each method reads what begins at a place, and gives the place where to go on."""

    def __init__(self, text: str, found: Found) -> None:
        self._text = text
        self._found = found
        self._end = len(text.rstrip())

    def run(self) -> None:
        at = 0
        while begun := _START.search(self._text, at):
            at = begun.start()
            at = self._list(at + 1) if self._text[at] == "[" else self._object(at)

    def _object(self, start: int) -> int:
        """An answer with its facts and its summary, or one fact alone."""
        at, answer = start + 1, False
        while member := _MEMBER.match(self._text, at):
            name, at = member[1], member.end()
            if name == "facts":
                answer, at = True, self._facts(at)
            elif name == "summary":
                answer, at = True, self._summary(at)
            else:
                try:
                    at = _decoder.raw_decode(self._text, at)[1]
                except (ValueError, RecursionError):
                    return self._rest(member.start()) if answer else self._fact(start)
        return at if answer else self._fact(start)

    def _facts(self, at: int) -> int:
        """The value of ``facts``: a list, or one of them alone."""
        begins = self._text[at : at + 1]
        if begins == "[":
            return self._list(at + 1)
        if begins == "{":
            return self._fact(at)
        try:
            end = _decoder.raw_decode(self._text, at)[1]
        except ValueError:
            return self._rest(at)
        return self._set_aside(at, end, "facts must be a list")

    def _list(self, at: int) -> int:
        """Facts, with or without what parts them; a list that never ends is as good as those in it."""
        self._found.empty |= self._text.startswith("]", _past(self._text, at))
        while (at := _past(self._text, at)) < self._end:
            begins = self._text[at]
            if begins in "]}":
                return at + (begins == "]")
            at = self._fact(at) if begins == "{" else self._no_fact(at)
        said = bool(self._found.broken) and self._found.broken[-1].reason == CUT_OFF
        return self._end if said else self._set_aside(at, self._end, CUT_OFF)

    def _no_fact(self, at: int) -> int:
        try:
            end = _decoder.raw_decode(self._text, at)[1]
        except RecursionError:
            return self._set_aside(at, self._end, TOO_DEEP)
        except ValueError:
            return self._rest(at, _PLACE)
        return self._set_aside(at, end, NO_OBJECT)

    def _fact(self, at: int) -> int:
        try:
            value, end = _decoder.raw_decode(self._text, at)
        except json.JSONDecodeError as error:
            return self._broken(at, error)
        except RecursionError:
            return self._set_aside(at, self._end, TOO_DEEP)
        self._found.facts.append((value, self._text[at:end]))
        return end

    def _broken(self, at: int, error: json.JSONDecodeError) -> int:
        """A fact that is no JSON: it goes to where its brackets close, but not over the beginning of another one."""
        if error.msg.startswith("Unterminated string") or error.pos >= self._end:
            return self._set_aside(at, self._end, CUT_OFF)
        follows = _NEXT.search(self._text, self._string(at, error.pos))
        ends = self._closes(at, follows.start() + 1 if follows else self._end)
        return self._set_aside(at, ends, f"no valid JSON: {error.msg[:1].lower()}{error.msg[1:]}")

    def _string(self, at: int, wrong: int) -> int:
        """Where the last string before ``wrong`` begins: one that was not closed has swallowed what follows it."""
        closed = self._text.rfind('"', at, wrong)
        return max(self._text.rfind('"', at, max(closed, at)), at)

    def _closes(self, at: int, limit: int) -> int:
        """Where what begins with a bracket ends, by its brackets outside of strings; not behind ``limit``."""
        depth = 0
        for token in _TOKEN.finditer(self._text, at, limit):
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
            if depth == 0:
                return token.end()
        return limit

    def _summary(self, at: int) -> int:
        try:
            value, end = _decoder.raw_decode(self._text, at)
        except RecursionError:
            return self._set_aside(at, self._end, TOO_DEEP)
        except ValueError:
            string = _TOKEN.match(self._text, at)
            if string is None or len(string[0]) < 2:
                return self._rest(at)
            return self._set_aside(at, string.end(), "the summary is no valid JSON")
        self._found.summary = value
        return end

    def _rest(self, at: int, until: re.Pattern[str] = _START) -> int:
        """What is broken up to where something may begin again."""
        follows = until.search(self._text, at + 1)
        if follows is None:
            return self._set_aside(at, self._end, CUT_OFF if self._cut(at) else "no valid JSON")
        return self._set_aside(at, follows.start(), "no valid JSON")

    def _cut(self, at: int) -> bool:
        """Whether a value breaks off at the end of the text: it is none yet, or an open string."""
        try:
            _decoder.raw_decode(self._text[: self._end], at)
        except json.JSONDecodeError as error:
            return error.pos >= self._end or error.msg.startswith("Unterminated string")
        return False

    def _set_aside(self, start: int, end: int, reason: str) -> int:
        self._found.broken.append(SetAside(text=self._text[start:end].strip(), reason=reason))
        if len(self._found.broken) < BROKEN:
            return end
        if rest := self._text[end:].strip():
            self._found.broken.append(SetAside(text=rest, reason="too much is broken before it"))
        return len(self._text)


def _past(text: str, at: int) -> int:
    """Past white space and commas."""
    found = _BETWEEN.match(text, at)
    return found.end() if found else at
