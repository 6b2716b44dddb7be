"""`eunoe dead`: work that failed for good, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import typer

from eunoe.cli import dead_view
from eunoe.cli.app import App, group
from eunoe.cli.asking import ask, given
from eunoe.cli.confirming import confirm
from eunoe.cli.connect import look, run
from eunoe.cli.pages import emit_page
from eunoe.runtime.session import Session
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import DeadReply, DeadRequest, Letter

NumbersArgument = Annotated[
    list[int] | None,
    typer.Argument(metavar="NUMBER", min=1, help="Dead letters, by their numbers."),
]
AllOption = Annotated[bool, typer.Option("--all", help="All of them.")]
WorkerOption = Annotated[str | None, typer.Option(metavar="NAME", help="Only those of this worker.")]


def register(app: App) -> None:
    dead = group(app, "dead", "Work that failed for good: look at it, have it done again, or let go of it.")
    dead.command("list", epilog="Example: eunoe dead list --worker distillation")(list_)
    dead.command("show", epilog="Example: eunoe dead show 7")(show)
    dead.command("replay", epilog="Example: eunoe dead replay --all --worker distillation")(replay)
    dead.command("drop", epilog="Example: eunoe dead drop 7 9")(drop)


def list_(
    ctx: typer.Context,
    worker: WorkerOption = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=limits.LETTERS_SHOWN, help="Letters on a page.")] = 50,
    after: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Begin after this one.")] = 0,
) -> None:
    """List the dead letters, in the order in which they were laid aside."""
    request = DeadRequest(worker=given(worker, "worker"), limit=limit, after=after)
    emit_page(ctx, look(ctx, _ask, request), dead_view.listed)


def show(
    ctx: typer.Context,
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="A dead letter.")],
) -> None:
    """Show a dead letter whole: why it failed, and on what."""
    found = look(ctx, _ask, DeadRequest(action="show", numbers=(number,)))
    emit_page(ctx, found.letters[0], dead_view.shown)


def replay(
    ctx: typer.Context, numbers: NumbersArgument = None, every: AllOption = False, worker: WorkerOption = None
) -> None:
    """Have the work of dead letters done again.

    A letter goes once its work waits. What is done already is not done twice; what fails again is a dead letter
    of a new number.
    """
    _check(numbers, every, worker)
    meant = numbers or [letter.number for letter in look(ctx, _every, given(worker, "worker"))]
    emit_page(ctx, run(ctx, _act, "replay", meant), dead_view.done)


def drop(
    ctx: typer.Context,
    numbers: NumbersArgument = None,
    every: AllOption = False,
    worker: WorkerOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Let go of dead letters: what they are about stays undone."""
    _check(numbers, every, worker)
    letters = look(ctx, _named, numbers) if numbers else look(ctx, _every, given(worker, "worker"))
    if letters and not yes:
        confirm(
            ctx,
            f"Drop {'it' if len(letters) == 1 else f'these {len(letters):,}'}?",
            lambda width: dead_view.to_drop(letters, width),
            "nobody can be asked here whether to drop dead letters; add --yes, or look with `eunoe dead list`",
        )
    emit_page(ctx, run(ctx, _act, "drop", [letter.number for letter in letters]), dead_view.done)


def _check(numbers: Sequence[int] | None, every: bool, worker: str | None) -> None:
    """Raise `Invalid` unless dead letters are meant either by their numbers or with --all."""
    if bool(numbers) == every:
        raise Invalid("name dead letters by their numbers, or all of them with --all; `eunoe dead list` lists them")
    if numbers and worker is not None:
        raise Invalid("--worker goes with --all; dead letters that are named by their numbers need none")


async def _ask(session: Session, request: DeadRequest) -> DeadReply:
    return await ask(session, "dead", request, DeadReply)


async def _every(session: Session, worker: str) -> list[Letter]:
    """Every letter that there is now (of one worker)."""
    found: list[Letter] = []
    while True:
        after = found[-1].number if found else 0
        page = await _ask(session, DeadRequest(worker=worker, after=after))
        found += page.letters
        if not page.more:
            return found


async def _named(session: Session, numbers: Sequence[int]) -> list[Letter]:
    pages = [await _ask(session, DeadRequest(action="show", numbers=(number,))) for number in numbers]
    return [letter for page in pages for letter in page.letters]


async def _act(session: Session, action: Literal["replay", "drop"], numbers: Sequence[int]) -> list[Letter]:
    """Do it to letters, a page at a time; what became of each."""
    found: list[Letter] = []
    for page in _pages(numbers):
        found += (await _ask(session, DeadRequest(action=action, numbers=page))).letters
    return found


def _pages(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for start in range(0, len(numbers), limits.LETTERS_SHOWN):
        yield tuple(numbers[start : start + limits.LETTERS_SHOWN])
