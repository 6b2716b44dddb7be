"""A disk that can be full, and that can lose what was not synced."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest


class Disk:
    """Stands before the system's calls. ``full`` lets half of a write through; ``synced`` is what a file held then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = False
        self._synced: dict[str, bytes] = {}
        self._pwrite, self._fsync = os.pwrite, os.fsync
        monkeypatch.setattr(os, "pwrite", self._write)
        monkeypatch.setattr(os, "fsync", self._sync)

    def lose_power(self, path: Path) -> None:
        """Leave of a file what was on disk for sure."""
        path.write_bytes(self._synced[str(path)])

    def _write(self, descriptor: int, data: memoryview, at: int) -> int:
        if self.full:
            self._pwrite(descriptor, data[: len(data) // 2], at)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._pwrite(descriptor, data, at)

    def _sync(self, descriptor: int) -> None:
        self._fsync(descriptor)
        path = Path(f"/proc/self/fd/{descriptor}").resolve()
        if path.is_file():
            self._synced[str(path)] = path.read_bytes()
