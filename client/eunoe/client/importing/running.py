"""Bringing a transcript in: idempotent, several threads at once, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import anyio.to_thread

from eunoe.client.importing.checking import check_export
from eunoe.client.importing.detect import inspect
from eunoe.client.importing.model import Aside, Format, Problem
from eunoe.client.importing.prepare import Naming, Planned, plan
from eunoe.client.importing.reading import READERS
from eunoe.client.importing.report import Progress, Report
from eunoe.client.importing.sorting import Sorting
from eunoe.client.importing.source import Source
from eunoe.client.importing.writing import Into, Writing
from eunoe.runtime.tasks import task_group
from eunoe.schemas import ids, limits
from eunoe.schemas.errors import Invalid

CHUNK_BYTES = limits.MIB  # bytes of turns that are read in one go
CHUNK_TURNS = 64  # turns that are read in one go
BY_MESSAGE: tuple[Format, ...] = ("openai", "swe_agent")  # formats of which a file may be one JSON value


async def import_file(
    memory: Into,
    path: str | Path,
    *,
    thread: str | None = None,
    agent: str | None = None,
    session: str | None = None,
    format: Format | None = None,  # noqa: A002 - the word of the command line
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Append everything a transcript holds; what is in the log already is not sent again.

    The thread is named as the file unless ``thread`` says otherwise; a file of several runs or sessions
    adds ``.<number>`` or ``.<session>``. Where the thread holds the beginning of the file from elsewhere (the
    file has grown), only the rest goes in; where it holds another conversation, nothing does, unless the
    thread was given. Raises `Invalid` for a file that is no transcript, `Damaged` for an export that was
    changed, `WorkerMissing` when nobody appends, `Denied` when this caller may not. What else goes wrong is
    in the report.
    """
    source = await anyio.to_thread.run_sync(Source, Path(path))
    shape = await anyio.to_thread.run_sync(inspect, source, format)
    if thread is not None and shape.format == "eunoe":
        raise Invalid("an export names its threads itself; leave the thread out")
    name = ids.check(thread or Path(path).stem, "thread")
    for value, what in ((agent, "agent"), (session, "session")):
        if value is not None:
            ids.check(value, what)
    if shape.format == "eunoe":
        await anyio.to_thread.run_sync(check_export, source)
    digest = await anyio.to_thread.run_sync(source.digest)
    naming = Naming(name, digest, memory.gate.caller, agent or "", session or "")
    report = Report(by_message=not shape.lines and shape.format in BY_MESSAGE)
    sorting = Sorting(memory.gate, naming, report, named=thread is not None, exported=shape.format == "eunoe")

    def told() -> None:
        if progress:
            progress(Progress(source.offset, source.size, report.turns))

    def items() -> Iterator[Planned | Problem | Aside]:
        return plan(READERS[shape.format](source, lines=shape.lines), naming)

    await _pass(memory, items(), sorting, report, told)
    if sorting.again():
        await _pass(memory, items(), sorting, report, told)
    sorting.finish()
    report.kept_names = bool(agent or session) and report.here_events > 0
    return report


async def _pass(
    memory: Into,
    items: Iterator[Planned | Problem | Aside],
    sorting: Sorting,
    report: Report,
    told: Callable[[], None],
) -> None:
    async with task_group() as tasks:
        writing = Writing(memory, report)
        writing.start(tasks)
        try:
            while some := await anyio.to_thread.run_sync(_some, items):
                for item in some:
                    for append in await sorting.appends(item):
                        await writing.put(append)
                told()
        finally:
            writing.close()


def _some(items: Iterator[Planned | Problem | Aside]) -> list[Planned | Problem | Aside]:
    """The next items, some at a time, so that reading does not hold up the event loop."""
    some: list[Planned | Problem | Aside] = []
    size = 0
    for item in items:
        some.append(item)
        if isinstance(item, Planned):
            size += sum(ready.size + sum(map(len, ready.pieces)) for ready in item.readies)
        if size >= CHUNK_BYTES or len(some) >= CHUNK_TURNS:
            break
    return some
