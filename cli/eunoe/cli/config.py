"""`eunoe config`: what is in force, and where from."""

from __future__ import annotations

import typer
from rich.console import Group
from rich.text import Text

from eunoe.cli.app import App, choices
from eunoe.cli.output import clean, emit, table
from eunoe.runtime.configuration import SourceLine, config_file, load


def register(app: App) -> None:
    app.command("config", without=("embedded",), epilog="Example: EUNOE_SPACE=lab eunoe config")(config)


def config(ctx: typer.Context) -> None:
    """Show every setting, its value, and where the value is from."""
    emit(ctx, load(choices(ctx).options()).sources(), _render)


def _render(lines: list[SourceLine]) -> Group:
    made = table("setting", "value", "from", fold=("value", "from"))
    for line in lines:
        made.add_row(line.field, line.value, line.origin)
    file = config_file()
    there = "" if file.is_file() else ", which is not there yet"
    return Group(made, Text(clean(f"\nconfiguration file: {file}{there}"), style="dim"))
