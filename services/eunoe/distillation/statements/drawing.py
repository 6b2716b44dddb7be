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
from eunoe.distillation.statements import dates, naming
from eunoe.distillation.statements.clauses import Clause, clauses, plain
from eunoe.distillation.statements.language import Language, Pattern, compiled
from eunoe.distillation.statements.prose import READ_CHARACTERS, sentences

_ASKED = Pattern("note", "", "{topic}", whole=True)  # what somebody asks to remember, in no form that says more of it
_EDGES = " \"'“”‘’,.;:!-–—"


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
        reader = _Reader(language, speaker, said, of_a_person=_of_a_person(text, speaker, language))
        for sentence in sentences(text, language.code):
            yield from reader.read(sentence)


def _of_a_person(text: str, speaker: Speaker, language: Language) -> bool:
    """Whether it is a person who speaks: one does as the person, and as the model where all that is said is of a life and
    nothing of work with tools."""
    if speaker == "person":
        return True
    seen = plain(text[:READ_CHARACTERS])
    return bool(compiled(language.personal).search(seen)) and not compiled(language.working).search(seen)


class _Reader:
    """Reads the sentences of one text in order, and knows who was named last."""

    def __init__(self, language: Language, speaker: Speaker, said: int, *, of_a_person: bool) -> None:
        self._of_a_person = of_a_person
        self._language = language
        self._speaker = speaker
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
        value = clause.text[start:end].strip(_EDGES)
        if not (self._plain(clause.plain, pattern.plain) if pattern.plain else pattern.open or not self._points(groups.get("what") or value)):
            return None
        name = self._name(pattern, groups, value)
        shown, when = dates.dated(value, self._said, self._language.dates)
        if pattern.plain and when and name:
            name = f"{name} {when}"
        was = (groups.get("was") or "").strip(_EDGES)
        if not value or not (name or (not pattern.name and was)):
            return None
        return Statement(pattern.subject, name, shown, pattern.change, was, pattern.whole)

    def _plain(self, text: str, telling: int) -> bool:
        """Whether a plain statement makes sense alone, holds something, and is one of a person."""
        language = self._language
        if not self._of_a_person or compiled(language.unsaid).search(text) or self._points(text):
            return False
        when = bool(dates.words(text, language.dates))  # what has a time tells more
        return naming.telling(text, language) + when >= telling

    def _points(self, text: str) -> bool:
        """Whether it points at something that it does not name."""
        return any(
            not compiled(antecedent).search(text, 0, word.start())
            for pointing, antecedent in self._language.pointing
            for word in compiled(pointing).finditer(text)
        )

    def _name(self, pattern: Pattern, groups: Mapping[str, str | None], value: str) -> str:
        language, who = self._language, self._language.speakers[self._speaker]
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
        filled = pattern.name.format(about=naming.thing(about, language, who), who=who, own=own, topic=topic, was=before)
        return " ".join(filled.split())
