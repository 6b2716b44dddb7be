"""A thread's running summary as people read it. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from eunoe.cli import words
from eunoe.cli.distil_view import turns
from eunoe.cli.output import clean
from eunoe.cli.pages import verbatim
from eunoe.schemas import limits
from eunoe.schemas.requests import SummaryReply, SummaryVersion


def shown(reply: SummaryReply, width: int) -> Iterator[Text]:
    """The versions that were asked for, each with what it covers, and how many turns wait for the next one."""
    for one in reply.versions:
        yield Text(heading(one), style="bold")
        yield Text(covers(one), style="dim")
        yield verbatim(one.text)
        yield Text()
    yield Text(waiting(reply), style="dim")
    if reply.kept:
        yield Text(f"it was last left as it is: {clean(reply.kept)}", style="yellow")


def heading(one: SummaryVersion) -> str:
    """``version 3 by rules, 2026-01-31 09:05, 812 B``."""
    by = f"the model {clean(one.model)}" if one.model else one.by
    return f"version {one.version} by {by}, {words.day(one.at)}, {words.size(one.bytes)}"


def covers(one: SummaryVersion) -> str:
    """What it covers: turns, and entries where they are known; of many ranges the first ones and the last."""
    return f"covers {turns(one.turns)}" + (f" (entries {words.spans(one.entries)})" if one.entries else "")


def waiting(reply: SummaryReply) -> str:
    """How many committed turns are not in it."""
    turns_ = words.count(reply.waiting, "committed turn")
    if reply.versions:
        return f"{turns_} {'waits' if reply.waiting == 1 else 'wait'} for the next version"
    if not reply.waiting:
        return "no summary yet: no turn is committed that it could tell of"
    return (
        f"no summary yet of {turns_}: it is written once {limits.SUMMARY_BATCH} or more of them leave contexts, or now "
        "by `eunoe summarise THREAD`"
    )
