"""The turns of a thread, and what each one's context changed. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.schemas.requests import TurnLine, TurnsReply


def turns(thread: str, reply: TurnsReply, width: int) -> Iterator[Text]:
    """A line a turn; under it its prompt, what its context took of the window, and a line for each change."""
    yield Text(f"thread {clean(thread)}", style="bold")
    for line in reply.turns:
        yield from _turn(line, width)
    if not reply.turns:
        yield Text("no turns yet")
    if reply.more:
        yield Text(f"more follow: add --after {reply.turns[-1].turn}", style="dim")


def _turn(line: TurnLine, width: int) -> Iterator[Text]:
    yield Text()
    yield Text(words.one_line(" · ".join(_facts_of(line)), width), style="bold")
    yield Text("  asked    " + words.one_line(line.prompt or "(nothing)", width - 11))
    if line.composed:
        yield Text(f"  context  {line.tokens:,} of {line.window:,} tokens")
    for change in line.changes:
        yield Text("  changed  " + words.one_line(change, width - 11))


def _facts_of(line: TurnLine) -> Iterator[str]:
    yield f"turn {line.turn}"
    yield line.state
    yield words.day(line.time)
    if line.agent:
        yield line.agent
    if any(line.entries):
        yield f"entries {words.span(*line.entries)}"
