"""The turns of a thread, and what each one's context changed. Pure."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator

from rich.text import Text

from eunoe.cli import bars, words
from eunoe.cli.output import clean
from eunoe.schemas.context import Layer
from eunoe.schemas.requests import TurnLine, TurnsReply

_KEY = " ".join([*(f"{letter} {name}" for name, letter in bars.LETTERS.items()), f"{bars.FREE} free"])
_AT = 11  # columns before what is said of a turn


def turns(thread: str, reply: TurnsReply, width: int, after: int = 0) -> Iterator[Text]:
    """A line a turn; under it its prompt, what its context took of the window, and a line for each change."""
    yield Text(f"thread {clean(thread)}", style="bold")
    if any(line.layers for line in reply.turns):
        yield Text(_KEY, style="dim")
    for line in reply.turns:
        yield from _turn(line, width)
    if any(not line.composed for line in reply.turns):
        yield Text()
        yield Text(
            f"What a turn without a context would have read: eunoe context {shlex.quote(thread)} TURN", style="dim"
        )
    if not reply.turns:
        yield Text(f"no turns after turn {after}" if after else "no turns yet")
    if reply.more:
        yield Text(f"more follow: add --after {reply.turns[-1].turn}", style="dim")


def _turn(line: TurnLine, width: int) -> Iterator[Text]:
    yield Text()
    yield Text(words.one_line(" · ".join(_facts_of(line)), width), style="bold")
    yield Text("  asked    " + words.one_line(line.prompt or "(nothing)", width - _AT))
    if line.composed:
        yield from _context(line, width)
    else:
        yield from _wrapped("context", "none was composed here", width)
    for change in line.changes:
        yield from _wrapped("changed", change, width)
    if line.facts == "pending":
        yield from _wrapped("facts", "what tools gave in it is not extracted yet", width)
    if line.facts == "failed":
        yield from _wrapped("facts", f"some of what tools gave in it could not be extracted: {line.failure}", width)


def _context(line: TurnLine, width: int) -> Iterator[Text]:
    """The last context of the turn: its figures, and its bar with what is in it."""
    parts = [f"{line.tokens:,} of {line.window:,} tokens"]
    parts += [name for name in (line.format, line.model) if name]
    parts += [f"the last of {line.contexts}"] if line.contexts > 1 else []
    parts += [f"{line.stable * 100 // line.bytes}% as before"] if line.before or line.stable else []
    yield from _wrapped("context", ", ".join(parts), width)
    layers = [Layer(name=name, tokens=line.layers[name]) for name in bars.LETTERS if name in line.layers]
    if layers:
        yield Text(" " * _AT).append_text(bars.bar(layers, line.window, width - _AT))


def _wrapped(name: str, what: str, width: int) -> Iterator[Text]:
    """What is said under a name, in as many lines as it takes."""
    for index, line in enumerate(textwrap.wrap(clean(what), max(width - _AT, 1))):
        yield Text(f"  {'' if index else name:<{_AT - 2}}{line}")


def _facts_of(line: TurnLine) -> Iterator[str]:
    yield f"turn {line.turn}"
    yield line.state
    yield words.day(line.time)
    if line.agent:
        yield line.agent
    if any(line.entries):
        yield f"{'entry' if line.entries[0] == line.entries[1] else 'entries'} {words.span(*line.entries)}"
