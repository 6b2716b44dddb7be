"""A file of lines that grows at its end, and is never left with half a line in the middle."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

logger = logging.getLogger(__name__)


class Lines:
    """One such file, its owner's alone to read, held open by one process. What fails raises OSError."""

    def __init__(self, path: Path) -> None:
        """Open it, or begin it so that it is there after a loss of power too."""
        self.path = path
        self.end = 0  # bytes of whole lines
        self._owed = b""
        self._fd = _opened(path)

    def load(self) -> Iterator[bytes]:
        """Its whole lines, from the first; what a crash left of another is cut off after the last."""
        with os.fdopen(os.dup(self._fd), "rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                yield line
                self.end += len(line)
        os.ftruncate(self._fd, self.end)

    def append(self, data: bytes, *, sync: bool = False) -> None:
        """Add lines, after those that are owed; with ``sync`` all are on disk when it returns.

        When it raises, nothing was added.
        """
        whole = self._owed + data
        try:
            os.ftruncate(self._fd, self.end)
            _write(self._fd, whole, self.end)
            if sync:
                os.fsync(self._fd)
        except OSError:
            with suppress(OSError):  # else the next append does it
                os.ftruncate(self._fd, self.end)
            raise
        self.end += len(whole)
        self._owed = b""

    def owe(self, data: bytes) -> None:
        """Add lines; when they cannot be written now, the next append writes them first."""
        try:
            self.append(data)
        except OSError as error:
            if not self._owed:
                logger.warning(
                    "%s cannot be written now: %s", self.path, error.strerror, extra={"action": "lines_owed"}
                )
            self._owed += data

    def replace(self, data: bytes) -> None:
        """Put these lines in the place of all; when it raises, the file is as it was."""
        descriptor = replaced(self.path, data)
        os.close(self._fd)
        self._fd, self.end, self._owed = descriptor, len(data), b""

    def close(self) -> None:
        if self._owed:
            with suppress(OSError):  # it was said, and the file is as it was before
                self.append(b"")
        os.close(self._fd)


def replaced(path: Path, data: bytes) -> int:
    """Put a new file in the place of ``path``, whole and on disk, its owner's alone to read; returns it, open."""
    fresh = path.with_name(f"{path.name}.new")
    descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        _write(descriptor, data, 0)
        os.fsync(descriptor)
        fresh.replace(path)
    except OSError:
        os.close(descriptor)
        fresh.unlink(missing_ok=True)
        raise
    _sync_folder(path)
    return descriptor


def _write(descriptor: int, data: bytes, at: int) -> None:
    rest = memoryview(data)
    while rest:
        count = os.pwrite(descriptor, rest, at)
        rest, at = rest[count:], at + count


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR)
    except FileNotFoundError:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    _sync_folder(path)
    return descriptor


def _sync_folder(path: Path) -> None:
    """A new name is on disk only when its folder is."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
