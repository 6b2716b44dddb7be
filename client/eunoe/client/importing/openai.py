"""OpenAI chat messages: one run, several, or JSONL of either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from eunoe.client import messages
from eunoe.client.importing import times
from eunoe.client.importing.model import Item, Problem
from eunoe.client.importing.source import Parsed, Source
from eunoe.client.importing.turns import Conversation
from eunoe.schemas.errors import Invalid

_TIMES = ("timestamp", "created_at", "created")


def read(source: Source, *, lines: bool = False) -> Iterator[Item]:
    """The turns of every run in the file. Runs of a file of several are told apart by their number."""
    if lines:
        yield from _lines(source.values())
        return
    document = source.whole()
    if isinstance(document, Problem):
        yield document
        return
    yield from _mended(document)
    runs = _runs(document.value)
    if len(runs) == 1:
        yield from _run(runs[0], "", document.line)
        return
    for number, run in enumerate(runs, 1):
        yield from (_said_of(f"run {number}", item) for item in _run(run, str(number), number))


def _lines(values: Iterator[Parsed | Problem]) -> Iterator[Item]:
    """JSONL: each line a message of one run, or each a run of its own, as the first readable line says."""
    seen: list[Parsed | Problem] = []
    for item in values:
        seen.append(item)
        if isinstance(item, Parsed) and _is_message(item.value):
            yield from _conversation(chain(seen, values))
            return
        if isinstance(item, Parsed) and _messages(item.value) is not None:
            yield from _numbered(chain(seen, values))
            return
    yield from (item if isinstance(item, Problem) else _no_message(item.line) for item in seen)


def _numbered(values: Iterable[Parsed | Problem]) -> Iterator[Item]:
    for number, item in enumerate(values, 1):
        if isinstance(item, Problem):
            yield item
            continue
        yield from _mended(item)
        if _messages(item.value) is None:
            yield _no_message(item.line)
            continue
        yield from (_at(item.line, found) for found in _run(item.value, str(number), item.line))


def _run(value: Any, suffix: str, line: int) -> Iterator[Item]:
    found = _messages(value)
    if found is None:
        yield _no_message(line)
        return
    yield from _conversation((Parsed(number, message) for number, message in enumerate(found, 1)), suffix)


def _said_of(run: str, item: Item) -> Item:
    """An item of one run of several; its line is the number of a message there."""
    if not isinstance(item, Problem):
        return item
    return replace(item, line=0, reason=f"message {item.line} of {run}: {item.reason}")


def _at(line: int, item: Item) -> Item:
    """An item of a run that is one line of the file."""
    if isinstance(item, Problem):
        return replace(item, line=line, reason=f"message {item.line}: {item.reason}")
    return replace(item, line=line)


def _conversation(values: Iterable[Parsed | Problem], suffix: str = "") -> Iterator[Item]:
    thread = Conversation(suffix)
    tools: dict[str, str] = {}
    for item in values:
        if isinstance(item, Problem):
            yield item
            continue
        yield from _mended(item)
        yield from _message(thread, item, tools)
    yield from thread.finish()


def _message(thread: Conversation, item: Parsed, tools: dict[str, str]) -> Iterator[Item]:
    if not isinstance(item.value, dict):
        yield _no_message(item.line)
        return
    at = next((found for key in _TIMES if (found := times.parse(item.value.get(key)))), None)
    try:
        read = messages.read(item.value, thread.time(at))
    except Invalid as error:
        yield Problem(item.line, str(error))
        return
    unknown = messages.unknown_calls(read.events, tools)
    yield from (Problem(item.line, note, kept=True) for note in (*read.notes, *unknown))
    yield from thread.add(messages.name_results(read.events, tools), item.line)


def _runs(value: Any) -> list[Any]:
    """The runs of a document: the items of a list that holds runs, or the document itself."""
    if isinstance(value, list) and any(_is_run(item) for item in value):
        return value
    return [value]


def _is_run(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and isinstance(value.get("messages"), list))


def _messages(value: Any) -> list[Any] | None:
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return list(value["messages"])
    if _is_message(value):
        return [value]
    return value if isinstance(value, list) and not any(_is_run(item) for item in value) else None


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str)


def _mended(item: Parsed) -> Iterator[Problem]:
    if item.mended:
        yield Problem(
            item.line, f"{item.mended} halves of surrogate pairs are no text; each was replaced by U+FFFD", kept=True
        )


def _no_message(line: int) -> Problem:
    return Problem(line, "no message: an object with a role and content is wanted")
