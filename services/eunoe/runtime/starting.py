"""Whether an `eunoe up` of a data folder is just starting, and waiting until it has."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio

from eunoe.runtime import holding

HOLD = "up.lock"  # in the data folder, held by the one `eunoe up` that serves it
WAIT_SECONDS = 10.0  # seconds that one which is starting is waited for
LOOK_SECONDS = 0.05  # seconds between two looks whether it has started
PROCESSES = Path("/proc")
FLAGS = frozenset({"--json", "--embedded", "--no-color"})  # options before a command that have no value


async def over(data: Path) -> bool:
    """Wait until no `eunoe up` of the folder is starting, `WAIT_SECONDS` at most; whether it came to that."""
    with anyio.move_on_after(WAIT_SECONDS):
        while starting(data):  # noqa: ASYNC110 - a lock sets no event
            await anyio.sleep(LOOK_SECONDS)
        return True
    return False


def starting(data: Path, processes: Path = PROCESSES) -> bool:
    """Whether an `eunoe up` holds the folder and is not ready yet, or may be about to take it.

    A shell that is given ``eunoe up &`` and another command starts both at once, so that the other may look before the
    first has come to its lock: any that has not taken a folder yet may take this one, and does so within a second.
    """
    found = holding.state(data / HOLD)
    return found == "starting" or (found == "free" and _is_coming(data, processes))


def _is_coming(data: Path, processes: Path) -> bool:
    """Whether there is an `eunoe up` of this user that holds the lock of no other folder."""
    own = os.path.realpath(data / HOLD)
    for process in processes.glob("[1-9]*"):
        try:
            if _is_up((process / "cmdline").read_bytes()) and all(lock == own for lock in _locks(process)):
                return True
        except OSError:  # it ended meanwhile, or is another user's
            continue
    return False


def _is_up(line: bytes) -> bool:
    """Whether a process's arguments, each ended by a zero, are those of the console script run as `eunoe up`."""
    words = os.fsdecode(line).split("\0")[:-1]
    if len(words) < 3 or not Path(words[0]).name.startswith("python") or Path(words[1]).name != "eunoe":
        return False
    return _command(words[2:]) == "up"


def _command(words: Sequence[str]) -> str:
    """The first of the words after the program that is no option, nor the value of one; empty for none."""
    left = iter(words)
    for word in left:
        if not word.startswith("-"):
            return word
        if word not in FLAGS and "=" not in word:
            next(left, "")
    return ""


def _locks(process: Path) -> Iterator[str]:
    """The files named as the lock of a folder that a process has open; raises OSError where that cannot be seen."""
    for descriptor in os.listdir(process / "fd"):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            file = os.readlink(process / "fd" / descriptor)
            if Path(file).name == HOLD:
                yield file
