"""How a space is doing, as people read it. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from eunoe.cli import words
from eunoe.cli.output import clean, table
from eunoe.runtime.status import Status

_COLUMNS = ("running", "waiting", "in hand", "requests", "errors", "conflicts")


def shown(found: Status, width: int) -> Iterator[RenderableType]:
    """What there is and what waits, a line for each worker, how much of models' answers was no fact, and a line for
    each thing that is wrong."""
    counts = ", ".join((words.count(found.records, "record"), jobs(found), words.count(found.dead, "dead letter")))
    yield Text(f"space {clean(found.space)} at {clean(found.url)}: {counts}")
    yield Text()
    made = table("worker", *_COLUMNS, right=_COLUMNS)
    for worker in found.workers:
        figures = (worker.running, worker.waiting, worker.in_hand, worker.requests, worker.errors, worker.conflicts)
        made.add_row(worker.name, *map(str, figures), style="" if worker.running else "red")
    yield made
    if aside := sum(worker.set_aside for worker in found.workers):
        what = words.count(aside, "item")
        yield Text()
        yield Text(f"set aside: {what} of a model's answers; `eunoe distillations THREAD RECORD` says which, and why")
    if found.wrong:
        yield Text()
    for line in found.wrong:
        yield Text(f"wrong: {clean(line)}", style="red")


def jobs(found: Status) -> str:
    """``3 jobs (2 distil, 1 review)``."""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.kinds.items())
    return words.count(found.jobs, "job") + (f" ({kinds})" if kinds else "")
