"""How far an import is, on a terminal only, and gone when it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from eunoe.cli.output import clean, console
from eunoe.client.importing import Progress as Read


@contextmanager
def progress_bar(ctx: typer.Context, name: str) -> Iterator[Callable[[Read], None] | None]:
    """A callback that moves a bar on standard error; None where nobody would see one."""
    out = console(ctx, stderr=True)
    if not out.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[turns]}"))
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task(clean(name), total=None, turns="")

        def told(read: Read) -> None:
            bar.update(task, total=read.size, completed=read.read, turns=f"{read.turns:,} turns")

        yield told
