"""One way to read any transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from eunoe.client.importing import claude_code, eunoe, openai, swe_agent
from eunoe.client.importing.detect import inspect
from eunoe.client.importing.model import Format, Item
from eunoe.client.importing.source import Source

READERS: dict[Format, Callable[..., Iterator[Item]]] = {
    "openai": openai.read,
    "claude_code": claude_code.read,
    "swe_agent": swe_agent.read,
    "eunoe": eunoe.read,
}


def read(path: str | Path, format: Format | None = None) -> Iterator[Item]:  # noqa: A002 - the word of the CLI
    """The turns of a file with everything that was strange about it; raises `Invalid` for no transcript."""
    return read_source(Source(Path(path)), format)


def read_source(source: Source, expected: Format | None = None) -> Iterator[Item]:
    shape = inspect(source, expected)
    return READERS[shape.format](source, lines=shape.lines)
