"""Asking before what cannot be taken back is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

import typer
from rich.console import RenderableType

from eunoe.cli.app import choices
from eunoe.cli.output import console
from eunoe.schemas.errors import Invalid


def confirm(ctx: typer.Context, question: str, told: Callable[[int], Iterable[RenderableType]], unasked: str) -> None:
    """Tell, in so many columns, what would be done, and ask; both on standard error, so that answers can be piped.

    Leaves with 1 when the answer is no. Raises `Invalid` with the message ``unasked`` where nobody can answer.
    """
    if choices(ctx).json or not sys.stdin.isatty():
        raise Invalid(unasked)
    out = console(ctx, stderr=True)
    for item in told(out.width):
        out.print(item)
    if not _said_yes(question):
        raise typer.Exit(1)


def _said_yes(question: str) -> bool:
    """Raises `typer.Abort` at the end of the input. Typer's own prompt writes a space to standard output."""
    sys.stderr.write(f"{question} [y/N]: ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:
        sys.stderr.write("\n")
        raise typer.Abort
    return answer.strip().casefold() in ("y", "yes")
