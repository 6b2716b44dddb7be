"""The bytes of a connection as messages: however they come, what is delivered is what nats-py's own parser delivers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import anyio
from hypothesis import given
from hypothesis import strategies as st
from nats.protocol.parser import Parser

from eunoe.runtime.parser import SHORT_BYTES, DirectParser

DIRECT = 2  # the subscription that is delivered directly

Message = tuple[int, bytes, bytes, bytes, bytes]


class Heard:
    """Stands for a connection: what its parsers find, in order."""

    def __init__(self) -> None:
        self.found: list[Any] = []
        self.direct = 0

    def deliver(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> bool:
        if sid != DIRECT:
            return False
        self.direct += 1
        self.found.append((sid, subject, reply, data, headers))
        return True

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: Any) -> None:
        self.found.append((sid, subject, reply, data, headers or b""))

    async def _process_ping(self) -> None:
        self.found.append("ping")

    async def _process_err(self, text: str) -> None:
        self.found.append(text)


WORDS = st.sampled_from([b"a", b"a.b.>", b"_INBOX.x.1"])
BODIES = st.one_of(st.binary(max_size=40), st.sampled_from([b"", b"MSG a 2 3\r\n", b"\r\n", b"x" * (SHORT_BYTES + 1)]))


@st.composite
def commands(draw: st.DrawFn) -> bytes:
    """What a server writes: a message with or without headers and a reply subject, or something else."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from([b"PING\r\n", b"+OK\r\n", b"-ERR 'Permissions Violation'\r\n"]))
    subject, sid, body = draw(WORDS), draw(st.sampled_from([1, DIRECT, DIRECT])), draw(BODIES)
    reply = draw(st.sampled_from([b"", b"_R_.1 "]))
    if draw(st.booleans()):
        headers = draw(st.sampled_from([b"NATS/1.0\r\n\r\n", b"NATS/1.0 404 None\r\n\r\n"]))
        return b"HMSG %b %d %b%d %d\r\n%b%b\r\n" % (
            subject, sid, reply, len(headers), len(headers) + len(body), headers, body,
        )  # fmt: skip
    return b"MSG %b %d %b%d\r\n%b\r\n" % (subject, sid, reply, len(body), body)


def parsed(parser: Parser, heard: Heard, parts: Sequence[bytes]) -> list[Any]:
    async def feed() -> None:
        for part in parts:
            await parser.parse(part)

    anyio.run(feed)
    return heard.found


@given(sent=st.lists(commands(), max_size=8), cuts=st.lists(st.integers(0, 400), max_size=6))
def test_what_is_delivered_does_not_depend_on_how_bytes_come(sent: list[bytes], cuts: list[int]) -> None:
    """Each message once and in order, whole, wherever the reads begin and end."""
    stream = b"".join(sent)
    places = sorted({0, *(cut for cut in cuts if cut < len(stream)), len(stream)})
    parts = [stream[begin:end] for begin, end in pairwise(places)]
    expected, heard = Heard(), Heard()

    found = parsed(DirectParser(heard, heard.deliver), heard, parts)

    assert found == parsed(Parser(expected), expected, [stream])


def test_short_messages_are_delivered_directly_though_a_read_ends_within_one() -> None:
    """No read leaves the rest of a burst to the slow way."""
    message = b"MSG a %d 5\r\nhello\r\n" % DIRECT
    stream, heard = message * 10, Heard()

    parsed(DirectParser(heard, heard.deliver), heard, [stream[:25], stream[25:80], stream[80:]])

    assert heard.direct == 10
