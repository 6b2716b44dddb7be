"""The console script: the tree of commands, and the one place where a failure becomes an exit code."""

from __future__ import annotations

import importlib
import sys
from importlib import metadata
from typing import Annotated

import typer

from eunoe.cli.app import App, choices, listed, with_globals
from eunoe.cli.errors import guarded
from eunoe.cli.output import emit_json

COMMANDS = (
    "demo",
    "up",
    "serve",
    "status",
    "importing",
    "threads",
    "context",
    "facts",
    "sessions",
    "fact",
    "kinds",
    "distil",
    "summary",
    "distillations",
    "dead",
    "erase",
    "audit",
    "rebuild",
    "config",
    "ops",
)


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(guarded(lambda: run(sys.argv[1:])))


def run(arguments: list[str]) -> int:
    """Run one command line; raises what went wrong."""
    code = build()(arguments or ["--help"], prog_name="eunoe", standalone_mode=False)
    return code if isinstance(code, int) else 0


def build() -> App:
    """The whole tree of commands."""
    app = App(
        help="The memory of a fleet of agents, on NATS JetStream.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(with_globals(_root))
    for name in COMMANDS:
        importlib.import_module(f"eunoe.cli.{name}").register(app)
    return app


def _root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """The memory of a fleet of agents, on NATS JetStream.

    Start with: eunoe up
    """
    if version:
        _show_version(ctx)
        raise typer.Exit
    listed(ctx)


def _show_version(ctx: typer.Context) -> None:
    found = metadata.version("eunoe")
    if choices(ctx).json:
        emit_json({"version": found})
    else:
        typer.echo(f"eunoe {found}")
