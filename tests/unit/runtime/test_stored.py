"""Stored messages as direct gets and consumers bring them."""

from __future__ import annotations

import pytest

from eunoe.runtime import stored
from eunoe.runtime.calls import Answer
from eunoe.runtime.doors import Stored
from eunoe.runtime.lookup import covers


def test_a_direct_get_is_read_from_its_headers() -> None:
    """Subject, sequence and time are headers; the time is cut to milliseconds."""
    headers = (
        b"NATS/1.0\r\nNats-Stream: S\r\nNats-Subject: a.b\r\nNats-Sequence: 42\r\n"
        b"Nats-Time-Stamp: 1970-01-01T00:00:01.2345678Z\r\n\r\n"
    )

    assert stored.from_direct(Answer("", "", b"x", headers)) == Stored("a.b", 42, b"x", 1234)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1970-01-02T00:00:00Z", 86_400_000),
        ("1970-01-01T00:00:00.5Z", 500),
        ("1970-01-01T00:00:00.05Z", 50),
        ("1970-01-01T00:00:00.000999999Z", 0),
        ("", 0),
    ],
)
def test_times(text: str, ms: int) -> None:
    """Trailing zeros of a fraction are left out by the server; a day has 86,400,000 ms."""
    assert stored.milliseconds(text) == ms


def test_positions_with_and_without_a_domain() -> None:
    """Both forms of a delivery's reply subject say the same."""
    wanted = stored.Position(seq=7, attempts=2, time=1234, pending=5)

    assert stored.position("$JS.ACK.S.c.2.7.9.1234567890.5") == wanted
    assert stored.position("$JS.ACK.dom.hash.S.c.2.7.9.1234567890.5.tok") == wanted


def test_markers() -> None:
    """Deletes, purges and markers of limits are no documents; a value that says so is one."""
    assert stored.deleted(b"NATS/1.0\r\nKV-Operation: DEL\r\n\r\n")
    assert stored.deleted(b"NATS/1.0\r\nKV-Operation: PURGE\r\n\r\n")
    assert stored.deleted(b"NATS/1.0\r\nNats-Marker-Reason: MaxAge\r\n\r\n")
    assert not stored.deleted(b"NATS/1.0\r\nNats-Sequence: 1\r\n\r\n")


@pytest.mark.parametrize(
    ("wide", "narrow", "does"),
    [
        (">", "a", True),
        ("a.>", "a.b.c", True),
        ("a.>", "a", False),
        ("a.*", "a.b", True),
        ("a.*", "a.>", False),
        ("a.*", "a.*", True),
        ("a.b", "a.*", False),
        ("a.b", "a.bc", False),
        ("a.*.c", "a.b.c", True),
    ],
)
def test_covering(wide: str, narrow: str, does: bool) -> None:
    """A filter covers another when every subject of the other is one of its own."""
    assert covers(wide, narrow) is does
