"""The command line as a stranger's shell runs it: pipes, exit codes, and no settings of this machine."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eunoe.cli.errors import guarded
from eunoe.cli.main import run

EUNOE = str(Path(sys.prefix) / "bin" / "eunoe")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left: its exit code, and what it wrote."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.out.splitlines()]

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    @property
    def complaint(self) -> str:
        """The one line of a failure that printed nothing else."""
        assert not self.raw, self.out
        (line,) = self.err.splitlines()
        return line


@dataclass(frozen=True, slots=True)
class Shell:
    """Commands with a home of their own; ``settings`` are variables that they run under."""

    home: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    def named(self, role: str, principal: str) -> Shell:
        """The same home, in another's name."""
        return Shell(self.home, {**self.settings, "EUNOE_ROLE": role, "EUNOE_PRINCIPAL": principal})

    @property
    def data(self) -> Path:
        return self.home / "data" / "eunoe"

    def server_pid(self) -> int:
        """The process of the server that runs on this home's data."""
        return int(json.loads((self.data / "endpoint.json").read_text())["pid"])

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("EUNOE_", "XDG_"))}
        home = {"XDG_DATA_HOME": str(self.home / "data"), "XDG_CONFIG_HOME": str(self.home / "config")}
        return {**kept, **home, **self.settings}

    def __call__(self, *arguments: str | Path) -> Ran:
        """Run a command to its end, in this process, as the console script does."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        before = dict(os.environ)
        os.environ.clear()
        os.environ.update(self.environment())
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = guarded(lambda: run([str(argument) for argument in arguments]))
        finally:
            os.environ.clear()
            os.environ.update(before)
        return Ran(code, _written(out), _written(err).decode())

    def pipe(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A command that goes on; the caller ends it."""
        return subprocess.Popen(
            [EUNOE, *arguments], env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    @contextmanager
    def up(self) -> Iterator[subprocess.Popen[bytes]]:
        """`eunoe up` while the context is open; the process may be killed before."""
        process = self.pipe("up")
        assert process.stdout is not None
        try:
            while not (line := process.stdout.readline()).startswith(b"ready"):
                assert line, process.communicate()
            yield process
        finally:
            process.terminate()
            process.communicate()


def _written(stream: io.TextIOWrapper) -> bytes:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue()
