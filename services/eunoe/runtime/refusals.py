"""A refusal as it is sent: short whatever it quotes, and always one that can be written. Pure."""

from __future__ import annotations

import msgspec

from eunoe.schemas import limits
from eunoe.schemas.errors import EunoeError, to_reply

MESSAGE_BYTES = 2 * limits.KIB  # bytes of a message, which may quote what was asked
DETAIL_BYTES = 16 * limits.KIB  # bytes of a detail; a larger one is left out


def encoded(error: EunoeError) -> bytes:
    """The bytes of an `ErrorReply`, its message cut at `MESSAGE_BYTES`."""
    reply = msgspec.structs.replace(to_reply(error), message=_short(str(error)))
    try:
        data = msgspec.json.encode(reply)
    except (TypeError, ValueError):  # a detail that JSON cannot hold
        return msgspec.json.encode(msgspec.structs.replace(reply, detail={}))
    if len(data) > MESSAGE_BYTES + DETAIL_BYTES:
        return msgspec.json.encode(msgspec.structs.replace(reply, detail={}))
    return data


def wrapped(verb: str, error: Exception) -> EunoeError:
    """What a caller hears of a failure that is no refusal: one line; the log has the rest."""
    line = " ".join(str(error)[:1000].split())[:300]
    return EunoeError(f"{verb} failed: {type(error).__name__}{': ' + line if line else ''}")


def _short(message: str) -> str:
    text = message.encode(errors="replace")
    if len(text) <= MESSAGE_BYTES:
        return text.decode()
    return f"{text[:MESSAGE_BYTES].decode(errors='ignore')} … ({len(text):,} bytes in all)"
