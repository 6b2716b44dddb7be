"""What is to be known of a language to draw statements from its sentences: data alone. Pure.

Every form is a regular expression, matched without regard to case (``(?-i:…)`` heeds it) and with ``'`` for a
typographic apostrophe.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Literal

from eunoe.distillation.door import Speaker

Span = Literal["day", "week", "weekend", "month", "year"]
NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to state something: a form at the start of a clause, which it does not have to fill.

    Its groups are ``value`` (what is kept; without it the whole clause is), ``about`` (the thing that it is about),
    ``was`` (the value before) and ``what`` (what the name is made of; without it the value is).
    """

    subject: str
    form: str
    name: str = "{who} {topic}"
    """Of ``{about}``, ``{was}``, ``{who}`` (who speaks), ``{own}`` (the same, where they speak of themselves) and
    ``{topic}`` (the words that carry meaning). An empty one: it only corrects what is in force already."""
    whose: tuple[Speaker, ...] = ("person",)
    plain: int = 0
    """An everyday statement, which has to make sense alone, with so many words that tell something (0: it is of
    another kind, and tells enough by its form)."""
    change: bool = False
    """It tells a newer value of something."""
    open: bool = False
    """Its value may be anything, a reference to what was said before too."""
    whole: bool = False
    """It takes the rest of the sentence, however many clauses that has."""


@dataclass(frozen=True, slots=True)
class Dates:
    """Words that name a time by how far it is from now."""

    days: Mapping[str, int] = field(default_factory=dict)
    """Forms, and the days that each is from today."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    weekdays: Mapping[str, int] = field(default_factory=dict)
    """Monday is 0."""
    months: Mapping[str, int] = field(default_factory=dict)
    """January is 1."""
    units: Mapping[str, Span] = field(default_factory=dict)
    near: str = NEVER
    """Groups: one of ``last``, ``this`` and ``next``, and ``what``: a unit, a weekday or a month."""
    ago: str = NEVER
    """Groups: ``number`` and ``unit``."""
    week: str = "{}"
    """How a week is named by its first day."""
    weekend: str = "{}"


@dataclass(frozen=True)
class Language:
    """One language."""

    code: str
    """Its tag, by which sentences are split."""
    speakers: Mapping[Speaker, str]
    """What who speaks is called in names."""
    patterns: tuple[Pattern, ...]
    """The first whose form a clause has is taken."""

    openings: str = NEVER
    """What begins a clause and says nothing."""
    closings: str = NEVER
    """What ends one and says nothing."""
    asides: str = NEVER
    """How clauses begin that state nothing."""
    joints: str = NEVER
    """What is between two clauses of a sentence."""
    lead: str = NEVER
    """What opens a clause with when something was, and is none."""

    unsaid: str = NEVER
    """What a plain statement may not hold."""
    pointing: tuple[tuple[str, str], ...] = ()
    """Words that stand for something, each with what that is where it stands before them in the clause."""
    pronoun: str = NEVER
    """Stands for somebody whose name was said before."""
    named: str = NEVER
    """A clause about somebody, their name in the group ``name``."""
    own: str = NEVER
    """Words by which who speaks means themselves."""
    reflexive: str = NEVER
    """Words for what is theirs."""
    remember: str = NEVER
    """Asks to keep what follows it."""
    personal: str = NEVER
    """What somebody says who tells of their life, in the place of a model too."""
    working: str = NEVER
    """What a model says that tells of its work with tools."""

    articles: frozenset[str] = frozenset()
    """Words that are dropped from the names of things."""
    empty: frozenset[str] = frozenset()
    """Words that tell nothing which is worth keeping."""
    little: frozenset[str] = frozenset()
    """Words that are in no topic."""
    dates: Dates = Dates()

    @cached_property
    def forms(self) -> tuple[tuple[Pattern, Callable[[str], re.Match[str] | None]], ...]:
        """Every pattern with what matches it at the start of a clause."""
        return tuple((pattern, compiled(pattern.form).match) for pattern in self.patterns)


@cache
def compiled(form: str) -> re.Pattern[str]:
    """A form as it is matched."""
    return re.compile(form, re.IGNORECASE)
