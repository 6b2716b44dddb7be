"""What is stated in one text, by the patterns of a language. Pure.

A value is the clause, or the part of it that its pattern keeps, as it stands in the text but for: space collapsed into
single spaces and marks of emphasis dropped (`prose`), what opens a clause dropped (`clauses`), what its words for a
time mean put beside them in parentheses (`dates`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from eunoe.distillation.door import Speaker
from eunoe.distillation.statements import dates, naming, sense
from eunoe.distillation.statements.clauses import Clause, clauses, plain
from eunoe.distillation.statements.language import Language, Pattern, compiled
from eunoe.distillation.statements.prose import READ_CHARACTERS, sentences

_ASKED = Pattern("note", "", "{topic}", whole=True)  # what somebody asks to remember, in no form that says more of it
_EDGES = " ,.;:!-\u2013—"
_QUOTES = ('""', "''", "\u201c\u201d", "\u2018\u2019", "\u201e\u201c", "\u00ab\u00bb", "``")


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that was stated. ``was``: the value that it says it takes the place of; ``change``: it says that
    there is one."""

    subject: str
    name: str
    value: str
    change: bool = False
    was: str = ""
    whole: bool = False


def statements(text: str, speaker: Speaker, said: int, languages: Iterable[Language]) -> Iterator[Statement]:
    """What is stated in a text that was said at so many ms UTC, in the order of the text, by each language in turn."""
    for language in languages:
        reader = _Reader(language, speaker, said, text)
        for sentence in sentences(text, language.code):
            yield from reader.read(sentence)


def trimmed(text: str) -> str:
    """A value without punctuation at its edges, and without the quotes around it."""
    clean = text.strip(_EDGES)
    quoted = len(clean) > 1 and clean[0] + clean[-1] in _QUOTES
    return clean[1:-1].strip(_EDGES) if quoted else clean


class _Reader:
    """Reads the sentences of one text in order, and knows who was named last."""

    def __init__(self, language: Language, speaker: Speaker, said: int, text: str) -> None:
        self._of_a_person = speaker == "person" or sense.of_a_life(plain(text[:READ_CHARACTERS]), language)
        self._language = language
        self._speaker: Speaker = speaker
        self._said = said
        self._named = ""

    def read(self, sentence: str) -> Iterator[Statement]:
        for clause in clauses(sentence, self._language):
            drawn = self._drawn(clause)
            if drawn:
                yield drawn
                if drawn.whole:
                    return
            if named := compiled(self._language.named).match(clause.plain):
                self._named = named["name"]

    def _drawn(self, clause: Clause) -> Statement | None:
        asked = compiled(self._language.remember).match(clause.plain) if self._speaker == "person" else None
        if asked:
            kept = clause.after(asked.end())
            return self._matched(kept) or self._statement(kept.whole(), _ASKED, None)
        if compiled(self._language.asides).match(clause.plain):
            return None
        return self._matched(clause)

    def _matched(self, clause: Clause) -> Statement | None:
        for pattern, match in self._language.forms:
            found = match(clause.plain)
            if found and self._speaker in pattern.whose:
                whole = clause.whole() if pattern.whole else clause
                return self._statement(whole, pattern, match(whole.plain) or found)
        return None

    def _statement(self, clause: Clause, pattern: Pattern, found: re.Match[str] | None) -> Statement | None:
        groups: Mapping[str, str | None] = found.groupdict() if found else {}
        start, end = found.span("value") if found and groups.get("value") is not None else (0, len(clause.text))
        value = trimmed(clause.text[start:end])
        if not self._makes_sense(clause, pattern, groups.get("what") or value):
            return None
        name = self._name(pattern, groups, value)
        shown, when = dates.dated(value, self._said, self._language.dates)
        if pattern.plain and when and name:
            name = f"{name} {when}"
        was = trimmed(groups.get("was") or "")
        if not value or not (name or (not pattern.name and was)):
            return None
        return Statement(pattern.subject, name, shown, pattern.change, was, pattern.whole)

    def _makes_sense(self, clause: Clause, pattern: Pattern, kept: str) -> bool:
        language = self._language
        if not pattern.plain:
            return pattern.open or not sense.points(kept, language)
        told = self._of_a_person or sense.of_a_life(clause.plain, language)
        return told and sense.alone(clause.plain, language, pattern.plain)

    def _name(self, pattern: Pattern, groups: Mapping[str, str | None], value: str) -> str:
        language = self._language
        who = language.speakers[self._speaker]
        about = groups.get("about") or ""
        if compiled(language.pronoun).fullmatch(about):
            about = self._named
            if not about:
                return ""
        topic = naming.topic(groups.get("what") or value, language)
        if "{topic}" in pattern.name and not topic:
            return ""
        own = who if compiled(language.own).search(value) else ""
        before = naming.thing(groups.get("was") or "", language, who)
        filled = pattern.name.format(
            about=naming.thing(about, language, who), who=who, own=own, topic=topic, was=before
        )
        return " ".join(filled.split())
