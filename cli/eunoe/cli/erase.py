"""`eunoe erase`: removing content for good."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated

import typer

from eunoe.cli import erase_view
from eunoe.cli.app import App
from eunoe.cli.asking import ask, gate, given
from eunoe.cli.confirming import confirm
from eunoe.cli.connect import look, run
from eunoe.cli.output import console
from eunoe.cli.pages import emit_page
from eunoe.client import erasing
from eunoe.client.erasing import Numbers
from eunoe.runtime.session import Session
from eunoe.schemas import ids, subjects
from eunoe.schemas.erasures import EraseReply, ErasureTarget
from eunoe.schemas.errors import Invalid, NotFound
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactReply, FactRequest

Say = Callable[[EraseReply], None]

_ENTRY = re.compile(r"(?P<thread>.+)#(?P<entries>[0-9]+(-[0-9]+)?)", re.DOTALL)
_FACT = re.compile(rf"f[a-z2-7]{{{subjects.INDEX_PREFIX - 1},10}}")
_RANGE = re.compile(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?", re.ASCII)
_OWNED: dict[str, Scope] = {"permanent": "permanent", "session": "session"}


def register(app: App) -> None:
    app.command("erase", epilog="Example: eunoe erase 'builder#12' --reason 'a key was pasted'")(erase)


def erase(
    ctx: typer.Context,
    what: Annotated[
        str | None, typer.Argument(metavar="WHAT", help="A fact's id, THREAD#ENTRY or THREAD#FIRST-LAST, or a thread.")
    ] = None,
    thread: Annotated[str | None, typer.Option(metavar="THREAD", help="A thread, whatever its id looks like.")] = None,
    entry: Annotated[
        list[str] | None, typer.Option(metavar="N[-M]", help="Only these entries of it; may be repeated.")
    ] = None,
    turn: Annotated[
        list[str] | None, typer.Option(metavar="N[-M]", help="Only these turns of it; may be repeated.")
    ] = None,
    owner: Annotated[str | None, typer.Option(metavar="OWNER", help="All facts of an agent, or of a session.")] = None,
    scope: Annotated[str, typer.Option(metavar="SCOPE", help="Of --owner: permanent or session.")] = "permanent",
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why; it stays in the log.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Erase a fact, entries, or a whole thread for good.

    Their content goes from the log, from facts and contexts, and from the files of the store; their place and the
    proof that the log is whole stay. To hide a fact and keep its history, delete it instead.
    """
    asked = _target(ctx, what, thread, entry or [], turn or [], owner, scope)
    if not dry_run and not (reason or "").strip():
        raise Invalid("say why with --reason; it stays in the log, so leave out what is to be erased")
    if dry_run or not yes:
        planned = look(ctx, _plan, asked)
        if dry_run or planned.state == "nothing":
            emit_page(ctx, planned, erase_view.planned)
            return
        _confirm(ctx, planned)
    emit_page(ctx, run(ctx, _erase, asked, reason or "", _progress(ctx)), erase_view.erased)


def _progress(ctx: typer.Context) -> Say:
    """Says on standard error how far it is, when that changes."""
    err = console(ctx, stderr=True)
    said: set[str] = set()

    def say(reply: EraseReply) -> None:
        line = erase_view.progress(reply)
        if line not in said:
            said.add(line)
            err.print(line, soft_wrap=True)

    return say


def _confirm(ctx: typer.Context, planned: EraseReply) -> None:
    """Ask, where somebody can answer."""
    confirm(
        ctx,
        "Erase all of it for good?",
        lambda width: erase_view.planned(planned, width),
        "nobody can be asked here whether to erase; add --yes, or look first with --dry-run",
    )


def _target(
    ctx: typer.Context,
    what: str | None,
    thread: str | None,
    entry: list[str],
    turn: list[str],
    owner: str | None,
    scope: str,
) -> ErasureTarget:
    if [what is not None, thread is not None, owner is not None].count(True) != 1:
        raise Invalid("name one thing to erase: WHAT, --thread THREAD, or --owner OWNER")
    if owner is not None:
        if scope not in _OWNED or entry or turn:
            raise Invalid("an owner's facts are permanent ones or a session's, and have no entries or turns")
        return erasing.target(owner=given(owner, "owner"), scope=_OWNED[scope])
    entries, turns = [_numbers(one) for one in entry], [_numbers(one) for one in turn]
    if what is None:
        return erasing.target(thread=thread, entries=entries, turns=turns)
    found = _ENTRY.fullmatch(what)
    if found:
        return erasing.target(thread=found["thread"], entries=[_numbers(found["entries"]), *entries], turns=turns)
    if not _FACT.fullmatch(what):
        return erasing.target(thread=what, entries=entries, turns=turns)
    fact = look(ctx, _named, what)
    if fact and (entries or turns):
        raise Invalid(f"{what!r} is a fact, which has no entries or turns; a thread of that name is --thread {what}")
    return erasing.target(fact=fact) if fact else erasing.target(thread=what, entries=entries, turns=turns)


def _numbers(text: str) -> Numbers:
    found = _RANGE.fullmatch(text)
    if not found or int(found[2] or found[1]) < int(found[1]):
        raise Invalid(f"{text!r} is no number, and no range like 3-7; they count from 1")
    return int(found[1]), int(found[2] or found[1])


async def _named(session: Session, beginning: str) -> str:
    """The whole id of the fact that begins so, empty where there is none and it is a thread's name."""
    head = await gate(session).head(subjects.thread_chain(ids.check(beginning, "fact")))
    try:
        history = await ask(session, "fact", FactRequest(id=beginning), FactReply)
    except NotFound:
        if head.record:
            return ""
        if not await erasing.in_log(gate(session), beginning):
            raise NotFound(
                f"there is no fact {beginning} here; "
                "one of a preview, or of a session that ended, is erased by its whole id"
            ) from None
        return beginning
    if head.record:
        raise Invalid(f"{beginning!r} is both a fact and a thread; give the fact's whole id, or --thread {beginning}")
    return next((one.id for one in history.versions if one.id.startswith(beginning)), history.versions[-1].id)


async def _plan(session: Session, asked: ErasureTarget) -> EraseReply:
    return await erasing.plan(gate(session), asked)


async def _erase(session: Session, asked: ErasureTarget, reason: str, say: Say) -> EraseReply:
    return await erasing.erase(gate(session), asked, reason, told=say)
