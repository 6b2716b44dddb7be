"""Markdown, for people: one string, a heading for every part, and nothing inside a part that could pose as one.

What was said is quoted line by line, so that whatever it opens (a fence, a list, a heading) ends with the quote.
Arguments, outputs and labelled records are fenced, and their fence is longer than every run of backticks in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from eunoe.composition.formats.shape import Piece, ShownCall, encode, filled, said

_LINE = re.compile(r"\A|(?<=\r\n)|(?<=\n)|(?<=\r)(?!\n)")  # the beginning of each line as Markdown has them
_TICKS = re.compile("`+")
_FENCE = 3  # backticks of the shortest fence


class Markdown:
    frame = b"\\n\\n"
    begin = ""

    def user(self, text: str) -> Sequence[Piece]:
        return (_part("user", "User", _quoted(filled(text))),)

    def derived(self, text: str) -> Sequence[Piece]:
        return (_part("user", "Memory", _fenced(text)),)

    def round(self, text: str, calls: Sequence[ShownCall]) -> Sequence[Piece]:
        found = [_part("assistant", "Assistant", _quoted(filled(text)))] if text.strip() or not calls else []
        found += [_part("assistant", f"Call {call.id} of {call.name}", _fenced(call.arguments)) for call in calls]
        return (*found, *(_output(call) for call in calls))

    def request(self, system: Sequence[str], pieces: Sequence[Piece]) -> tuple[bytes, str]:
        heads = [_part("system", "Instructions", _quoted(text)) for text in said(system)]
        return b'"' + b"\\n\\n".join(piece.data for piece in (*heads, *pieces)) + b'"', ""


def _output(call: ShownCall) -> Piece:
    outcome = " (failed)" if call.failed else ""
    return _part("tool", f"Output of {call.id}{outcome}", _fenced(call.result))


def _part(role: str, heading: str, body: str) -> Piece:
    return Piece(role, encode(f"## {heading}\n\n{body}")[1:-1])


def _quoted(text: str) -> str:
    return _LINE.sub("> ", text)


def _fenced(text: str) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(_FENCE, longest + 1)
    return f"{fence}\n{text}\n{fence}"
