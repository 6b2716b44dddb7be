"""What extractors are, and what they find: data and one function each. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from eunoe.extraction.calls import Call


@dataclass(frozen=True, slots=True)
class Found:
    """A fact as an extractor finds it: a subject kind, a name and a value, as read."""

    subject: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Around:
    """What is known around a call: the repository's root, empty where nothing says it."""

    root: str = ""


Read = Callable[[Call, Around], Iterable[Found]]


@dataclass(frozen=True, slots=True)
class Extractor:
    """Reads the results of the tools it names (in lower case); ``fails`` says that it reads failed ones too.

    ``capped``: its facts count towards the most of a turn.
    """

    name: str
    tools: frozenset[str]
    read: Read = field(compare=False)
    fails: bool = False
    capped: bool = True

    def reads(self, call: Call) -> bool:
        return call.name in self.tools and (self.fails or not call.failed)
