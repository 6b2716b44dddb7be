"""Labelled records: how what memory itself wrote is recognised in a text, so that it is never read as new.

A labelled record is ``<eunoe-record kind="KIND" id="ID">``, a line break, its body, a line break, and
``</eunoe-record>``. ``ID`` is the first 12 hex digits of SHA-256 over kind, NUL and body, so a record
proves itself: one whose body was changed is no record of ours. Pure.
"""

from __future__ import annotations

import hashlib
import re

_OPENING = re.compile(r'<eunoe-record kind="([^"\n]*)" id="([0-9a-f]{12})">\n')
_CLOSING = "\n</eunoe-record>"
_REFERENCE = re.compile(r"\A\[output of entry \d+ held back: ")
_EXCERPT = re.compile(r"^\[… [\d,]+ bytes of entry \d+ held back[^\n]* …\]$", re.MULTILINE)
NO_RESULT_YET = "(no result yet)"
NO_RESULT = "(no result was recorded)"


def record_id(kind: str, body: str) -> str:
    """The id of a labelled record with this (escaped) body."""
    return hashlib.sha256(f"{kind}\x00{body}".encode(errors="surrogatepass")).hexdigest()[:12]


def stands_in(text: str) -> bool:
    """Whether a tool's output is what a context shows in its place: a reference, an excerpt, or that there is none."""
    if text in (NO_RESULT_YET, NO_RESULT):
        return True
    return bool(_REFERENCE.match(text) or ("bytes of entry " in text and _EXCERPT.search(text)))


def without_records(text: str) -> str:
    """``text`` without the labelled records in it. One that was cut short is left out to the end of the text; one whose
    middle a context held back, up to its end, or as far as that may have been held back too.

    A terminal may have made every line break CR LF.
    """
    if "<eunoe-record " not in text:
        return text
    found = _without(text)
    return _without(text.replace("\r\n", "\n")) if found == text and "\r\n" in text else found


def _without(text: str) -> str:
    openings = list(_OPENING.finditer(text))
    starts = [opening.start() for opening in openings[1:]]
    kept: list[str] = []
    at = 0
    for opening, following in zip(openings, [*starts, len(text)][: len(openings)], strict=True):
        if opening.start() < at:
            continue
        closing = text.find(_CLOSING, opening.end() - 1, following)
        end = _end(text, opening, closing, following)
        if not end and closing < 0 and following == len(text):
            return "".join([*kept, text[at : opening.start()]])
        if end:
            kept.append(text[at : opening.start()])
            at = end
    return "".join([*kept, text[at:]])


def _end(text: str, opening: re.Match[str], closing: int, following: int) -> int:
    """Where a record ends that closes there (-1: not before the one that follows), 0 for what is no record of ours."""
    if closing >= 0 and record_id(opening[1], text[opening.end() : closing]) == opening[2]:
        return closing + len(_CLOSING)
    held_back = _EXCERPT.search(text, opening.end(), closing if closing >= 0 else following)
    if held_back is None:
        return 0
    return closing + len(_CLOSING) if closing >= 0 else held_back.end()
