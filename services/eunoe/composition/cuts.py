"""Cuts: blocks of a reply that only copy a tool output of the same turn.

A block is a copy when its words, after formatting is taken away, stand in the output in the same order without a gap.
Numbers that both have are no formatting, and must be the same. An edited copy is not one, and stays. Pure.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from eunoe.composition import contents, plain_words, reply_blocks
from eunoe.composition.contents import Item
from eunoe.composition.reply_blocks import Block
from eunoe.schemas import limits
from eunoe.schemas.events import ToolResult

Span = tuple[int, int, int]

SMALL = 4_096  # characters of an output in which a word is looked for as it is, sooner than its words are told apart
WORK = 1 << 27  # characters that are compared for one reply at most, some tenths of a second
READYING = 128  # what a character of an output counts for there when its words are told apart: 1 MiB of outputs in all


class Source:
    """An output as it is compared: its words as text, with and without line numbers. Most replies copy nothing, so
    these are made only where one could."""

    def __init__(self, entry: int, parts: Sequence[str]) -> None:
        self.entry = entry
        self._parts = parts

    @property
    def size(self) -> int:
        """Characters of it as it is."""
        return sum(map(len, self._parts))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(_joined(plain_words.words(part.splitlines(), numbered=False)) for part in self._parts)

    @cached_property
    def plain(self) -> tuple[str, ...]:
        return tuple(_joined(plain_words.words(part.splitlines(), numbered=True)) for part in self._parts)

    def lacks(self, words: Sequence[str]) -> bool:
        """Whether these words surely stand in neither: formatting is only ever taken away, so a word of the output as
        it is compared stands in the output as it is."""
        if self.size <= SMALL:
            return not any(all(word in part for word in words[: limits.CUT_WORDS]) for part in self._parts)
        return not self._known.issuperset(words)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(word for text in (*self.texts, *self.plain) for word in text.split())


@dataclass(slots=True)
class _Search:
    """Looks for words in outputs, until so many characters of these were looked through that a reply is not worth
    more: what is left of it then stays as it is."""

    left: int = WORK
    _ready: set[int] = field(default_factory=set)

    def affords(self, one: Source) -> bool:
        """Whether an output is still worth being made ready; that counts once for a reply, whatever other replies
        had of it."""
        if one.size > SMALL and one.entry not in self._ready:
            self._ready.add(one.entry)
            self.left -= READYING * one.size
        return self.left > 0

    def found(self, words: Sequence[str], texts: Iterable[str]) -> bool:
        joined = _joined(words)
        for text in texts:
            self.left -= len(text) + len(joined)
            if self.left < 0:
                return False
            if joined in text:
                return True
        return False


def source(item: Item) -> Source:
    """An output of the turn, made ready for comparing."""
    parts = [contents.said(item.event)]
    if item.event.blob is not None:
        parts.append(contents.tail(item.event))
    return Source(item.event.entry, parts)


def cuts(reply: str, sources: Sequence[Source]) -> tuple[Span, ...]:
    """The spans ``(start, end, entry)`` of ``reply``, in characters, that copy one of the outputs."""
    found: list[Span] = []
    if len(reply.split()) < limits.CUT_WORDS:
        return ()
    blocks = list(reply_blocks.blocks(reply))
    at, search = 0, _Search()
    while at < len(blocks) and search.left > 0:
        run = _run(blocks, at, sources, search)
        if run is None:
            at += 1
            continue
        stop, entry = run
        found.append((blocks[at].start, blocks[stop - 1].end, entry))
        at = stop
    return tuple(found)


def apply(reply: str, spans: Iterable[Span], tools: dict[int, str]) -> str:
    """The reply with each span replaced by the marker that names the output."""
    parts, at = [], 0
    for start, end, entry in spans:
        parts += [reply[at:start], f"(showed the person the {tools.get(entry, 'tool')} output, entry {entry})"]
        at = end
    return "".join([*parts, reply[at:]])


def is_source(item: Item) -> bool:
    return isinstance(item.event, ToolResult) and len(item.event.content) + bool(item.event.blob) > 0


def _run(blocks: Sequence[Block], at: int, sources: Sequence[Source], search: _Search) -> tuple[int, int] | None:
    """The longest run of blocks from ``at`` that copies one output: where it stops, and the entry."""
    best: tuple[int, int] | None = None
    for one in sources:
        stop = max(_reach(blocks, at, one, search, plain=plain) for plain in (False, True))
        if stop > (best[0] if best else at):
            best = (stop, one.entry)
        if stop == len(blocks):  # no other output copies more
            break
    return best


def _reach(blocks: Sequence[Block], at: int, one: Source, search: _Search, *, plain: bool) -> int:
    """Where the longest run of blocks from ``at`` stops that copies one output, ``at`` where none of enough words does;
    ``plain`` takes line numbers from the blocks, else from the output where that has any.

    Where some blocks are no copy more of them are none either, so the first that are enough are looked for, then twice
    as many again and again, and then where between the last two it ends.
    """

    def words(stop: int) -> list[str]:
        return [word for block in blocks[at:stop] for word in (block.plain if plain else block.words)]

    def copies(stop: int) -> bool:
        new = [block.plain if plain else block.words for block in blocks[at:stop]]
        if not all(new) or not search.affords(one) or any(map(one.lacks, new)):
            return False
        return search.found(words(stop), one.texts if plain else (*one.texts, *one.plain))

    low = _enough(blocks, at, plain=plain)
    if not low or not copies(low):
        return at
    step = 1
    while low + step <= len(blocks) and copies(low + step):
        low, step = low + step, step * 2
    high = min(low + step, len(blocks) + 1)
    return low + bisect_left(range(low + 1, high), True, key=lambda stop: not copies(stop))


def _enough(blocks: Sequence[Block], at: int, *, plain: bool) -> int:
    """Where the first blocks from ``at`` stop that have words enough for a copy, 0 where there are none."""
    count = 0
    for stop in range(at, len(blocks)):
        more = blocks[stop].plain if plain else blocks[stop].words
        if not more:
            return 0
        count += len(more)
        if count >= limits.CUT_WORDS:
            return stop + 1
    return 0


def _joined(words: Iterable[str]) -> str:
    return f" {' '.join(words)} "
