"""examples/fleet.py runs as it stands, on an embedded server of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "fleet.py"


def test_two_agents_share_what_was_decided(tmp_path: Path) -> None:
    """Facts come from what the builder's tools gave back, and a decision reaches the reviewer's context."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("EUNOE_")}
    home = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}

    done = subprocess.run(
        [sys.executable, str(PROGRAM)], env=own | home, capture_output=True, text=True, check=False, timeout=90
    )

    assert done.returncode == 0, done.stderr
    known, read = done.stdout.split("What the reviewer's model would read:")
    assert "  branch current: dry-run\n" in known
    assert "  tests python -m pytest -q: passed\n" in known
    assert "  workdir current: /home/dana/squirrel\n" in known
    assert "- decision dry-run exit status: 3 when a backup would change something, else 0 — from caller dana\n" in read
    assert read.rstrip().endswith("What was decided about the exit status?\n</eunoe-user>")
