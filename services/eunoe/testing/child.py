"""A server as a process of one's own, which tests stop, kill and freeze."""

from __future__ import annotations

import os
import signal
import subprocess

STOP_SECONDS = 10.0  # seconds a server may take to stop before it is killed


class Child:
    """One server process, none before it is started and after it has ended. What starts it sets ``_process``."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def alive(self) -> bool:
        """Whether the process is there; it is not after somebody else killed it."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Stop as an operator does."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End at once, as a crash does."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop answering without closing a connection, until `thaw`; it has stopped when this returns."""
        if self._process:
            self._process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def thaw(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGCONT)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        process.send_signal(signal.SIGCONT)  # one that is frozen hears of nothing but a kill
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
