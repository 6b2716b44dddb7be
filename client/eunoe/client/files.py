"""What is said of a file that cannot be read. Pure."""

from __future__ import annotations

from pathlib import Path

from eunoe.schemas.errors import Invalid


class NoFile(Invalid):
    """There is no such file."""


def unreadable(path: Path, error: OSError | UnicodeDecodeError) -> Invalid:
    """Why a file that somebody named cannot be read: `NoFile` where it is not there."""
    if isinstance(error, FileNotFoundError):
        return NoFile(f"there is no file {path}")
    reason = error.strerror if isinstance(error, OSError) else None
    return Invalid(f"{path} cannot be read: {reason or error}")
