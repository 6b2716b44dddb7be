"""What a fact's value may look like, and when two values are the same: decided here and nowhere else. Pure.

Canonical equivalence: two spellings of one text (an accented letter as one character, or as a letter and its
accent) are the same value. Values are kept as they were written; only what compares them makes them equal. A
name is part of an identity, so it is kept in the one form (`eunoe.facts.names`).
"""

from __future__ import annotations

import hashlib
import unicodedata

from eunoe.schemas import limits

MARK = "…"
_DIGEST = 12  # hex characters of the digest in a text that was cut to so many bytes
_BREAKS = frozenset("\u2028\u2029\x85")
_SHAPELESS = frozenset({"Cc", "Cf", "Cs"})


def same(left: str, right: str) -> bool:
    """Whether two values say the same: equal after case folding and collapsed space, however they are composed."""
    return left == right or normal(left) == normal(right)


def normal(value: str) -> str:
    """The form in which values are compared."""
    return folded(" ".join(value.split()))


def folded(text: str) -> str:
    """``text`` without regard to case, composed (Unicode's canonical caseless form, then NFC)."""
    if text.isascii():
        return text.casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def one_line(text: str) -> str:
    """``text`` as one line: every run of space and line breaks is one space, control characters and
    halves of surrogate pairs are dropped."""
    kept = text if text.isprintable() else "".join(_readable(character) for character in text)
    return " ".join(kept.split())


def blank(text: str) -> bool:
    """Whether ``text`` shows nothing: it is empty, space, or characters without a shape."""
    return all(character.isspace() or unicodedata.category(character) in _SHAPELESS for character in text)


def cut(text: str, length: int) -> str:
    """``text`` in at most ``length`` characters; a longer one ends in a mark."""
    return text if len(text) <= length else text[: length - len(MARK)] + MARK


def bounded(text: str, most: int) -> str:
    """``text`` in at most ``most`` bytes of UTF-8; what a longer one was cut from is told by a digest."""
    data = text.encode()
    if len(data) <= most:
        return text
    tail = f"{MARK}{hashlib.sha256(data).hexdigest()[:_DIGEST]}"
    return data[: most - len(tail.encode())].decode(errors="ignore") + tail


def ordered(start: int | None, end: int | None) -> bool:
    """Whether a fact may hold from ``start`` to ``end`` (ms UTC, half open; None: without an end there)."""
    known = [moment for moment in (start, end) if moment is not None]
    return all(0 <= moment <= limits.LAST_MOMENT for moment in known) and (len(known) < 2 or known[0] < known[1])


def zoned(offset: int) -> bool:
    """Whether a moment may be given so many minutes east of UTC."""
    return abs(offset) <= limits.ZONE_MINUTES


def counted(number: int) -> bool:
    """Whether a number may be one of a turn, an entry or a position, 0 for none."""
    return 0 <= number <= limits.LAST_NUMBER


def limit(subject: str) -> int:
    """Characters that a value of this subject kind may have."""
    return {"task": limits.TASK_LENGTH, "memo": limits.DESCRIPTION_LENGTH}.get(subject, limits.VALUE_LENGTH)


def _readable(character: str) -> str:
    if character.isspace() or character in _BREAKS:
        return " "
    return "" if unicodedata.category(character) in ("Cc", "Cs") else character
