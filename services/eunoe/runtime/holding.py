"""Holding a file for as long as a process lives, so that only one of them does a thing."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(path: Path) -> Iterator[int]:
    """Yields 0 while the file is held here, or the process that holds it (-1 where it has not said yet).

    The kernel lets go of it when the process ends, however it ends.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield int(os.pread(descriptor, 20, 0) or b"-1")
            return
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d" % os.getpid(), 0)
        yield 0
    finally:
        os.close(descriptor)
