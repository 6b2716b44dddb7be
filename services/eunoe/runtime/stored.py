"""Stored messages as direct gets and consumers bring them (pure)."""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from eunoe.runtime import wire
from eunoe.runtime.calls import Answer
from eunoe.runtime.doors import Stored

_DELETED = re.compile(rb"\r\n(?:KV-Operation: (?:DEL|PURGE)\r\n|Nats-Marker-Reason:)")
_DIRECT = re.compile(rb"\r\nNats-Subject: (\S+)\r\nNats-Sequence: (\d+)\r\nNats-Time-Stamp: (\S+)\r\n")
"""How a server writes them, which is read at once; in any other order, one by one."""


def from_direct(answer: Answer) -> Stored:
    """The message that a direct get brought: subject, sequence and time are in its headers."""
    headers = answer.headers
    if found := _DIRECT.search(headers):
        subject, seq, time = found.groups()
        return Stored(subject.decode(), int(seq), answer.data, milliseconds(time.decode()))
    return Stored(
        subject=wire.header(headers, "Nats-Subject"),
        seq=wire.number(headers, "Nats-Sequence"),
        data=answer.data,
        time=milliseconds(wire.header(headers, "Nats-Time-Stamp")),
    )


def body(message: Mapping[str, Any]) -> bytes:
    """The payload of a message as JetStream's API gives it; empty for the marker of a deleted document."""
    return base64.b64decode(message.get("data", ""))


def deleted(headers: bytes) -> bool:
    """Whether a bucket's message is the marker of a deleted document."""
    return bool(_DELETED.search(headers))


@dataclass(frozen=True, slots=True)
class Position:
    """What a delivery's reply subject says of it. ``time`` is ms UTC; ``pending`` what is still to come."""

    seq: int
    attempts: int
    time: int
    pending: int


def position(reply: str) -> Position:
    """``$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<attempts>.<seq>.<delivery>.<time>.<pending>[.…]``"""
    tokens = reply.split(".")
    start = 4 if len(tokens) < 11 else 6
    attempts, seq, _, nanoseconds, pending = tokens[start : start + 5]
    return Position(int(seq), int(attempts), int(nanoseconds) // 1_000_000, int(pending))


def milliseconds(text: str) -> int:
    """The server's time (RFC 3339 in UTC, up to nanoseconds) as ms since 1970; 0 for none."""
    return _seconds(text[:19]) * 1000 + int((text[20:].rstrip("Z") + "000")[:3]) if text else 0


@functools.lru_cache(maxsize=256)
def _seconds(text: str) -> int:
    return int(datetime.fromisoformat(text + "+00:00").timestamp())
