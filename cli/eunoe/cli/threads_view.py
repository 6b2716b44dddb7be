"""Threads and their entries as people read them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.schemas.requests import Shown, ShowReply, ThreadsReply, ThreadState

_NUMBERS = "{:>6}{:>9}{:>9}  {:<16}"
_NUMBERS_WIDTH = 42  # columns of the line above
_PREVIEW_AT = 21  # columns before what an entry says
MORE = "more follow: add --cursor {}"


def threads(reply: ThreadsReply, width: int) -> Iterator[Text]:
    """Two lines a thread: its id with its figures, then who worked in it and what it began with; and a third where
    facts of some of its turns are missing."""
    head = _NUMBERS.format("turns", "entries", "size", "changed (UTC)").rstrip()
    yield Text(_beside("thread", head, width), style="bold")
    for state in reply.threads:
        yield Text(_beside(clean(state.thread), _figures(state), width).rstrip())
        yield Text("  " + words.one_line(_about(state), width - 2), style="dim")
        if said := missing(state):
            yield Text("  " + words.one_line(said, width - 2), style="yellow")
    if not reply.threads:
        yield Text("no threads yet; `eunoe import FILE` brings a transcript in")
    if reply.cursor:
        yield Text(MORE.format(reply.cursor), style="dim")


def entries(thread: str, reply: ShowReply, width: int) -> Iterator[Text]:
    """A line for each entry, under a line for each turn."""
    yield Text(f"thread {clean(thread)}: {words.count(reply.total, 'entry', 'entries')}", style="bold")
    turn = None
    for shown in reply.entries:
        if shown.turn != turn:
            turn = shown.turn
            yield Text()
            yield Text(words.one_line(turn_line(shown), width), style="bold")
        yield entry(shown, width)
        for line in attached(shown):
            yield Text(" " * _PREVIEW_AT + words.one_line(line, width - _PREVIEW_AT), style="dim")
    if reply.more:
        yield Text(f"more follow: add --after {reply.entries[-1].entry}", style="dim")


def turn_line(shown: Shown) -> str:
    """``turn 3 · committed · 2026-01-31 09:05 · agent builder · session s1``."""
    if not shown.turn:
        return "before the first turn"
    parts = [f"turn {shown.turn}", shown.state, words.day(shown.time)]
    parts += [f"agent {shown.agent}"] if shown.agent else []
    parts += [f"session {shown.session}"] if shown.session else []
    return " · ".join(parts)


def entry(shown: Shown, width: int) -> Text:
    """Number, kind, and the beginning of what it says."""
    made = Text(f"{shown.entry:>5}  ").append(f"{shown.kind:<12}  ", style=_STYLES.get(shown.kind, ""))
    return made.append(words.one_line(_says(shown), width - _PREVIEW_AT))


def attached(shown: Shown) -> Iterator[str]:
    """What is attached to an entry, a line each."""
    yield from (f"attached: {described}" for described in shown.attachments)


def heading(thread: str, shown: Shown) -> str:
    """What stands above an entry's content on a terminal."""
    parts = [f"thread {clean(thread)}", f"entry {shown.entry}", shown.kind]
    parts += [clean(shown.tool)] if shown.tool else []
    parts += [outcome(shown)] if shown.kind == "tool.result" else []
    parts += [f"turn {shown.turn} ({shown.state})"] if shown.turn else []
    return " · ".join([*parts, words.size(shown.size), words.day(shown.time)])


def outcome(shown: Shown) -> str:
    """``ok``, ``failed``, or the exit status where the tool said one."""
    return shown.status if shown.exit_status is None else f"exit status {shown.exit_status}"


_STYLES: dict[str, str] = {
    "prompt": "magenta",
    "response": "green",
    "tool.call": "cyan",
    "tool.result": "blue",
    "instructions": "yellow",
}


def _says(shown: Shown) -> str:
    if shown.kind == "tool.call":
        return f"{shown.tool} {shown.content}"
    if shown.kind == "tool.result":
        parts: Sequence[str] = [part for part in (shown.tool, outcome(shown), words.size(shown.size)) if part]
        return f"{', '.join(parts)}: {shown.content}"
    return shown.content or ("(thinking only)" if shown.thinking else "(empty)")


def _figures(state: ThreadState) -> str:
    return _NUMBERS.format(
        f"{state.turns:,}", f"{state.entries:,}", words.size(state.bytes), words.day(state.changed)
    ).rstrip()


def _about(state: ThreadState) -> str:
    who = words.listed(state.agents)
    return f"{who}: {state.title}" if who and state.title else who or state.title or "no prompt yet"


def missing(state: ThreadState) -> str:
    """Of how many turns extraction or distilling failed, of those newest that are known; nothing where none did."""
    undistilled = sum(last - first + 1 for first, last, _ in state.undistilled)
    parts = [f"{words.count(len(state.failed), 'turn')} not wholly extracted"] if state.failed else []
    parts += [f"{words.count(undistilled, 'turn')} not distilled"] if undistilled else []
    return f"{', '.join(parts)}; --json says why" if parts else ""


def _beside(left: str, right: str, width: int) -> str:
    """``right`` at the right edge: on the same line where it fits, else on a line of its own."""
    start = width - _NUMBERS_WIDTH
    if cell_len(left) < start:
        return f"{left}{' ' * (start - cell_len(left))}{right}"
    return f"{left}\n{' ' * start}{right}"
