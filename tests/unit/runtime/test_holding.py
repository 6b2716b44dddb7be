"""A file that one process holds, and what others see of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from eunoe.runtime.holding import held, state

HOLDS = """
import sys
from pathlib import Path
from eunoe.runtime.holding import held

with held(Path(sys.argv[1])) as hold:
    print(hold.other, flush=True)
    sys.stdin.read()
"""


def test_who_looks_sees_that_it_is_free_held_and_ready(tmp_path: Path) -> None:
    """A file that is not there is free, and looking does not make it."""
    file = tmp_path / "lock"
    assert state(file) == "free"
    assert not file.exists()

    with held(file) as hold:
        assert (hold.other, state(file)) == (0, "starting")
        hold.ready()
        assert state(file) == "ready"

    assert state(file) == "free"


def test_the_second_one_learns_who_holds_it_and_changes_nothing(tmp_path: Path) -> None:
    """Neither when it comes nor when it leaves, be the holder starting or ready."""
    file = tmp_path / "lock"

    with held(file) as first:
        with held(file) as second:
            assert second.other == os.getpid()
        assert state(file) == "starting"
        first.ready()
        with held(file) as third:
            assert third.other == os.getpid()
        assert state(file) == "ready"


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    """Its id stays in the file, and the next one takes it all the same."""
    file = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "0\n"
        assert state(file) == "starting"
        process.kill()

    assert (state(file), file.read_text()) == ("free", str(process.pid))
    with held(file) as hold:
        assert hold.other == 0
