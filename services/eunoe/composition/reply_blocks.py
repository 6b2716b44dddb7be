"""The blocks of a reply, fenced pieces of code and paragraphs, with the words that may copy an output. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eunoe.composition.plain_words import FENCE, are_numbered, words

PROMPT = "$ "  # begins a line that shows what was typed


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a reply, in characters, its words, and those without line numbers where every line has one."""

    start: int
    end: int
    words: tuple[str, ...]
    plain: tuple[str, ...]


def blocks(reply: str) -> Iterable[Block]:
    """Fenced blocks and paragraphs, in order. A fence is part of its block, but where the block begins with what was
    typed at a prompt: that is the reply's own, so it stays, and its fence with it."""
    start, fence, at, last, typed = -1, "", 0, 0, False
    lines: list[str] = []
    for raw in reply.splitlines(keepends=True):
        line, opens = raw.rstrip("\r\n"), FENCE.match(raw)
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


def _apart(start: int, end: int, lines: Sequence[str]) -> Iterable[Block]:
    """A block that is cut alone or not at all: what stands before it and after it says nothing that could be copied."""
    yield from (_block(start, start, ()), _block(start, end, lines), _block(end, end, ()))


def _closes(line: str, fence: str) -> bool:
    """Whether a line ends a fenced block: a fence of the same kind, and at least as long."""
    return line.startswith(fence) and not line.strip(fence[0])


def _block(start: int, end: int, lines: Sequence[str]) -> Block:
    plain = words(lines, numbered=True) if are_numbered(lines) else ()
    return Block(start, end, words(lines, numbered=False), plain)
