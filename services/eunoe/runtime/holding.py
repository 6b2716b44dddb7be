"""Holding a file for as long as a process lives, so that only one of them does a thing, and says when it is ready.

One lock over two bytes says that the file is held by a process that is starting; the second byte is given back once it
is ready. The kernel lets go of both when the process ends, however it ends, so what they say is never stale. Who looks
takes no lock, and is in nobody's way.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

State = Literal["free", "starting", "ready"]

_STARTING, _READY = 2, 1  # bytes, from the first, that are locked
_LOCK = "hhqqi4x"  # Linux's struct flock: kind, whence, first byte, how many, pid (0 for a lock of an open file)


class Hold:
    """What came of trying to hold a file. ``other``: 0 while it is held here, else the process that holds it (-1 where
    it has not said yet)."""

    def __init__(self, descriptor: int, other: int) -> None:
        self.other = other
        self._descriptor = descriptor

    def ready(self) -> None:
        """Say that what this process holds the file for can be used now."""
        fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, _lock(fcntl.F_UNLCK, _READY, _STARTING - _READY))


@contextmanager
def held(path: Path) -> Iterator[Hold]:
    """Hold the file until the context ends, as one who is starting; its content is the id of this process."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _lock(fcntl.F_WRLCK, 0, _STARTING))
        except BlockingIOError:
            yield Hold(descriptor, int(os.pread(descriptor, 20, 0) or b"-1"))
            return
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d" % os.getpid(), 0)
        yield Hold(descriptor, 0)
    finally:
        os.close(descriptor)


def state(path: Path) -> State:
    """Whether somebody holds the file, and is ready; a file that is not there, or not ours to read, is free."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return "free"
    try:
        found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _lock(fcntl.F_WRLCK, 0, _STARTING))
    finally:
        os.close(descriptor)
    kind, _, _, size, _ = struct.unpack(_LOCK, found)
    if kind == fcntl.F_UNLCK:
        return "free"
    return "starting" if size == _STARTING else "ready"


def _lock(kind: int, first: int, size: int) -> bytes:
    return struct.pack(_LOCK, kind, os.SEEK_SET, first, size, 0)
