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
    """Looks for one value in a content that comes in parts, of which it keeps no more than it may still need."""

    def __init__(self, value: str) -> None:
        self._needle = value.removesuffix(MARK).encode()
        self._begun = b""
        self._part = b""
        self._offset = 0  # of ``_part`` in the content
        self._at = -1  # of the value in ``_part``

    @property
    def done(self) -> bool:
        """Whether nothing that may still come changes the quotation."""
        return self._at >= 0 and len(self._part) >= self._at + len(self._needle) + AROUND

    def feed(self, data: bytes) -> None:
        """The next part of the content."""
        if len(self._begun) <= AROUND:
            self._begun += data[: AROUND + 1]
        self._part += data
        if self._at < 0 and self._needle:
            self._at = self._part.find(self._needle)
        if self._at < 0:
            passed = max(0, len(self._part) - AROUND - len(self._needle))
            self._part, self._offset = self._part[passed:], self._offset + passed

    def quotation(self) -> Quotation:
        """What was found in all that came."""
        if self._at < 0:
            end = _character(self._begun, min(AROUND, len(self._begun)))
            return Quotation(0, end, self._begun[:end].decode(errors="replace"))
        room = max(0, AROUND - len(self._needle)) // 2
        start = _character(self._part, max(0, self._at - room))
        end = _character(self._part, min(len(self._part), start + AROUND))
        at = self._offset + self._at
        return Quotation(
            start=self._offset + start,
            end=self._offset + end,
            text=self._part[start:end].decode(errors="replace"),
            value=(at, at + len(self._needle)),
        )


def _character(data: bytes, at: int) -> int:
    """The last place up to ``at`` where a whole character of UTF-8 begins or the data ends."""
    while 0 < at < len(data) and data[at] & 0xC0 == 0x80:
        at -= 1
    return at
