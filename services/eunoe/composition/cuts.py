"""Cuts: blocks of a reply that only copy a tool output of the same turn.

A block is a fenced piece of code or a paragraph. It is a copy when its words, after formatting is taken
away (line numbers, quote marks, fences, the pipes and rules of a table, white space), stand in the output in the
same order without a gap. Numbers that both have are no formatting, and must be the same. An edited copy is not
one, and stays. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from eunoe.composition import contents
from eunoe.composition.contents import Item
from eunoe.schemas import limits
from eunoe.schemas.events import ToolResult

Span = tuple[int, int, int]

_FENCE = re.compile(r"[ \t]*(`{3,}(?!.*`)|~{3,})")
_NUMBER = re.compile(r"\s*(\d{1,6})(?:\t|:\s?|\s?[|│→]\s?|\s{2,})")
_RULE = re.compile(r"\s*(?:[|:+=\-][\s|:+=\-]{2,})?\Z")
_ROW = re.compile(r"\s*\|.*\|\s*\Z")
_QUOTE = re.compile(r"\s*(?:>\s?)+")


PROMPT = "$ "  # begins a line that shows what was typed


@dataclass(frozen=True, slots=True)
class _Block:
    """A part of a reply, in characters, its words, and those without line numbers where every line has one."""

    start: int
    end: int
    words: tuple[str, ...]
    plain: tuple[str, ...]


class Source:
    """An output as it is compared: its words as text, with and without line numbers. Most replies copy nothing, so
    these are made only where one could."""

    def __init__(self, entry: int, parts: Sequence[str]) -> None:
        self.entry = entry
        self._parts = parts

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(_joined(_words(part.splitlines(), numbered=False)) for part in self._parts)

    @cached_property
    def plain(self) -> tuple[str, ...]:
        return tuple(_joined(_words(part.splitlines(), numbered=True)) for part in self._parts)

    def lacks(self, words: Sequence[str]) -> bool:
        """Whether these words surely stand in neither: formatting is only ever taken away, so a word of the output as
        it is compared stands in the output as it is."""
        return not any(all(word in part for word in words) for part in self._parts)


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
    blocks = list(_blocks(reply))
    at = 0
    while at < len(blocks):
        run = _run(blocks, at, sources)
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


def _run(blocks: Sequence[_Block], at: int, sources: Sequence[Source]) -> tuple[int, int] | None:
    """The longest run of blocks from ``at`` that copies one output: where it stops, and the entry."""
    best: tuple[int, int] | None = None
    for one in sources:
        stop, words = max(_reach(blocks, at, one, plain=plain) for plain in (False, True))
        if words >= limits.CUT_WORDS and (best is None or stop > best[0]):
            best = (stop, one.entry)
    return best


def _reach(blocks: Sequence[_Block], at: int, one: Source, *, plain: bool) -> tuple[int, int]:
    """How far the blocks from ``at`` on copy one output, and how many words those have; ``plain`` takes line numbers
    from them, else from the output where that has any."""
    words: list[str] = []
    stop = at
    while stop < len(blocks):
        more = blocks[stop].plain if plain else blocks[stop].words
        if not more or one.lacks(more):
            break
        joined = _joined([*words, *more])
        if not any(joined in text for text in (one.texts if plain else (*one.texts, *one.plain))):
            break
        words += more
        stop += 1
    return stop, len(words)


def _joined(words: Iterable[str]) -> str:
    return f" {' '.join(words)} "


def _words(lines: Iterable[str], *, numbered: bool) -> tuple[str, ...]:
    found: list[str] = []
    for line in lines:
        if _RULE.match(line):
            continue
        if numbered:
            line = _NUMBER.sub("", line, count=1) if _NUMBER.match(line) else line
        line = line.replace("|", " ") if _ROW.match(line) else _unquoted(line)
        found += () if _FENCE.match(line) else line.split()
    return tuple(found)


def _unquoted(line: str) -> str:
    found = _QUOTE.match(line)
    return line[found.end() :] if found else line


def _blocks(reply: str) -> Iterable[_Block]:
    """Fenced blocks and paragraphs, in order. A fence is part of its block, but where the block begins with what was
    typed at a prompt: that is the reply's own, so it stays, and its fence with it."""
    start, fence, at, last, typed = -1, "", 0, 0, False
    lines: list[str] = []
    for raw in reply.splitlines(keepends=True):
        line, opens = raw.rstrip("\r\n"), _FENCE.match(raw)
        if fence and _closes(line.strip(), fence):
            yield from _apart(start, last, lines) if typed else (_block(start, at + len(line), lines),)
            start, lines, fence, typed = -1, [], "", False
        elif fence and not lines and line.lstrip().startswith(PROMPT):
            start, typed = at + len(raw), True
        elif fence:
            lines.append(line)
        elif opens or not line.strip():
            if lines:
                yield _block(start, last, lines)
            start, lines, fence = (at, [], opens[1]) if opens else (-1, [], "")
        else:
            start = at if start < 0 else start
            lines.append(line)
        last = at + len(line)
        at += len(raw)
    if lines:
        yield from _apart(start, len(reply.rstrip()), lines) if typed else (_block(start, len(reply.rstrip()), lines),)


def _apart(start: int, end: int, lines: Sequence[str]) -> Iterable[_Block]:
    """A block that is cut alone or not at all: what stands before it and after it says nothing that could be copied."""
    yield from (_block(start, start, ()), _block(start, end, lines), _block(end, end, ()))


def _closes(line: str, fence: str) -> bool:
    """Whether a line ends a fenced block: a fence of the same kind, and at least as long."""
    return line.startswith(fence) and not line.strip(fence[0])


def _block(start: int, end: int, lines: Sequence[str]) -> _Block:
    plain = _words(lines, numbered=True) if _counts(lines) else ()
    return _Block(start, end, _words(lines, numbered=False), plain)


def _counts(lines: Iterable[str]) -> bool:
    """Whether the lines that say anything are numbered one after the other."""
    found = [_NUMBER.match(line) for line in lines if line.strip()]
    numbers = [int(one[1]) for one in found if one]
    return len(numbers) == len(found) > 0 and numbers == [numbers[0] + at for at in range(len(numbers))]
