"""Write docs/cli.md from the `--help` of every command, or say with --check that it is stale."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperCommand, TyperGroup

from eunoe.cli.main import build

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
WIDTH = 80  # columns
HEADER = """\
# Command line

Every command with its `--help`. This page is written by `make docs`; do not edit it.
"""


def pages(command: TyperCommand | TyperGroup, name: str, parent: typer.Context | None = None) -> Iterator[str]:
    """A section for the command and then for each of its commands, in the order of its help."""
    settings = {"terminal_width": WIDTH, "color": False, **command.context_settings}
    context = typer.Context(command, info_name=name, parent=parent, **settings)
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    yield f"## {context.command_path}\n\n```text\n{text}\n```\n"
    if isinstance(command, TyperGroup):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if isinstance(found, TyperCommand | TyperGroup) and not found.hidden:
                yield from pages(found, child, context)


def render() -> str:
    """The whole page."""
    command = typer.main.get_command(build())
    if not isinstance(command, TyperCommand | TyperGroup):
        raise TypeError(f"the command line is a {type(command).__name__}, and not made by Typer")
    return "\n".join([HEADER, *pages(command, "eunoe")])


def main() -> int:
    """Write the page, or compare it; 1 when it is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail when the page is stale")
    made = render()
    if not parser.parse_args().check:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    stored = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if stored == made:
        return 0
    changes = difflib.unified_diff(stored.splitlines(), made.splitlines(), "docs/cli.md", "--help", lineterm="", n=1)
    sys.stderr.write("\n".join(changes) + "\ndocs/cli.md is stale. Run: make docs\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
