"""What is said of a file that cannot be read."""

from __future__ import annotations

from pathlib import Path

from eunoe.client.files import NoFile, unreadable

FILE = Path("backup.jsonl")


def test_a_file_that_is_not_there_is_wrong_use_in_one_wording() -> None:
    """Whichever command it was given to; another reason is said after the file's name."""
    missing = unreadable(FILE, FileNotFoundError(2, "No such file or directory"))
    locked = unreadable(FILE, PermissionError(13, "Permission denied"))

    assert (type(missing), missing.exit_code, str(missing)) == (NoFile, 2, "there is no file backup.jsonl")
    assert (locked.exit_code, str(locked)) == (2, "backup.jsonl cannot be read: Permission denied")
    assert not isinstance(locked, NoFile)


def test_what_is_no_text_says_where() -> None:
    """By the byte."""
    error = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    assert str(unreadable(FILE, error)) == (
        "backup.jsonl cannot be read: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"
    )
