"""The console script: the tree of commands, and the one place where a failure becomes an exit code."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from eunoe.cli.app import App, with_globals
from eunoe.cli.errors import guarded

COMMANDS = ("demo", "up", "serve", "status", "importing", "threads", "context", "facts", "audit", "config", "ops")


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(guarded(lambda: run(sys.argv[1:])))


def run(arguments: list[str]) -> int:
    """Run one command line; raises what went wrong."""
    code = build()(arguments or ["--help"], prog_name="eunoe", standalone_mode=False)
    return code if isinstance(code, int) else 0


def build() -> App:
    """The whole tree of commands."""
    app = App(help="The memory of a fleet of agents, on NATS JetStream.")
    app.callback()(with_globals(_root))
    for name in COMMANDS:
        importlib.import_module(f"eunoe.cli.{name}").register(app)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eunoe {version('eunoe')}")
        raise typer.Exit


def _root(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """The memory of a fleet of agents, on NATS JetStream.

    Start with: eunoe up
    """
