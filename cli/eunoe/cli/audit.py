"""`eunoe audit`: the log itself. Follow it, check it, anchor it, take it away."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated

import typer

from eunoe.audit.anchors import Anchor
from eunoe.audit.export import export as export_lines
from eunoe.cli import audit_checks, audit_view
from eunoe.cli.app import App, group
from eunoe.cli.asking import ask, given, require_thread
from eunoe.cli.audit_view import Seen
from eunoe.cli.connect import look, settings_of
from eunoe.cli.output import console, emit_line
from eunoe.cli.pages import emit_page
from eunoe.cli.whole_file import WholeFile
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Stored, SystemClock
from eunoe.runtime.session import Session
from eunoe.schemas import records, subjects
from eunoe.schemas.errors import EunoeError, Invalid

RECORD = b'{"subject"'  # how a line of an export begins that holds a record
Thread = Annotated[str | None, typer.Argument(metavar="THREAD", help="Only this thread.", show_default=False)]


def register(app: App) -> None:
    audit = group(app, "audit", "The log itself: follow it, check it, anchor it, take it away.")
    audit.command("tail", epilog="Example: eunoe audit tail builder --follow")(tail)
    audit.command("verify", epilog="Example: eunoe audit verify backup.jsonl")(verify)
    audit.command("anchor", epilog="Example: eunoe audit anchor >> roots.txt")(anchor)
    audit.command("export", epilog="Example: eunoe audit export --out backup.jsonl")(export)


def tail(
    ctx: typer.Context,
    thread: Thread = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what comes, until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", metavar="N", min=0, help="Records to begin with.")] = 20,
) -> None:
    """Print the last records of the log, each in short.

    With --json each is a JSON document on a line of its own.
    """
    look(ctx, _tail, ctx, given(thread, "thread"), lines, follow)


def verify(
    ctx: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="An export to check, instead of the live log.")
    ] = None,
    thread: Annotated[str | None, typer.Option(metavar="THREAD", help="Only this thread.")] = None,
    root: Annotated[
        str | None, typer.Option(metavar="ROOT", help="A root that `eunoe audit anchor` printed, kept elsewhere.")
    ] = None,
) -> None:
    """Check that nothing was changed or lost; exit with 1 if it was.

    The live log is checked for its chains of hashes and its gaps, and against what is kept outside of it: the
    anchors, and the receipts of clients on this machine. With --root it is also checked that the anchors are the
    ones that led to that root, so that nobody has rewritten them together with the log.
    """
    only, kept = given(thread, "thread"), audit_checks.root_given(root)
    if file and kept:
        raise Invalid("--root checks the anchors of the live log, and an export has none of them; give one of the two")
    if file:
        found, what = audit_checks.exported(file, only), str(file)
    else:
        settings = settings_of(ctx)
        found, what = look(ctx, audit_checks.live, only, kept), f"the log of space {settings.space}"
    emit_page(ctx, found, lambda verdict, width: audit_view.verdict(verdict, what))
    if not found.fine:
        raise typer.Exit(1)


def anchor(ctx: typer.Context) -> None:
    """Write down, outside the store, how far every thread is now."""
    emit_page(ctx, look(ctx, _anchor), lambda made, width: audit_view.anchor(made))


def export(
    ctx: typer.Context,
    thread: Thread = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="File to write, whole or not at all.")] = None,
) -> None:
    """Write the log, or one thread, to keep it elsewhere.

    It is JSON lines, with --json and without. They verify without a server (`eunoe audit verify FILE`) and can be
    imported again.
    """
    count = look(ctx, _export, given(thread, "thread"), out)
    if out:
        console(ctx, stderr=True).print(f"{count:,} records in {out}", soft_wrap=True)


async def _tail(session: Session, ctx: typer.Context, thread: str, lines: int, follow: bool) -> None:
    if thread and not follow:
        await require_thread(session, thread)
    filters = [subjects.chain_filter(session.space, subjects.thread_chain(thread))] if thread else []
    position = 0
    for stored in await _last(session, filters, lines):
        position = stored.seq
        emit_line(ctx, _seen(stored), audit_view.record_line)
    if not follow:
        return
    start = max(position, (await session.store.log.info()).last if not position else 0) + 1
    async for stored in session.store.log.follow(filters, start=start):
        emit_line(ctx, _seen(stored), audit_view.record_line)


async def _last(session: Session, filters: list[str], lines: int) -> list[Stored]:
    log = session.store.log
    start = 1 if filters else max(1, (await log.info()).last - lines + 1)
    newest: deque[Stored] = deque(maxlen=lines)
    async for stored in log.scan(filters, start=start):
        newest.append(stored)
    return list(newest)


async def _anchor(session: Session) -> Anchor:
    return await ask(session, "anchor", {}, Anchor)


async def _export(session: Session, thread: str, out: Path | None) -> int:
    await session.store.log.info()  # so that nothing is written of a space that is not there
    if thread:
        await require_thread(session, thread)
    lines = export_lines(session.store, SystemClock().now(), thread)
    if out is None:
        return await _copy(lines, sys.stdout.buffer.write)
    with WholeFile(out) as file:
        return await _copy(lines, file.write)


def _seen(stored: Stored) -> Seen:
    try:
        return audit_view.seen(records.read(stored.seq, stored.data))
    except EunoeError as error:
        return Seen(position=stored.seq, chain=subjects.chain_of(stored.subject), error=str(error))


async def _copy(lines: AsyncIterator[bytes], write: Callable[[bytes], object]) -> int:
    """Write every line; returns how many of them are records."""
    count = 0
    async with closing(lines) as found:
        async for line in found:
            write(line)
            count += line.startswith(RECORD)
    return count
