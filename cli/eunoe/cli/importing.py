"""`eunoe import`: bring transcripts in."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from anyio import to_thread
from msgspec import structs

from eunoe.cli import importing_view
from eunoe.cli.app import App, choices
from eunoe.cli.asking import memory
from eunoe.cli.connect import run
from eunoe.cli.importing_view import Outcome
from eunoe.cli.output import console, emit_json
from eunoe.cli.progress import progress_bar
from eunoe.client.files import NoFile, unreadable
from eunoe.client.importing import FORMATS, Format, Turn, import_file, other, read
from eunoe.client.memory import Memory
from eunoe.runtime.session import Session
from eunoe.schemas import ids
from eunoe.schemas.errors import Damaged, Invalid, NewerSchema, TooLarge

UNREADABLE = (Invalid, NewerSchema, TooLarge, Damaged)  # what is wrong with one file, and with no other


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the files of one command are to be read and named; None leaves it to the file."""

    thread: str | None = None
    agent: str | None = None
    session: str | None = None
    format: Format | None = None


def register(app: App) -> None:
    app.command("import", epilog="Example: eunoe import examples/builder.json --agent builder --embedded")(
        import_transcripts
    )


def import_transcripts(
    ctx: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Transcripts.", show_default=False)],
    thread: Annotated[
        str | None, typer.Option(metavar="THREAD", help="Id of the thread [default: the file's name].")
    ] = None,
    agent: Annotated[str | None, typer.Option(metavar="AGENT", help="Agent whose turns these are.")] = None,
    session: Annotated[str | None, typer.Option(metavar="SESSION", help="Session that they belong to.")] = None,
    format: Annotated[  # noqa: A002
        str | None, typer.Option(metavar="FORMAT", help=f"{', '.join(FORMATS)} [default: told by content].")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when any line has a problem.")] = False,
) -> None:
    """Bring transcripts in. What is here already is not added again, so a file may be imported as often as you like.

    A file that has grown adds what is new. A line that cannot be read is reported as FILE:LINE, and the rest
    goes in; a file that is no transcript, or whose thread holds another conversation, is reported, and the
    others go in (exit code 1, and 2 for a file that is not there). With --thread, another conversation goes in after
    what is there.
    """
    for value, what in ((thread, "thread"), (agent, "agent"), (session, "session")):
        if value is not None:
            ids.check(value, what)
    wanted = Wanted(thread, agent, session, _format(format))
    try:
        outcomes = run(ctx, _import, ctx, files, wanted)
    except KeyboardInterrupt:
        sys.stderr.write("eunoe: stopped; what went in stays, and the same command goes on from there\n")
        raise
    if choices(ctx).json:
        emit_json(outcomes)
    if any(found.missing for found in outcomes):
        raise typer.Exit(NoFile.exit_code)
    if any(found.failed or (strict and found.problem_count) for found in outcomes):
        raise typer.Exit(1)


async def _import(session: Session, ctx: typer.Context, files: list[Path], wanted: Wanted) -> list[Outcome]:
    outcomes = []
    async with memory(session) as client:
        for file in files:
            found = await _one(ctx, client, file, wanted)
            _tell(ctx, found)
            outcomes.append(found)
    _tell_that_it_goes_on(ctx)
    return outcomes


async def _one(ctx: typer.Context, memory: Memory, file: Path, wanted: Wanted) -> Outcome:
    """What became of one file; where nothing could be read in the format that was given, with what it looks like."""
    found = await _tried(ctx, memory, file, wanted)
    if wanted.format is None or found.turns or found.missing:
        return found
    return structs.replace(found, looks_like=await to_thread.run_sync(other, file, wanted.format))


async def _tried(ctx: typer.Context, memory: Memory, file: Path, wanted: Wanted) -> Outcome:
    """One file: what cannot be read of it is its own misfortune, what is in the way of all files is raised."""
    try:
        if wanted.thread is not None:
            _refuse_several(file, wanted)
        with progress_bar(ctx, file.name) as progress:
            report = await import_file(
                memory,
                file,
                thread=wanted.thread,
                agent=wanted.agent,
                session=wanted.session,
                format=wanted.format,
                progress=progress,
            )
    except UNREADABLE as error:
        return Outcome(file=str(file), error=str(error), missing=isinstance(error, NoFile))
    except OSError as error:
        found = unreadable(file, error)
        return Outcome(file=str(file), error=str(found), missing=isinstance(found, NoFile))
    return importing_view.outcome(str(file), report)


def _refuse_several(file: Path, wanted: Wanted) -> None:
    """One id cannot name several runs; raises `Invalid` for a file that holds more than one.

    A session with side chains is one conversation: they are named after it.
    """
    found = {item.suffix for item in read(file, wanted.format) if isinstance(item, Turn)}
    if len(found) > 1 and "" not in found:
        raise Invalid(
            f"{file} holds {len(found)} threads, and --thread can name only one; leave it out, "
            "and each is named after the file"
        )


def _tell(ctx: typer.Context, found: Outcome) -> None:
    if found.error:
        sys.stderr.write(f"eunoe: {importing_view.error_line(found)}\n")
        return
    for line in importing_view.problem_lines(found):
        sys.stderr.write(line + "\n")
    if not choices(ctx).json:
        sys.stdout.write(importing_view.line(found) + "\n")
        sys.stdout.flush()


def _tell_that_it_goes_on(ctx: typer.Context) -> None:
    """With --embedded the workers of this process learn from what came in, before they end."""
    out = console(ctx, stderr=True)
    if choices(ctx).embedded and out.is_terminal:
        out.print("learning from it, for 20 seconds at most …", style="dim")


def _format(name: str | None) -> Format | None:
    for known in FORMATS:
        if name == known:
            return known
    if name is not None:
        raise Invalid(f"there is no format {name!r} of transcripts; the formats are {', '.join(FORMATS)}")
    return None
