"""What the documents say of the command line is so."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from eunoe.cli.main import build
from eunoe.runtime.configuration import OTHER_VARIABLES
from eunoe.runtime.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = [
    ROOT / name
    for name in ("README.md", "docs/architecture.md", "docs/contexts.md", "docs/operating.md", "examples/README.md")
]
MAKE = re.compile(r"^([a-z]+):", re.MULTILINE)


def commands(text: str) -> Iterator[list[str]]:
    """Every command line of ours in a document: in blocks for a console, and between backticks."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    for line in [*lines, *re.findall(r"`([^`\n]+)`", text)]:
        if re.match(r"(?:EUNOE_\w+=\S+ )*eunoe(?: |$)", line):
            words = shlex.split(line.partition(" > ")[0].partition(" &")[0], comments=True)
            yield [word for word in words if "=" not in word or word.startswith("-")][1:]


def wrong(words: list[str]) -> str:
    """What of a command line the program does not know; empty when all is known."""
    command = typer.main.get_command(build())
    assert isinstance(command, TyperGroup)
    known = _options(command)
    found: TyperCommand | TyperGroup = command
    for word in words:
        if word.startswith("-"):
            if word.partition("=")[0] not in known:
                return word
        elif isinstance(found, TyperGroup):
            child = found.commands.get(word)
            if not isinstance(child, TyperCommand | TyperGroup):
                return word
            found, known = child, known | _options(child)
    return ""


def _options(command: TyperCommand | TyperGroup) -> set[str]:
    context = typer.Context(command)
    return {option for parameter in command.get_params(context) for option in parameter.opts}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_in_documents_exist(path: Path) -> None:
    """Every command and option that a document names is one of the program's."""
    found = list(commands(path.read_text(encoding="utf-8")))

    assert [" ".join(words) for words in found if wrong(words)] == []
    assert found or path.name == "architecture.md"


def test_a_command_that_does_not_exist_is_found() -> None:
    """The check sees wrong commands, wrong subcommands and wrong options."""
    text = "```console\n$ eunoe forget x\neunoe audit burn\n```\n`eunoe facts --loud`"

    assert [wrong(words) for words in commands(text)] == ["forget", "burn", "--loud"]


def test_the_readme_names_targets_of_make_that_exist() -> None:
    """`make demo` and `make test` are the two commands to begin with."""
    targets = set(MAKE.findall((ROOT / "Makefile").read_text(encoding="utf-8")))
    named = set(re.findall(r"\bmake ([a-z]+)", (ROOT / "README.md").read_text(encoding="utf-8")))

    assert {"demo", "test"} <= named <= targets


def test_every_setting_is_in_the_table_of_settings() -> None:
    """The table names each setting once, and none that there is not."""
    section = (ROOT / "docs/operating.md").read_text(encoding="utf-8").partition("## Settings")[2]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]

    assert sorted(named) == sorted(Settings.model_fields)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_variables_in_documents_exist(path: Path) -> None:
    """Every EUNOE_… in a document is a setting, or one of the few others."""
    known = {PREFIX + name.upper() for name in Settings.model_fields} | set(OTHER_VARIABLES)

    assert set(re.findall(r"\bEUNOE_[A-Z_]+\b", path.read_text(encoding="utf-8"))) <= known


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_in_documents_lead_somewhere(path: Path) -> None:
    """A link to a file of the repository finds it."""
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8"))

    assert [target for target in targets if not (path.parent / target).exists()] == []
