"""What a statement is called: so that the same one has the same name however it is said, and another one another. Pure.

The name of a plain statement is who speaks and the first words of it that carry meaning, without times; what it says of
a day has that day in its name too. A negation ("no longer") is in no name, so that it takes the place of what it ends.
"""

from __future__ import annotations

import re

from eunoe.distillation.statements import dates
from eunoe.distillation.statements.language import Language, compiled

TOPIC_WORDS = 6  # words of a statement in its name

_WORD = re.compile(r"[^\W_](?:(?:[\w.+#/'\u2019-]|(?<=\d),(?=\d))*[\w+#])?")
_POSSESSIVE = re.compile(r"['\u2019]s\Z", re.IGNORECASE)
_EDGES = " \"'\u201c\u201d\u2018\u2019,.;:"


def content(text: str, language: Language) -> list[str]:
    """The words of ``text`` that carry meaning, lower case, in order, each once; words for a time are none."""
    for start, end in sorted(dates.words(text, language.dates), reverse=True):
        text = f"{text[:start]} {text[end:]}"
    folded = (_POSSESSIVE.sub("", word).casefold().replace("\u2019", "'") for word in _WORD.findall(text))
    return list(dict.fromkeys(word for word in folded if word not in language.little))


def telling(text: str, language: Language) -> int:
    """How many words of ``text`` tell something that is worth keeping."""
    return sum(word not in language.empty for word in content(text, language))


def topic(text: str, language: Language) -> str:
    return " ".join(content(text, language)[:TOPIC_WORDS])


def thing(text: str, language: Language, who: str) -> str:
    """What something is called: without articles, and the speaker's own as theirs."""
    words = text.strip(_EDGES).split()
    if words and compiled(language.reflexive).fullmatch(words[0]):
        words[0] = f"{who}'s"
    return " ".join(word for word in words if word.casefold() not in language.articles)
