"""What the README shows of the command line is what a new home prints."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell import Shell

ROOT = Path(__file__).resolve().parents[2]
CHANGES = re.compile(r"[0-9a-f]{64}|\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}Z")  # hashes and times of a run


def shown() -> Iterator[tuple[list[str], list[str]]]:
    """Every command of the README's blocks with the lines that it is said to print."""
    for block in re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL):
        for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            first, *lines = command.splitlines()
            yield shlex.split(first), lines


def stable(line: str) -> str:
    """The line without what another run has otherwise."""
    return CHANGES.sub("#", line.rstrip())


def _learned(eunoe: Shell) -> bool:
    found = eunoe("threads", "--json").json["threads"]
    return all(state["extracted"] == state["committed"] for state in found)


def test_the_readme_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command in order, in one new home: every line shown is there, in its order; an ellipsis stands for any."""
    monkeypatch.chdir(ROOT)
    eunoe = Shell(tmp_path)
    (up, _), *commands = shown()
    assert up == ["eunoe", "up", "&"]

    with eunoe.up():
        for words, lines in commands:
            done = eunoe(*words[1:])
            assert (done.code, done.err) == (0, ""), words
            printed = iter([stable(line) for line in done.lines])
            assert [line for line in lines if line != "…" and stable(line) not in printed] == [], words
            if words[1] == "import":
                for _ in range(200):
                    if _learned(eunoe):
                        break
                else:
                    raise AssertionError("its facts never came")
