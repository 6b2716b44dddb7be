"""Why a fact is known and in force, as people read it. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from eunoe.cli import ways_back, words
from eunoe.cli.fact_view import ended, named
from eunoe.cli.facts_view import heading
from eunoe.cli.output import clean
from eunoe.schemas.requests import Evidence, FactView, Use, WhyReply

USES = 10  # requests that are listed


def why(reply: WhyReply, width: int) -> Iterator[RenderableType]:
    """The fact, the rule by which it is what it is, where it came from, and which requests it reached."""
    fact = reply.fact
    yield Text(clean(named(fact.identity)), style="bold")
    yield Text(clean(heading(fact.identity)), style="dim")
    yield Text(words.one_line(fact.value, width), style="bold")
    yield Text(f"{fact.id}, version {fact.version}, {clean(ended(fact))}")
    yield Text()
    yield Text("why: ", style="bold").append(clean(reply.because), style="not bold")
    if fact.replaces:
        yield _within(Text(f"{'takes away' if fact.removes else 'in place of'} {fact.replaces}"))
    for other in fact.others:
        yield _within(Text(f"disagrees: {clean(other)}", style="yellow"))
    yield Text()
    yield from _origins(reply, width)
    yield Text()
    yield from _uses(reply)
    yield Text(f"every version: {ways_back.history(fact)}", style="dim")


def place(found: Evidence) -> str:
    """``thread builder, turn 2, entry 12 (result of bash), bytes 120 to 140 of 14,336``."""
    parts = [f"thread {found.thread}"] if found.thread else []
    parts += [f"turn {found.turn}"] if found.turn else []
    if found.entry:
        parts.append(f"entry {found.entry} ({_kind(found)})")
    if found.end > found.start:
        parts.append(f"bytes {found.start:,} to {found.end:,} of {found.size:,}")
    elif not found.entry:
        parts.append(f"stated at position {found.position} of the log")
    return ", ".join(parts)


def _origins(reply: WhyReply, width: int) -> Iterator[RenderableType]:
    yield Text("where it came from", style="bold")
    if not reply.evidence:
        yield _within(Text(clean(f"{reply.fact.from_text}, at position {reply.fact.position} of the log")))
    for found in reply.evidence:
        yield _within(Text(clean(place(found))))
        if found.missing:
            yield _within(Text(clean(found.missing), style="yellow"))
        elif found.entry and not found.literal:
            yield _within(Text("the value is not there in these words; it was made of what is said", style="dim"))
        for line in found.text.splitlines():
            yield Text("  │ " + words.one_line(line, width - 4), style="cyan")
        if found.entry:
            yield _within(Text(f"whole: eunoe show {shlex.quote(clean(found.thread))} {found.entry}", style="dim"))
    for cited in reply.cited:
        yield _within(Text(clean(_cited(cited))))


def _cited(fact: FactView) -> str:
    return f"from the fact {fact.id} ({heading(fact.identity)}): {fact.value} — from {fact.from_text}"


def _uses(reply: WhyReply) -> Iterator[RenderableType]:
    if reply.unread:
        yield Text(f"the log is too long for one look: not read from position {reply.unread:,} on", style="yellow")
    if not reply.uses:
        yield Text("no request has read it yet")
        return
    shown = reply.used[:USES]
    more = f", the newest {len(shown)} of them" if len(shown) < reply.uses else ""
    yield Text(f"read in {words.count(reply.uses, 'request')}{more}", style="bold")
    yield from (_within(Text(_use(use))) for use in shown)


def _use(use: Use) -> str:
    thread = clean(use.thread)
    return f"thread {thread}, turn {use.turn}: eunoe context {shlex.quote(thread)} {use.turn}"


def _kind(found: Evidence) -> str:
    said = {"tool.call": "call", "tool.result": "result"}.get(found.kind, found.kind)
    return f"{said} of {found.tool}" if found.tool else said


def _within(item: Text) -> Padding:
    return Padding(item, (0, 0, 0, 2), expand=False)
