"""Answers of many lines: printed one after the other, contents as they are and everything else wrapped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import typer
from rich.console import RenderableType
from rich.text import Text

from eunoe.cli.app import choices
from eunoe.cli.output import clean, console, emit_json

T = TypeVar("T")


def emit_page(ctx: typer.Context, value: T, render: Callable[[T, int], Iterable[RenderableType]]) -> None:
    """Print an answer: as JSON with --json, else as ``render`` shows it in so many columns."""
    if choices(ctx).json:
        emit_json(value)
    else:
        print_page(ctx, lambda width: render(value, width))


def print_page(ctx: typer.Context, render: Callable[[int], Iterable[RenderableType]]) -> None:
    """Print lines for people; those that are `verbatim` keep their length."""
    out = console(ctx)
    for item in render(out.width):
        out.print(item, soft_wrap=isinstance(item, Text) and bool(item.no_wrap))


def verbatim(text: str) -> Text:
    """Text that is never wrapped or cut: somebody's content, harmless to the terminal."""
    return Text(clean(text), no_wrap=True)
