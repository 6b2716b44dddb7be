"""What an erasure would take, and what it took, as people read it. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.schemas.erasures import EraseReply, ErasureCounts

_FACTS = 8  # ids of facts that are named


def planned(reply: EraseReply, width: int) -> Iterator[Text]:
    """What would go, what stays, and what cannot be reached."""
    if reply.state == "nothing":
        yield Text(f"nothing to erase: there is nothing of {clean(reply.words)}, or nothing left")
        return
    yield Text(f"to erase: {clean(reply.words)}", style="bold")
    yield from _what(reply)


def progress(reply: EraseReply) -> str:
    """How far an erasure is, on one line."""
    if reply.waiting:
        return f"waits: {clean(reply.waiting)}"
    if reply.removed < reply.counts.records:
        return f"overwriting: {reply.removed:,} of {words.count(reply.counts.records, 'record')}"
    return "making the facts again without it"


def erased(reply: EraseReply, width: int) -> Iterator[Text]:
    """The receipt."""
    match reply.state:
        case "nothing":
            yield from planned(reply, width)
            return
        case "running":
            yield Text(f"not all is erased yet of {clean(reply.words)}; it goes on by itself", style="bold yellow")
            if reply.waiting:
                yield Text(f"waits: {clean(reply.waiting)}")
        case _:
            yield Text(f"erased for good: {clean(reply.words)}", style="bold green")
    yield from _what(reply)
    yield Text(f"the log has it as erasure {reply.id}", style="dim")


def _what(reply: EraseReply) -> Iterator[Text]:
    yield Text("  " + ", ".join(_counted(reply.counts)))
    counts = reply.counts
    places = [words.count(counts.threads, "thread")] if counts.threads else []
    places += [words.count(counts.books, "book")] if counts.books else []
    yield Text(f"  in {words.count(counts.records, 'record')} of {' and '.join(places)}")
    if reply.facts:
        yield Text(f"  facts: {words.listed(reply.facts, _FACTS)}")
    for one in reply.stays:
        yield Text(f"  stays: {clean(one)}, from which it came; erase that too where it says the same")
    yield Text("out of reach of any erasure:")
    for one in reply.out_of_reach:
        yield Text(f"  {one}")


def _counted(counts: ErasureCounts) -> Iterator[str]:
    named = (
        (counts.entries, "entry", "entries"),
        (counts.facts, "assertion of a fact", "assertions of facts"),
        (counts.acts, "act on facts", "acts on facts"),
        (counts.contexts, "stored context", ""),
        (counts.summaries, "version of a summary", "versions of a summary"),
        (counts.other, "note of memory's own", "notes of memory's own"),
        (counts.pieces, "piece of large content", "pieces of large content"),
        (counts.letters, "dead letter", ""),
    )
    for number, what, many in named:
        if number:
            yield words.count(number, what, many)
    yield words.size(counts.bytes)
