"""What the README and the guide to distilling show of the command line is what a new home prints."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell import Ran, Shell

ROOT = Path(__file__).resolve().parents[2]
CHANGES = re.compile(
    r"[0-9a-f]{64}|\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{3})?Z)?"
)  # hashes and times of a run
SIZES = re.compile(
    r"(?:position|record) \d+|\d+ (?:records|events)"
)  # of the log, which also holds what workers say when they can
FACT = re.compile(r"\bf[a-z2-7]{10}\b")  # ids, which differ where a fact was stated


def shown(file: str = "README.md") -> Iterator[tuple[list[str], list[str]]]:
    """Every command of a document's blocks with the lines that it is said to print."""
    for block in re.findall(r"```console\n(.*?)```", (ROOT / file).read_text(encoding="utf-8"), re.DOTALL):
        for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            first, *lines = command.splitlines()
            yield shlex.split(first), lines


def stable(line: str) -> str:
    """The line without what another run has otherwise."""
    for changing in (CHANGES, SIZES, FACT):
        line = changing.sub("#", line)
    return line.rstrip()


class Reader:
    """Somebody who types what the README shows, with the ids that come up here."""

    def __init__(self, eunoe: Shell) -> None:
        self._eunoe = eunoe
        self._ids: dict[str, str] = {}

    def types(self, words: list[str]) -> Ran:
        """Run a command; variables before its name are its own."""
        settings = dict(word.split("=", 1) for word in itertools.takewhile(lambda word: "=" in word, words))
        assert words[len(settings)] == "eunoe"
        shell = Shell(self._eunoe.home, {**self._eunoe.settings, **settings})
        return shell(*(self._ids.get(word, word) for word in words[len(settings) + 1 :]))

    def missing(self, lines: list[str], done: Ran) -> list[str]:
        """The lines shown that were not printed in that order; an ellipsis stands for any."""
        printed, missing = iter(done.lines), []
        for line in lines:
            if line.strip() == "…":
                continue
            found = next((one for one in printed if stable(one) == stable(line)), None)
            if found is None:
                missing.append(line)
            else:
                self._ids |= zip(FACT.findall(line), FACT.findall(found), strict=True)
        return missing


def _learned(eunoe: Shell) -> bool:
    found = eunoe("threads", "--json").json["threads"]
    return all(state["extracted"] == state["committed"] for state in found)


def test_the_readme_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command in order, in one new home of dana's: every line shown is there, in its order."""
    monkeypatch.chdir(ROOT)
    eunoe = Shell(tmp_path).named("person", "dana")
    reader = Reader(eunoe)
    (up, _), *commands = shown()
    assert up == ["eunoe", "up", "&"]

    with eunoe.up():
        for words, lines in commands:
            done = reader.types(words)
            assert (done.code, done.err) == (0, ""), words
            assert reader.missing(lines, done) == [], words
            if words[1] == "import":
                for _ in range(200):
                    if _learned(eunoe):
                        break
                else:
                    raise AssertionError("its facts never came")


def test_the_guide_to_distilling_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In another new home of hers."""
    monkeypatch.chdir(ROOT)
    eunoe = Shell(tmp_path).named("person", "dana")
    reader = Reader(eunoe)

    with eunoe.up():
        for words, lines in shown("docs/distilling.md"):
            done = reader.types(words)
            assert done.code == 0, done.err
            assert reader.missing(lines, done) == [], words


def test_its_program_runs_as_it_stands(tmp_path: Path) -> None:
    """On a server of its own: it prints the decision that it stated, and changes it after that."""
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    own = {name: value for name, value in os.environ.items() if not name.startswith("EUNOE_")}
    home = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}

    done = subprocess.run(
        [sys.executable, "-c", program], env=own | home, capture_output=True, text=True, check=False, timeout=90
    )

    assert done.returncode == 0, done.stderr
    assert "dry-run exit status 3 when something would change, else 0 (" in done.stdout
