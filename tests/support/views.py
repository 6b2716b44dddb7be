"""Renderables as the plain lines that a pipe would get."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.text import Text


def plain(items: Iterable[RenderableType], width: int = 80) -> list[str]:
    """The printed lines, without what Rich pads them with."""
    out = Console(file=io.StringIO(), width=width, markup=False, emoji=False, highlight=False)
    for item in items:
        out.print(item, soft_wrap=isinstance(item, Text) and bool(item.no_wrap))
    assert isinstance(out.file, io.StringIO)
    return [line.rstrip() for line in out.file.getvalue().splitlines()]
