"""A run over the facts as people read it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from eunoe.cli.output import clean, table
from eunoe.schemas.requests import Difference, RebuildRun

_SAID = {
    "missing": "the log has it, the bucket does not",
    "extra": "the bucket has it, the log does not",
    "other": "the bucket has another content than the log gives",
}


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What became of a run. ``differing`` are the first of the ``differences``; ``generation`` is in use after it."""

    check: bool
    generation: int
    records: int
    documents: int
    differences: int
    differing: tuple[Difference, ...]


def rebuilt(run: RebuildRun) -> Rebuilt:
    return Rebuilt(run.check, run.generation - run.check, run.records, run.documents, run.differences, run.differing)


def page(found: Rebuilt, width: int) -> Iterator[RenderableType]:
    counted = f"{found.documents:,} documents from {found.records:,} records"
    if not found.check:
        yield Text(f"the facts were made again: {counted}, generation {found.generation}")
    elif not found.differences:
        yield Text(f"the facts are what the log says: {counted}")
    else:
        yield Text(f"{_count(found.differences)} not what the log says; `eunoe rebuild facts` mends that")
        yield Text()
        yield _differing(found.differing)
        if (more := found.differences - len(found.differing)) > 0:
            yield Text(f"and {more:,} more")


def progress(run: RebuildRun) -> str:
    """What is done, coarsely enough to be said each time it changes."""
    if run.phase in ("building", "catching up"):
        tenths = 10 * run.records // max(run.of, 1)
        return f"{run.phase}: {min(tenths * 10, 100)} % of {run.of:,} records"
    return run.phase


def doing(run: RebuildRun) -> str:
    return "compared with the log" if run.check else "made again"


def _count(number: int) -> str:
    return "1 document is" if number == 1 else f"{number:,} documents are"


def _differing(differing: tuple[Difference, ...]) -> RenderableType:
    made = table("bucket", "key", "what", fold=("key", "what"))
    for one in differing:
        made.add_row(one.scope, clean(one.key), _SAID[one.what])
    return made
