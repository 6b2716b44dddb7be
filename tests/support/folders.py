"""Folders that cannot be written, whoever asks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def unwritable(path: Path) -> Iterator[Path]:
    """``path`` as a folder in which nothing can be made while the context is open.

    A user's permissions do not bind root, who gets a file system that is mounted read-only instead.
    """
    path.mkdir(parents=True, exist_ok=True)
    if os.geteuid():
        path.chmod(0o500)
        yield path
        path.chmod(0o700)
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(path)], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", str(path)], check=True)
