"""The options of `eunoe context`. Pure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eunoe.schemas import limits
from eunoe.schemas.context import FORMATS

Thread = Annotated[str, typer.Argument(metavar="THREAD", help="A thread's id.")]
What = Annotated[str | None, typer.Argument(metavar="next|TURN|turns", help="Which request (the next), or the list.")]
Window = Annotated[
    int | None,
    typer.Option(
        metavar="TOKENS",
        min=limits.WINDOW_MIN,
        max=limits.WINDOW_MAX,
        help="Tokens of the window; else those of the newest context, or a past turn's own.",
    ),
]
Model = Annotated[
    str | None, typer.Option(metavar="MODEL", help="The model that reads it, which decides what counts its tokens.")
]
Shape = Annotated[str | None, typer.Option(metavar="FORMAT", help=f"Shape of the messages: {', '.join(FORMATS)}.")]
Prompt = Annotated[str | None, typer.Option(metavar="TEXT", help="With next: the request, as it would be asked.")]
Keep = Annotated[
    int | None,
    typer.Option(metavar="TURNS", min=0, max=limits.KEEP_TURNS_MAX, help="With next: newest turns that never leave."),
]
Target = Annotated[
    float | None,
    typer.Option(metavar="SHARE", min=0.1, max=0.8, help="With next: share of the window to which turns leave."),
]
Headroom = Annotated[
    int | None,
    typer.Option(metavar="TURNS", min=0, max=64, help="With next: newest turns whose mean size is kept free."),
]
Relevant = Annotated[
    bool | None,
    typer.Option("--relevant/--no-relevant", help="With next: facts that share words with the request."),
]
MemoryTool = Annotated[
    bool | None,
    typer.Option("--memory-tool/--no-memory-tool", help="With next: for a model that can call the memory tool."),
]
Preview = Annotated[
    str | None, typer.Option(metavar="PREVIEW", help="With next: as a turn of this preview would see it.")
]
Nth = Annotated[
    int | None,
    typer.Option("--nth", metavar="N", min=1, help="With a turn's number: its N-th context; else its last."),
]
After = Annotated[int | None, typer.Option(metavar="TURN", min=0, help="With turns: begin after this turn.")]
Limit = Annotated[int | None, typer.Option(metavar="N", min=1, max=1000, help="With turns: how many.")]
Diff = Annotated[
    tuple[str, str] | None,
    typer.Option("--diff", metavar="TURN TURN", help="What changed from one turn to another, or to next."),
]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write a page to look at; - is standard output.")
]
