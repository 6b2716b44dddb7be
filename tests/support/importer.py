"""`eunoe import FILE` as the body of a process that may be killed at any moment."""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection
from pathlib import Path

from eunoe.cli.errors import guarded
from eunoe.cli.main import run


def import_file(saying: Connection, url: str, space: str, data: Path, file: Path) -> None:
    """The command line with its own exit code."""
    saying.send(True)
    sys.exit(guarded(lambda: run(["import", "--url", url, "--space", space, "--data", str(data), str(file)])))
