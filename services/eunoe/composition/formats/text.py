"""Plain text: one string in which every part stands between labels, escaped like everything derived."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.composition import marks
from eunoe.composition.formats.shape import Piece, ShownCall, encode, filled, said


class Text:
    frame = b"\\n\\n"
    begin = ""

    def user(self, text: str) -> Sequence[Piece]:
        return (_piece("user", marks.escape(filled(text))),)

    def derived(self, text: str) -> Sequence[Piece]:
        return (Piece("user", encode(text)[1:-1]),)

    def round(self, text: str, calls: Sequence[ShownCall]) -> Sequence[Piece]:
        found = [_piece("assistant", marks.escape(filled(text)))] if text.strip() or not calls else []
        found += [_piece("call", marks.escape(call.arguments), f' id="{call.id}" tool="{call.name}"') for call in calls]
        return [*found, *(_output(call) for call in calls)]

    def request(self, system: Sequence[str], pieces: Sequence[Piece]) -> tuple[bytes, str]:
        heads = [_piece("instructions", marks.escape(text)) for text in said(system)]
        return b'"' + b"\\n\\n".join(piece.data for piece in (*heads, *pieces)) + b'"', ""


def _output(call: ShownCall) -> Piece:
    outcome = ' outcome="failed"' if call.failed else ""
    return _piece("output", marks.escape(call.result), f' id="{call.id}"{outcome}')


def _piece(kind: str, text: str, attributes: str = "") -> Piece:
    role = kind if kind in ("user", "assistant") else "tool"
    return Piece(role, encode(f"<eunoe-{kind}{attributes}>\n{text}\n</eunoe-{kind}>")[1:-1])
