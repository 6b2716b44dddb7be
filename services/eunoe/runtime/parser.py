"""Messages taken from the bytes of a connection, many at a time.

nats-py looks for a message with one pattern after the other and moves the rest of its buffer for each of them. Most
of what comes is whole messages for direct subscriptions: those are taken here, in one walk over the buffer. All else,
and whatever is not whole yet, is left to nats-py's own parser.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nats.protocol.parser import AWAITING_CONTROL_LINE, Parser

from eunoe.schemas import limits

SHORT_BYTES = 64 * limits.KIB  # bytes of a message that is put together here; a longer one comes in many reads
_LINE_END = b"\r\n"

Deliver = Callable[[int, bytes, bytes, bytes, bytes], bool]
"""Takes the id of a subscription, and subject, reply subject, payload and raw header block of one message; False where
it does not deliver to that subscription."""


class DirectParser(Parser):
    """A parser that hands whole messages to ``deliver`` as long as that takes them."""

    def __init__(self, client: Any, deliver: Deliver) -> None:
        super().__init__(client)
        self._deliver = deliver

    async def parse(self, data: bytes = b"") -> None:
        if self.state != AWAITING_CONTROL_LINE:
            await super().parse(data)
            return
        data = bytes(self.buf) + data if self.buf else data
        self.buf.clear()
        taken, waits = self._take(data)
        if waits:
            self.buf += data[taken:]
        elif taken < len(data):
            await super().parse(data[taken:])

    def _take(self, data: bytes) -> tuple[int, bool]:
        """Deliver what can be delivered: how many bytes that was, and whether the next is a message that is short and
        not whole yet."""
        at, end = 0, len(data)
        while (line := data.find(_LINE_END, at)) >= 0:
            found = _announced(data[at:line].split(b" "))
            if found is None:
                break
            subject, sid, reply, headers, size = found
            start = line + 2
            if start + size + 2 > end:
                return at, size <= SHORT_BYTES
            body = start + headers
            if not self._deliver(sid, subject, reply, data[body : start + size], data[start:body]):
                break
            at = start + size + 2
        return at, False


def _announced(words: list[bytes]) -> tuple[bytes, int, bytes, int, int] | None:
    """Subject, subscription and reply subject of a message, the bytes of its headers and of all of it, by the words of
    the line that announces it. None for any other line, and any that is not written as servers write it."""
    kind, numbers = words[0], len(words) - 3
    if kind == b"HMSG" and numbers in (2, 3):
        headers = words[-2]
    elif kind == b"MSG" and numbers in (1, 2):
        headers = b"0"
    else:
        return None
    reply = words[3] if numbers == (3 if kind == b"HMSG" else 2) else b""
    if not (words[2].isdigit() and headers.isdigit() and words[-1].isdigit()):
        return None
    return words[1], int(words[2]), reply, int(headers), int(words[-1])
