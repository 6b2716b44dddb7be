"""Claude Code's session files: JSONL, one line a message, with lines of the program's own between them.

Each session of the file is a thread, and so is each side chain (a helper's conversation). Tool results
come as blocks of user messages. A message of several blocks may be spread over lines that repeat its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import structs

from eunoe.client import messages
from eunoe.client.importing import times
from eunoe.client.importing.chains import Chains, Thread
from eunoe.client.importing.model import Aside, Item, Problem
from eunoe.client.importing.source import Parsed, Source
from eunoe.client.parts import SaidOrDone
from eunoe.client.usage import usage_of
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import HappenedEvent, Prompt, Response, ToolResult

_INTERRUPTED = "[Request interrupted by user"
_EXIT = re.compile(r"\A(?:Error: )?Exit code (\d+)\b")


def read(source: Source, *, lines: bool = True) -> Iterator[Item]:
    """The turns of every session and side chain in the file."""
    chains = Chains()
    for item in source.values():
        if isinstance(item, Problem):
            yield item
        else:
            yield from _line(chains, item)
    yield from chains.finish()


def _line(chains: Chains, item: Parsed) -> Iterator[Item]:
    line, value = item.line, item.value
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        yield Problem(line, "no line of a session: an object with a type is wanted")
        return
    if item.mended:
        yield Problem(line, f"{item.mended} halves of surrogate pairs were replaced by U+FFFD", kept=True)
    if kind not in ("user", "assistant"):
        yield Aside(line, kind)
    elif value.get("isMeta") is True or value.get("isCompactSummary") is True:
        yield Aside(line, "meta" if value.get("isMeta") is True else "summary")
    else:
        yield from _message(chains.thread(value), value, kind, line)


def _message(thread: Thread, value: Mapping[str, Any], kind: str, line: int) -> Iterator[Item]:
    try:
        message, notes = _shaped(value.get("message"), kind)
        found = times.parse(value.get("timestamp"))
        at = thread.conversation.time(found)
        read = messages.read(message, at)
    except Invalid as error:
        yield Problem(line, str(error))
        return
    if found is None:
        notes.append("the message has no time that can be read; it takes that of the message before")
    notes += (*read.notes, *messages.unknown_calls(read.events, thread.tools))
    if notes:
        yield Problem(line, "; ".join(notes), kept=True)
    events = messages.name_results((_finished(event, value) for event in read.events), thread.tools)
    yield from _add(thread, [_with_exit(event, value) for event in events], message, line)


def _add(thread: Thread, events: list[SaidOrDone], message: Mapping[str, Any], line: int) -> Iterator[Item]:
    conversation = thread.conversation
    if isinstance(events[0], Prompt) and events[0].content.startswith(_INTERRUPTED):
        yield from conversation.add(thread.counted(""), line)
        yield from conversation.interrupt(events[0].content)
        return
    name = str(message.get("id") or "")
    before: list[HappenedEvent] = thread.counted(name)
    yield from conversation.add([*before, *events], line)
    usage = usage_of(message, events[-1].at)
    if usage is not None:
        thread.usage = (name, usage)


def _shaped(message: object, kind: str) -> tuple[dict[str, Any], list[str]]:
    """The message of a line, made an object with a role when it is a bare string."""
    if isinstance(message, str):
        return {"role": kind, "content": message}, ["the message is a bare string; read as text"]
    if not isinstance(message, dict):
        raise Invalid("the line has no message")
    return {"role": kind, **message}, []


def _finished(event: SaidOrDone, value: Mapping[str, Any]) -> SaidOrDone:
    """A result without content takes what the line keeps beside the message."""
    beside = value.get("toolUseResult")
    if isinstance(event, ToolResult) and not event.content and isinstance(beside, str):
        return structs.replace(event, content=beside)
    if isinstance(event, Response) and event.model == "<synthetic>":
        return structs.replace(event, model="")
    return event


def _with_exit(event: SaidOrDone, value: Mapping[str, Any]) -> SaidOrDone:
    """The exit status of a shell command: a result that failed names it, one that did not had 0."""
    if not isinstance(event, ToolResult) or event.tool != "Bash":
        return event
    if event.status == "failed":
        named = _EXIT.match(event.content)
        return structs.replace(event, exit_status=int(named[1])) if named else event
    beside = value.get("toolUseResult")
    unfinished = isinstance(beside, dict) and (beside.get("interrupted") or beside.get("backgroundTaskId"))
    return event if unfinished else structs.replace(event, exit_status=0)
