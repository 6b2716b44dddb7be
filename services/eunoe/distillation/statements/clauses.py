"""The clauses of a sentence that may state something, each as it stands there. Pure.

Dropped: what opens or ends a clause and says nothing ("Yes,", "By the way,", "too", a name that is called),
conjunctions between clauses, and punctuation at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from eunoe.distillation.statements.language import Language, compiled

_APOSTROPHES = str.maketrans("\u2019\u2018\u02bc", "'''")
_QUOTED = re.compile(r"[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u201e\u00ab\u00bb]*[\"\u201d\u201c\u00bb]")
_END = " \t.!,;:…-\u2013—"
_OPENINGS = 6  # openings of one clause that are dropped
_LONG_QUOTE = 5  # words from which on a quote is what somebody else said
_MARKS = re.compile(r"[\"\u201c\u201d\u201e\u00ab\u00bb]")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: as it stands in its text, and (of the same length) with plain apostrophes, as patterns see it; and all
    of its sentence from there on."""

    text: str
    plain: str
    rest: str = ""

    def whole(self) -> Clause:
        return Clause(self.rest, plain(self.rest), self.rest)

    def after(self, start: int) -> Clause:
        return Clause(self.text[start:], self.plain[start:], self.rest[start:])


def plain(text: str) -> str:
    return text.translate(_APOSTROPHES)


def clauses(sentence: str, language: Language) -> Iterator[Clause]:
    """The clauses of one sentence in order; none of a question or a quote of somebody else."""
    if sentence.rstrip("\"\u201d')*_ ").endswith("?") or _quotes(sentence):
        return
    seen = plain(sentence)
    at = 0
    lead = compiled(language.lead)
    for joint in [*compiled(language.joints).finditer(seen), None]:
        if joint and lead.fullmatch(seen, at, joint.start()):
            continue
        clause = _opened(sentence, at, joint.start() if joint else len(seen), language)
        at = joint.end() if joint else len(seen)
        if clause:
            yield clause


def _opened(sentence: str, start: int, end: int, language: Language) -> Clause | None:
    """The clause that stands there, without what opens and ends it."""
    text = sentence[:end].rstrip(_END)
    seen, end = plain(text), len(text)
    for _ in range(_OPENINGS):
        found = compiled(language.openings).match(seen, start)
        if not found or found.end() == start:
            break
        start = found.end()
    while start < end and seen[start] in _END:
        start += 1
    end = _closed(seen, start, language)
    rest = sentence[start:].rstrip(_END)
    return Clause(text[start:end], seen[start:end], rest[: _closed(plain(rest), 0, language)]) if start < end else None


def _closed(seen: str, start: int, language: Language) -> int:
    """Where what is said from ``start`` on ends, without what closes it and says nothing."""
    closing = compiled(language.closings).search(seen, start)
    return closing.start() if closing else len(seen)


def _quotes(sentence: str) -> bool:
    """Whether a sentence holds a quote that is more than a name, or a part of one."""
    rest = _QUOTED.sub("", sentence)
    return bool(_MARKS.search(rest)) or any(len(quote.split()) >= _LONG_QUOTE for quote in _QUOTED.findall(sentence))
