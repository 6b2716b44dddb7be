"""What is to be known of a language to draw statements from its sentences: data alone. Pure.

Every text is a regular expression, matched without regard to case (``(?-i:…)`` heeds it) and with ``'`` for a
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
    """One way to state something, matched at the start of a clause (``form``) that it does not have to fill.

    Groups of the form: ``about`` (what it is about), ``value`` (what is kept; without it the whole clause is), ``was``
    (what it was before), ``what`` (what a name is made of; without it the value is). ``name`` is made of ``{about}``, ``{was}``, ``{who}`` (who speaks), ``{own}``
    (the same, where they speak of themselves) and ``{topic}`` (the words that carry meaning). An empty one: it
    only corrects what is in force already. ``whose`` speaks it: only a person, or both.
    ``plain``: an everyday statement, which has to make sense alone, with so many words that tell something (0: another
    kind of statement, which tells enough by its form). ``change``: it tells a newer
    value of something. ``open``: its value may be anything, a reference to what was said before too. ``whole``:
    it takes the rest of the sentence, however many clauses that has.
    """

    subject: str
    form: str
    name: str = "{who} {topic}"
    whose: tuple[Speaker, ...] = ("person",)
    plain: int = 0
    change: bool = False
    open: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Dates:
    """Words that name a time by how far it is from now.

    ``days`` maps words to days, ``numbers`` words to numbers, ``weekdays`` (Monday is 0) and ``months`` (January is 1)
    likewise; ``units`` are the words for each span. ``near`` is a form with the groups ``last``, ``this``, ``next`` (one of them
    is there) and ``what``: a unit, weekday or month; ``ago`` one with ``number`` and ``unit``. ``week`` and ``weekend``
    say which one, by its first day.
    """

    days: Mapping[str, int] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    weekdays: Mapping[str, int] = field(default_factory=dict)
    months: Mapping[str, int] = field(default_factory=dict)
    units: Mapping[str, Span] = field(default_factory=dict)
    near: str = NEVER
    ago: str = NEVER
    week: str = "{}"
    weekend: str = "{}"


@dataclass(frozen=True)
class Language:
    """One language.

    ``code``: the tag that sentences are split by. ``patterns``: the first that takes a clause does. ``openings`` begin
    a clause and ``closings`` end one, and both say nothing; ``asides`` are sentences that state nothing. ``joints`` stand between two clauses of a
    sentence, ``lead`` opens a clause with when it was and is none. ``unsaid``: what a plain statement may not hold. ``pointing``: words that stand for something which was
    said before, each with what they stand for where that is before them in the clause. ``pronoun`` begins a clause about somebody whose
    name (``named``) was said shortly before. ``empty`` words carry nothing worth keeping, ``little`` ones are in no
    name. ``remember`` asks to keep what
    follows it. ``personal`` and ``working``: what a statement of a model has, and does not have, when both sides are people.
    ``own``: words by which a speaker speaks of themselves, ``reflexive``: of what is theirs; ``speakers``: what speakers are called in names; ``articles`` are
    dropped from those.
    """

    code: str
    speakers: Mapping[Speaker, str]
    patterns: tuple[Pattern, ...]
    openings: str = NEVER
    closings: str = NEVER
    asides: str = NEVER
    joints: str = NEVER
    lead: str = NEVER
    unsaid: str = NEVER
    pointing: tuple[tuple[str, str], ...] = ()
    pronoun: str = NEVER
    named: str = NEVER
    reflexive: str = NEVER
    own: str = NEVER
    remember: str = NEVER
    personal: str = NEVER
    working: str = NEVER
    articles: frozenset[str] = frozenset()
    empty: frozenset[str] = frozenset()
    little: frozenset[str] = frozenset()
    dates: Dates = Dates()

    @cached_property
    def forms(self) -> tuple[tuple[Pattern, Callable[[str], re.Match[str] | None]], ...]:
        """Every pattern with what matches it at the start of a clause."""
        return tuple((pattern, compiled(pattern.form).match) for pattern in self.patterns)


@cache
def compiled(form: str) -> re.Pattern[str]:
    """A form as it is matched."""
    return re.compile(form, re.IGNORECASE)
