"""Bytes of the NATS protocol that the hot paths write and read themselves (pure).

Headers are HTTP-like lines after ``NATS/1.0``; a status (``NATS/1.0 404 …``) stands on that first line.
A reply longer than `limits.PART_BYTES` comes in parts, each with ``Eunoe-Part: <index>/<count>``, from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid

_START = b"NATS/1.0\r\n"
PART = "Eunoe-Part"
ERROR = "Eunoe-Error"
SUBJECTS_BYTES = 4_000  # bytes of subject and reply; a server takes 4,096 of a command line (max_control_line)

Headers = Iterable[tuple[str, str]]


def header_block(headers: Headers) -> bytes:
    """The bytes of a header block, empty for no header. Line breaks in a value become spaces."""
    lines = "".join(f"{name}: {' '.join(value.splitlines())}\r\n" for name, value in headers)
    return _START + lines.encode() + b"\r\n" if lines else b""


def publish_command(subject: str, reply: str, headers: bytes, data: bytes) -> bytes:
    """The command that publishes; raises ValueError on a subject that would break the protocol.

    Raises `Invalid` for one so long that the server would close the connection.
    """
    target = _target(subject, reply)
    if headers:
        return b"HPUB %b %d %d\r\n%b%b\r\n" % (
            target,
            len(headers),
            len(headers) + len(data),
            headers,
            data,
        )
    return b"PUB %b %d\r\n%b\r\n" % (target, len(data), data)


def publish_commands(subject: str, messages: Sequence[tuple[str, bytes]]) -> bytes:
    """The commands that publish several short messages, each a reply subject and data, under one subject; raises as
    `publish_command`."""
    _target(subject, max((reply for reply, _ in messages), key=len, default=""))
    name = subject.encode()
    return b"".join([b"PUB %b %b %d\r\n%b\r\n" % (name, reply.encode(), len(data), data) for reply, data in messages])


def _target(subject: str, reply: str) -> bytes:
    """The subjects of a command, checked."""
    if not subject or not subject.isprintable() or " " in subject:
        raise ValueError(f"{subject!r} is not a subject")
    target = (f"{subject} {reply}" if reply else subject).encode()
    if len(target) > SUBJECTS_BYTES:
        raise Invalid(f"a name is too long: it makes a subject of {len(subject):,} characters; use shorter ids")
    return target


def status(headers: bytes) -> int:
    """The status of a header block, 0 when it has none."""
    if headers[8:9] != b" ":
        return 0
    code = headers[9:12]
    return int(code) if code.isdigit() else 0


def status_text(headers: bytes) -> str:
    """The words after a status, such as ``Consumer Deleted``."""
    return headers[12:].partition(b"\r\n")[0].strip().decode(errors="replace")


def header(headers: bytes, name: str) -> str:
    """The value of a header, empty when there is none."""
    start = headers.find(b"\r\n%b:" % name.encode())
    if start < 0:
        return ""
    start += len(name) + 3
    return headers[start : headers.find(b"\r\n", start)].strip().decode(errors="replace")


def number(headers: bytes, name: str) -> int:
    """The value of a numeric header, 0 when there is none."""
    found = header(headers, name)
    return int(found) if found.isdigit() else 0


def parts(data: bytes) -> Iterator[tuple[Headers, bytes]]:
    """A reply as what is sent: headers and bytes of each part; one without headers when it is short."""
    size = limits.PART_BYTES
    count = -(-len(data) // size)
    if count <= 1:
        yield (), data
        return
    for index in range(count):
        yield ((PART, f"{index + 1}/{count}"),), data[index * size : (index + 1) * size]


def part_of(headers: bytes) -> tuple[int, int]:
    """(index, count) of a part; (1, 1) for a reply that is whole."""
    index, _, count = header(headers, PART).partition("/")
    return (int(index), int(count)) if index.isdigit() and count.isdigit() else (1, 1)
