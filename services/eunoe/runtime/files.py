"""Files that hold secrets, and folders that must be ours to write."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from eunoe.schemas import limits
from eunoe.schemas.errors import Misconfigured

FREE_BYTES = 64 * limits.MIB  # bytes a disk must have free before a server is started on it


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read: whole, or not at all."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)


def data_folder(path: Path) -> Path:
    """The folder itself, made when it is not there; raises `Misconfigured` when it cannot hold a store."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        (path / "lock").touch(mode=0o600)
    except OSError as error:
        reason = "it is a file" if isinstance(error, FileExistsError) else f"{error.strerror}"
        raise Misconfigured(f"the data folder {path} cannot be used: {reason}; give another with --data") from None
    free = shutil.disk_usage(path).free
    if free < FREE_BYTES:
        raise Misconfigured(
            f"the disk of {path} has {free // limits.MIB} MiB free, and {FREE_BYTES // limits.MIB} MiB are the least; "
            "free some, or give another folder with --data"
        )
    return path
