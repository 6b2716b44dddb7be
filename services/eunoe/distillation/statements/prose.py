"""The sentences that somebody says in a text, without what is no prose of theirs. Pure.

Left out: fenced and indented code, lines of markup, quotes of others' text (``> …``), lists and tables, what follows a
line that announces pasted text, and sentences that are too long to state one thing. Work is bounded: of a long text the
head and the tail are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sentencex import segment  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]

READ_CHARACTERS = 32_768  # characters of the head of a text, and of its tail, that are read
SENTENCE_MIN, SENTENCE_MAX = 6, 400  # characters of a sentence that may state something
SENTENCES_MAX = 400  # sentences of one text

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_NO_PROSE = re.compile(
    r"""\s*(?:>|\||<[/!\w]|[-*+\u2022\u2023\u25aa\u2013—]\s|\(?(?:\d{1,3}|[A-Za-z])[.)]\s|\#|\$\s|>>>|@@|[{}\[\]]|"
    r"//|/\*|--?\w|"[\w-]+"\s*:
    |(?:def|class|import|from|return|for|while|if|elif|else|try|except|raise|with|async|await|const|let|var|function)
      \b.*[:;{(\[=]|[\w.]+\s*=\s|[\w./-]+\(.*\)\s*$|Traceback|File\s")""",
    re.VERBOSE,
)
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")
_CODE = re.compile(r"[{}\\]|==|=>|::|^\s*</?\w+>")
_MARKED = re.compile(r"(?<!\w)(\*\*|__|\*|_)(?=\S)([^*\n]{1,200}?)(?<=\S)\1(?!\w)")
_SPACE = re.compile(r"\s+")


def sentences(text: str, code: str) -> Iterator[str]:
    """The sentences of a text in a language, in order, each on one line with single spaces."""
    count = 0
    for line in _lines(text):
        for sentence in segment(code, line):
            clean = sentence.strip()
            if SENTENCE_MIN <= len(clean) <= SENTENCE_MAX and not _CODE.search(clean):
                yield clean
                count += 1
                if count == SENTENCES_MAX:
                    return


def collapsed(text: str) -> str:
    """The text as it is kept: on one line, with single spaces, without marks of emphasis."""
    return _SPACE.sub(" ", _MARKED.sub(r"\2", text)).strip()


def _lines(text: str) -> Iterator[str]:
    if len(text) > 2 * READ_CHARACTERS:
        text = f"{text[:READ_CHARACTERS]}\n{text[-READ_CHARACTERS:]}"
    paragraph: list[str] = []
    for line in _FENCED.sub("\n\n", text).splitlines():
        if not line.strip() or _NO_PROSE.match(line) or _INDENTED.match(line):
            yield from _joined(paragraph)
            paragraph = []
        else:
            paragraph.append(line)
    yield from _joined(paragraph)


def _joined(lines: list[str]) -> Iterator[str]:
    """Lines of one paragraph; where each ends a sentence they stay apart, else they were wrapped."""
    held = ""
    for line in lines:
        clean = collapsed(line)
        goes_on = clean[:1].islower()
        if held and not goes_on:
            yield held
            held = clean
        else:
            held = f"{held} {clean}" if held else clean
    if held:
        yield held
