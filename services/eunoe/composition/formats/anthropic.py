"""Anthropic messages, with the system text apart.

https://docs.anthropic.com/en/api/messages: the first message is the user's and roles alternate, so
neighbours of one role are one message; the results of a message's calls come first in the very next
message; no text block is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from eunoe.composition.formats.shape import EMPTY, GO_ON, Piece, ShownCall, encode, filled, parsed, said


class Anthropic:
    frame = b'{"role":"assistant","content":[]},'
    begin = EMPTY

    def user(self, text: str) -> Sequence[Piece]:
        return (Piece("user", _text(text)),)

    def derived(self, text: str) -> Sequence[Piece]:
        return self.user(text)

    def round(self, text: str, calls: Sequence[ShownCall]) -> Sequence[Piece]:
        found = [Piece("assistant", _text(text.rstrip()))] if text.strip() or not calls else []
        found += [Piece("assistant", encode(_call(call))) for call in calls]
        return (*found, *(Piece("user", encode(_result(call))) for call in calls))

    def request(self, system: Sequence[str], pieces: Sequence[Piece]) -> tuple[bytes, str]:
        ordered = list(pieces)
        if ordered and ordered[0].role == "assistant":
            ordered = [*self.user(self.begin), *ordered]
        if ordered and ordered[-1].role == "assistant":
            ordered += self.user(GO_ON)
        messages = [
            b'{"role":"%s","content":[%s]}' % (role.encode(), b",".join(piece.data for piece in group))
            for role, group in groupby(ordered, key=lambda piece: piece.role)
        ]
        return b"[" + b",".join(messages) + b"]", "\n\n".join(said(system))


def _text(text: str) -> bytes:
    return encode({"type": "text", "text": filled(text)})


def _call(call: ShownCall) -> dict[str, object]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": parsed(call.arguments)}


def _result(call: ShownCall) -> dict[str, object]:
    found: dict[str, object] = {"type": "tool_result", "tool_use_id": call.id}
    if call.result.strip():
        found["content"] = call.result
    if call.failed:
        found["is_error"] = True
    return found
