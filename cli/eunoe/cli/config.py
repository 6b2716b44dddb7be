"""`eunoe config`: what is in force, and where from."""

from __future__ import annotations

import typer
from rich.table import Table

from eunoe.cli.app import App, choices
from eunoe.cli.output import emit, table
from eunoe.runtime.configuration import SourceLine, load


def register(app: App) -> None:
    app.command("config", without=("embedded",), epilog="Example: EUNOE_SPACE=lab eunoe config")(config)


def config(ctx: typer.Context) -> None:
    """Show every setting, its value, and where the value is from."""
    emit(ctx, load(choices(ctx).options()).sources(), _render)


def _render(lines: list[SourceLine]) -> Table:
    made = table("setting", "value", "from", fold=("value", "from"))
    for line in lines:
        made.add_row(line.field, line.value, line.origin)
    return made
