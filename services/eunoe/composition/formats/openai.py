"""OpenAI chat messages.

https://platform.openai.com/docs/api-reference/chat/create: an assistant message with ``tool_calls`` is
followed by one ``tool`` message for each of them before anything else is said.
"""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.composition.formats.shape import GO_ON, Piece, ShownCall, as_object, encode, filled, said


class OpenAI:
    frame = b","
    begin = ""

    def user(self, text: str) -> Sequence[Piece]:
        return (Piece("user", encode({"role": "user", "content": filled(text)})),)

    def derived(self, text: str) -> Sequence[Piece]:
        return self.user(text)

    def round(self, text: str, calls: Sequence[ShownCall]) -> Sequence[Piece]:
        if not calls:
            return (Piece("assistant", encode({"role": "assistant", "content": filled(text)})),)
        message: dict[str, object] = {"role": "assistant"}
        if text.strip():
            message["content"] = text
        message["tool_calls"] = [_call(call) for call in calls]
        return (Piece("assistant", encode(message)), *(_result(call) for call in calls))

    def request(self, system: Sequence[str], pieces: Sequence[Piece]) -> tuple[bytes, str]:
        parts = [encode({"role": "system", "content": text}) for text in said(system)]
        parts += [piece.data for piece in pieces]
        if pieces and pieces[-1].role == "assistant":
            parts.append(self.user(GO_ON)[0].data)
        return b"[" + b",".join(parts) + b"]", ""


def _call(call: ShownCall) -> dict[str, object]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": as_object(call.arguments)}}


def _result(call: ShownCall) -> Piece:
    return Piece("tool", encode({"role": "tool", "tool_call_id": call.id, "content": call.result}))
