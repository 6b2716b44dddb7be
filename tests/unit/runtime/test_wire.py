"""Bytes of the NATS protocol."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.runtime import wire
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid


def test_a_header_block_is_written_line_by_line() -> None:
    """Each header is a line; the block begins with the version and ends with an empty line."""
    assert wire.header_block([("A", "1"), ("B-C", "x y")]) == b"NATS/1.0\r\nA: 1\r\nB-C: x y\r\n\r\n"
    assert wire.header_block([]) == b""


def test_a_line_break_cannot_smuggle_a_header() -> None:
    """A value with line breaks stays one line."""
    assert wire.header_block([("A", "1\r\nEvil: 2")]) == b"NATS/1.0\r\nA: 1 Evil: 2\r\n\r\n"


def test_commands() -> None:
    """PUB without headers, HPUB with the sizes of headers and of all; the reply subject in between."""
    assert wire.publish_command("a.b", "", b"", b"xyz") == b"PUB a.b 3\r\nxyz\r\n"
    assert wire.publish_command("a", "r", b"", b"") == b"PUB a r 0\r\n\r\n"
    assert wire.publish_command("a", "r", b"HH", b"xyz") == b"HPUB a r 2 5\r\nHHxyz\r\n"


@pytest.mark.parametrize("subject", ["", "a b", "a\r\nPUB x 0", "a\tb"])
def test_a_subject_that_would_break_the_protocol_is_refused(subject: str) -> None:
    """Spaces and control characters cannot be in a subject."""
    with pytest.raises(ValueError, match="is not a subject"):
        wire.publish_command(subject, "", b"", b"")


def test_statuses() -> None:
    """A status stands on the first line, with or without words; ordinary headers have none."""
    assert wire.status(b"NATS/1.0 404 No Messages\r\n\r\n") == 404
    assert wire.status_text(b"NATS/1.0 404 No Messages\r\n\r\n") == "No Messages"
    assert wire.status(b"NATS/1.0 503\r\n\r\n") == 503
    assert wire.status_text(b"NATS/1.0 503\r\n\r\n") == ""
    assert wire.status(b"NATS/1.0\r\nA: 1\r\n\r\n") == 0
    assert wire.status(b"") == 0


def test_headers_are_found_whole() -> None:
    """A header is found by its whole name, and a number that is none reads as 0."""
    block = b"NATS/1.0 204 EOB\r\nNats-UpTo-Sequence: 17\r\nX:y\r\nEmpty: \r\n\r\n"

    assert wire.number(block, "Nats-UpTo-Sequence") == 17
    assert wire.header(block, "UpTo-Sequence") == ""
    assert wire.header(block, "X") == "y"
    assert wire.header(block, "Empty") == ""
    assert wire.number(block, "X") == 0


@given(st.binary(max_size=40))
def test_any_reply_is_rebuilt_from_its_parts(data: bytes) -> None:
    """Parts number themselves from 1 and hold everything once; a short reply is whole and has no header."""
    data = data * (limits.PART_BYTES // 16)
    parts = list(wire.parts(data))

    assert b"".join(part for _, part in parts) == data
    assert all(len(part) <= limits.PART_BYTES for _, part in parts)
    if len(parts) == 1:
        assert parts[0][0] == ()
    else:
        numbers = [wire.part_of(wire.header_block(headers)) for headers, _ in parts]
        assert numbers == [(index, len(parts)) for index in range(1, len(parts) + 1)]


def test_several_commands_are_those_of_each() -> None:
    """Of one subject, with a reply subject each."""
    messages = [("_INBOX.1", b"a"), ("_INBOX.22", b""), ("_INBOX.3", b"\r\n")]

    assert wire.publish_commands("x.y", messages) == b"".join(
        wire.publish_command("x.y", reply, b"", data) for reply, data in messages
    )
    with pytest.raises(Invalid):
        wire.publish_commands("x.y", [("r" * wire.SUBJECTS_BYTES, b"")])
