"""Reading a transcript's bytes: checked, hashed, and taken apart line by line in constant memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from eunoe.client.files import unreadable
from eunoe.client.importing.model import Problem
from eunoe.client.unicode import mend_value
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid

_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_CHUNK = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Parsed:
    """One JSON value of the file. ``mended`` counts halves of surrogate pairs that became U+FFFD."""

    line: int
    value: Any
    mended: int = 0


class Source:
    """A file of text. ``offset`` is how many of its ``size`` bytes have been read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = _checked_size(path)
        self.offset = 0

    def digest(self) -> str:
        """The SHA-256 (hex) of the file's bytes."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def lines(self) -> Iterator[tuple[int, bytes | Problem]]:
        """Every line that is not blank, with its number from 1; a line over the limit is a problem."""
        self.offset = 0
        with self.path.open("rb") as file:
            number = 0
            while line := file.readline(limits.IMPORT_BYTES + 1):
                number += 1
                self.offset += len(line)
                if len(line) > limits.IMPORT_BYTES:
                    self.offset += _skip_line(file, line)
                    yield number, Problem(number, _over(limits.IMPORT_BYTES))
                elif stripped := line.removeprefix(_BOM if number == 1 else b"").strip():
                    yield number, stripped

    def values(self) -> Iterator[Parsed | Problem]:
        """The JSON value of every line that is not blank."""
        for number, line in self.lines():
            yield line if isinstance(line, Problem) else parse(line, number)

    def whole(self) -> Parsed | Problem:
        """The file as one JSON value."""
        if self.size > limits.IMPORT_BYTES:
            return Problem(1, _over(limits.IMPORT_BYTES))
        data = self.path.read_bytes().removeprefix(_BOM)
        self.offset = self.size
        return parse(data, 1)


def parse(data: bytes, line: int) -> Parsed | Problem:
    """One JSON value from its bytes, or why it is none."""
    try:
        text = data.decode()
        value = json.loads(text)
    except UnicodeDecodeError as error:
        return Problem(line, f"not UTF-8 (byte {error.start + 1}: 0x{data[error.start]:02x})")
    except json.JSONDecodeError as error:
        place = line + error.lineno - 1
        return Problem(place, f"not JSON: {error.msg.removesuffix(' at')} at column {error.colno}")
    except (ValueError, RecursionError) as error:
        return Problem(line, f"not JSON that can be read: {error}")
    if "\\ud" not in text and "\\uD" not in text:
        return Parsed(line, value)
    return Parsed(line, *mend_value(value))


def _checked_size(path: Path) -> int:
    try:
        if path.is_dir():
            raise Invalid(f"{path} is a directory; name one file of it")
        with path.open("rb") as file:
            start = file.read(8192)
        size = path.stat().st_size
    except OSError as error:
        raise unreadable(path, error) from None
    _check_start(path, start)
    return size


def _check_start(path: Path, start: bytes) -> None:
    if not start.removeprefix(_BOM):
        raise Invalid(f"{path} is empty")
    if start.startswith(_WIDE):
        raise Invalid(f"{path} is UTF-16; save it as UTF-8 first")
    if b"\x00" in start:
        raise Invalid(f"{path} is a binary file, not a transcript")


def _skip_line(file: BinaryIO, line: bytes) -> int:
    skipped = 0
    while not line.endswith(b"\n") and (line := file.readline(_CHUNK)):
        skipped += len(line)
    return skipped


def _over(limit: int) -> str:
    return f"over {limit // limits.MIB} MiB of JSON in one value; split it into lines or files"
