"""What one step of a conversation quotes from what came before it: a mechanical rule. Pure.

A *quote* is a run of at least `SPAN_WORDS` words that an earlier text has too (as long as it can be), or a *token* that
tells one thing from others and that an earlier text has too: an id, a path, a number of at least four digits, a date.
Words are compared without case and punctuation, tokens as they are written. What everything in a conversation says
(an instruction's example, a path's first folder) tells nothing apart, so a token counts only where at most
`COMMON_SOURCES` earlier texts have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

SPAN_WORDS = 8
COMMON_SOURCES = 8
TOKEN_LENGTH = 4  # characters of the shortest token that counts

_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:@#-]*[A-Za-z0-9_]")
_TELLING = re.compile(r"\d.*[A-Za-z_/.:@#-]|[A-Za-z_/.:@#-].*\d|\d{4}|\w/\w|\w_\w|\w@\w|\w\.\w+\.\w")

Gram = tuple[str, ...]


@dataclass(frozen=True)
class Text:
    """A text as quotes are looked for in it: its runs of `SPAN_WORDS` words, and its telling tokens."""

    grams: frozenset[Gram]
    tokens: frozenset[str]

    def __or__(self, other: Text) -> Text:
        return Text(self.grams | other.grams, self.tokens | other.tokens)


@dataclass(frozen=True)
class Quote:
    """What is quoted: the runs of words of one span, or one token; and the entries of the texts that have it."""

    grams: frozenset[Gram] = frozenset()
    token: str = ""
    sources: tuple[int, ...] = ()

    def within(self, text: Text) -> bool:
        """Whether a text has all of it."""
        return self.grams <= text.grams and (not self.token or self.token in text.tokens)


@dataclass
class Sources:
    """The texts that may be quoted, by their entries."""

    texts: dict[int, Text] = field(default_factory=dict)

    def quotes(self, said: str, given: Iterable[int] = ()) -> list[Quote]:
        """What ``said`` quotes of them. What the texts in ``given`` have, the speaker just read: that is no quote."""
        fresh = set(given)
        held = Text(frozenset(), frozenset())
        for entry in fresh:
            held |= self.texts[entry]
        older = {entry: text for entry, text in self.texts.items() if entry not in fresh}
        return [*_tokens(said, older, held), *_spans(said, older, held)]


def text_of(said: str) -> Text:
    return Text(frozenset(_grams(said)), tokens(said))


def tokens(said: str) -> frozenset[str]:
    """The tokens of a text that tell one thing from others."""
    found = (token for token in _TOKEN.findall(said) if len(token) >= TOKEN_LENGTH)
    return frozenset(token for token in found if _TELLING.search(token))


def _tokens(said: str, older: dict[int, Text], held: Text) -> Iterator[Quote]:
    for token in sorted(tokens(said) - held.tokens):
        sources = tuple(entry for entry, text in older.items() if token in text.tokens)
        if 0 < len(sources) <= COMMON_SOURCES:
            yield Quote(token=token, sources=sources)


def _spans(said: str, older: dict[int, Text], held: Text) -> Iterator[Quote]:
    """The longest runs of words that one earlier text has from end to end."""
    grams = _grams(said)
    at = 0
    while at < len(grams):
        ends = {entry: _end(grams, at, text) for entry, text in older.items() if grams[at] in text.grams}
        if not ends or grams[at] in held.grams:
            at += 1
            continue
        end = max(ends.values())
        sources = tuple(entry for entry, reached in ends.items() if reached == end)
        yield Quote(grams=frozenset(grams[at:end]), sources=sources)
        at = end + SPAN_WORDS - 1


def _end(grams: Sequence[Gram], start: int, text: Text) -> int:
    """Where the run of words that begins at ``start`` ends in a text."""
    at = start
    while at < len(grams) and grams[at] in text.grams:
        at += 1
    return at


def _grams(said: str) -> list[Gram]:
    words = _WORD.findall(said.casefold())
    return [tuple(words[at : at + SPAN_WORDS]) for at in range(len(words) - SPAN_WORDS + 1)]
