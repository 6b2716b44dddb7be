"""Input items of the OpenAI Responses API, with the instructions apart.

https://platform.openai.com/docs/api-reference/responses/create: ``input`` is a list of items, and every
``function_call`` has its ``function_call_output`` of the same ``call_id``. No item has an ``id``: those name what
the API itself has stored, and a call that names a stored item must bring the reasoning that led to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.composition.formats.shape import GO_ON, Piece, ShownCall, as_object, encode, filled, said


class Responses:
    frame = b","
    begin = ""

    def user(self, text: str) -> Sequence[Piece]:
        return (_message("user", text),)

    def derived(self, text: str) -> Sequence[Piece]:
        return self.user(text)

    def round(self, text: str, calls: Sequence[ShownCall]) -> Sequence[Piece]:
        found = [_message("assistant", text)] if text.strip() or not calls else []
        return (*found, *(_call(call) for call in calls), *(_output(call) for call in calls))

    def request(self, system: Sequence[str], pieces: Sequence[Piece]) -> tuple[bytes, str]:
        parts = [piece.data for piece in pieces]
        if pieces and pieces[-1].role == "assistant":
            parts.append(_message("user", GO_ON).data)
        return b"[" + b",".join(parts) + b"]", "\n\n".join(said(system))


def _message(role: str, text: str) -> Piece:
    return Piece(role, encode({"type": "message", "role": role, "content": filled(text)}))


def _call(call: ShownCall) -> Piece:
    item = {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": as_object(call.arguments)}
    return Piece("assistant", encode(item))


def _output(call: ShownCall) -> Piece:
    return Piece("tool", encode({"type": "function_call_output", "call_id": call.id, "output": call.result}))
