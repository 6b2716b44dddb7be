"""What extractors are, and what they find: data and one function each. Pure."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from eunoe.extraction.calls import Call


@dataclass(frozen=True, slots=True)
class Found:
    """A fact as an extractor finds it: a subject kind, a name, a value and an optional body, as read."""

    subject: str
    name: str
    value: str
    content: str = ""


@dataclass(frozen=True, slots=True)
class Around:
    """What is known around a call: the repository's root, empty where nothing before says it."""

    root: str = ""


Read = Callable[[Call, Around], Iterable[Found]]


@dataclass(frozen=True, slots=True)
class Extractor:
    """Reads the results of tools of some ``shapes``, and of those it names (in lower case, ``*`` stands for anything).

    ``fails``: it reads failed ones too. ``capped``: its facts count towards the most of a turn.
    """

    name: str
    read: Read = field(compare=False)
    shapes: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    fails: bool = False
    capped: bool = True

    def reads(self, call: Call, shape: str) -> bool:
        if call.failed and not self.fails:
            return False
        return shape in self.shapes or any(_fits(tool, call) for tool in self.tools)


@dataclass(frozen=True, slots=True)
class Profile:
    """What one fleet brings: the shapes of its tools (names in lower case), and extractors of its own."""

    name: str
    tools: Mapping[str, str] = field(default_factory=dict)
    extractors: tuple[Extractor, ...] = ()


def _fits(pattern: str, call: Call) -> bool:
    matches = _pattern(pattern).fullmatch
    return bool(matches(call.name) or matches(call.tool.casefold()))


@functools.lru_cache(maxsize=1024)
def _pattern(tool: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in tool.split("*")), re.DOTALL)
