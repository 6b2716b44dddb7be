"""Quoting the bytes of a content that hold a value, with a little of what is around them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.facts.values import MARK
from eunoe.schemas import limits

AROUND = limits.EVIDENCE_BYTES  # bytes of a quotation at most


@dataclass(frozen=True, slots=True)
class Quotation:
    """``text`` is the bytes ``start`` to ``end`` of a content; ``value`` is where the value is in it, None for a
    value that is not literally there, whose quotation is the content's beginning."""

    start: int
    end: int
    text: str
    value: tuple[int, int] | None = None


class Quoter:
    """Looks for one value in a content that comes in parts, of which it keeps no more than it may still need.

    Where the value stands as words of its own, it is quoted there, and else where it is a part of others: *passed*
    is what ``154 passed`` says, and not ``is_passed_on``.
    """

    def __init__(self, value: str) -> None:
        needle = value.removesuffix(MARK).encode()
        self._begun = b""
        self._words = _Finder(needle, before=True, after=not value.endswith(MARK))
        self._anywhere = _Finder(needle, before=False, after=False)

    @property
    def done(self) -> bool:
        """Whether nothing that may still come changes the quotation."""
        return self._words.done

    def feed(self, data: bytes) -> None:
        """The next part of the content."""
        if len(self._begun) <= AROUND:
            self._begun += data[: AROUND + 1]
        for finder in (self._words, self._anywhere):
            if not finder.done:
                finder.feed(data)

    def quotation(self) -> Quotation:
        """What was found in all that came."""
        if found := self._words.found() or self._anywhere.found():
            return found
        end = _character(self._begun, min(AROUND, len(self._begun)))
        return Quotation(0, end, self._begun[:end].decode(errors="replace"))


class _Finder:
    """The first place of a needle; with ``before`` and ``after``, the first where no word goes on over its edge."""

    def __init__(self, needle: bytes, *, before: bool, after: bool) -> None:
        self._needle = needle
        self._before = before and _of_a_word(needle[:1])
        self._after = after and _of_a_word(needle[-1:])
        self._part = b""
        self._offset = 0  # of ``_part`` in the content
        self._at = -1  # of the needle in ``_part``

    @property
    def done(self) -> bool:
        return self._at >= 0 and len(self._part) >= self._at + len(self._needle) + AROUND

    def feed(self, data: bytes) -> None:
        self._part += data
        if self._at < 0 and self._needle:
            self._at = self._first(end=False)
        if self._at < 0:
            passed = max(0, len(self._part) - AROUND - len(self._needle))
            self._part, self._offset = self._part[passed:], self._offset + passed

    def found(self) -> Quotation | None:
        """The quotation around the needle, once all has come; None where it is not there."""
        found = self._at if self._at >= 0 or not self._needle else self._first(end=True)
        if found < 0:
            return None
        room = max(0, AROUND - len(self._needle)) // 2
        start = _character(self._part, max(0, found - room))
        end = _character(self._part, min(len(self._part), start + AROUND))
        at = self._offset + found
        return Quotation(
            start=self._offset + start,
            end=self._offset + end,
            text=self._part[start:end].decode(errors="replace"),
            value=(at, at + len(self._needle)),
        )

    def _first(self, *, end: bool) -> int:
        """Where it is in the part, -1 for nowhere; what follows its last byte must be there, or be the ``end``."""
        at = self._part.find(self._needle)
        while at >= 0 and not self._alone(at, end):
            at = self._part.find(self._needle, at + 1)
        return at

    def _alone(self, at: int, end: bool) -> bool:
        if self._before and (_of_a_word(self._part[at - 1 : at]) if at else self._offset > 0):
            return False  # at the edge of what is kept it was looked at before
        after = self._part[at + len(self._needle) :][:1]
        return not self._after or (not _of_a_word(after) if after else end)


def _of_a_word(byte: bytes) -> bool:
    """Whether a byte is of a letter, a digit or an underscore; all that is beyond ASCII counts as letters."""
    return byte.isalnum() or byte == b"_" or byte >= b"\x80"


def _character(data: bytes, at: int) -> int:
    """The last place up to ``at`` where a whole character of UTF-8 begins or the data ends."""
    while 0 < at < len(data) and data[at] & 0xC0 == 0x80:
        at -= 1
    return at
