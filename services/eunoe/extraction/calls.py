"""What one turn did with its tools: each call with its result, as extractors read it. Pure."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from eunoe.schemas import blobs, limits
from eunoe.schemas.events import EntryBase, Prompt, ToolCall, ToolResult, TurnOpened
from eunoe.schemas.labels import stands_in, without_records
from eunoe.schemas.records import Header, Record

_SEPARATORS = re.compile(r"__|[./:]")  # between a server or namespace and the tool
_WRAPPERS = frozenset({"use_mcp_tool"})  # tools that call another one, which their arguments name


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call with its result.

    ``text`` is the result without what memory itself wrote; of large content only its head and tail, and then
    ``whole`` is False. ``size`` in bytes and ``lines`` are of all of it. ``at`` is ms UTC. ``entry`` and
    ``position`` are the result's; ``reporter`` is the agent that appended it, empty for a trusted one.
    """

    tool: str
    arguments: Mapping[str, Any]
    text: str
    size: int
    failed: bool
    exit_status: int | None
    entry: int
    position: int
    at: int
    lines: int = 0
    whole: bool = True
    reporter: str = ""

    @property
    def name(self) -> str:
        """The tool's own name in lower case, without the server or namespace in front."""
        return parts_of(self.tool)[-1].casefold()

    def argument(self, *names: str) -> str:
        """The first of these arguments that is text, else an empty string."""
        return next((value for name in names if isinstance(value := self.arguments.get(name), str)), "")

    def listed(self, *names: str) -> list[str]:
        """The first of these arguments that is a list of texts, else an empty list."""
        found = (self.arguments.get(name) for name in names)
        return next((one for one in found if isinstance(one, list) and all(isinstance(word, str) for word in one)), [])


class Calls:
    """Pairs the calls of one turn with their results, record by record, in order."""

    def __init__(self, turn: int) -> None:
        self._turn = turn
        self._asked: dict[str, deque[ToolCall]] = {}  # calls that share an id are answered in their order
        self.agent = ""
        self.session = ""
        self.preview = ""
        self.prompt = ""

    def feed(self, record: Record) -> Iterator[Call]:
        """The calls whose results are in this record; what a context showed in a result's place is none."""
        for event in record.events:
            if getattr(event, "turn", 0) != self._turn:
                continue
            match event:
                case TurnOpened():
                    self.agent, self.session, self.preview = event.agent, event.session, event.preview
                case Prompt():
                    self.prompt = self.prompt or text_of(event)
                case ToolCall():
                    self._asked.setdefault(event.call, deque()).append(event)
                case ToolResult():
                    call = self._paired(event, record)
                    if not stands_in(call.text):
                        yield call

    def _paired(self, result: ToolResult, record: Record) -> Call:
        waiting = self._asked.get(result.call)
        asked = waiting.popleft() if waiting else None
        accepted = record.header.time
        text = text_of(result)
        tool, arguments = _unwrapped((asked.tool if asked else result.tool) or result.tool, _arguments(asked))
        return Call(
            tool=tool,
            arguments=arguments,
            text=text,
            size=blobs.size_of(result.content, result.blob),
            failed=result.status == "failed",
            exit_status=result.exit_status,
            entry=result.entry,
            position=record.position,
            at=min(result.at or accepted, accepted),
            lines=len(result.content.splitlines()) if result.blob is None else result.blob.lines,
            whole=result.blob is None,
            reporter=self._reporter(record.header),
        )

    def _reporter(self, header: Header) -> str:
        """Who carried a result: nobody but the tool itself where a trusted role did, else the agent.

        A person's or caller's append (an import, a program that runs agents) carries what the turn's agent says, or
        where none is named, what they say themselves: only the tool's own report weighs more than an agent's.
        """
        if header.role == "tool":
            return ""
        return header.principal if header.role == "agent" else self.agent or header.principal


def parts_of(tool: str) -> list[str]:
    """A tool's own name, last, after its server's: of ``mcp__server__tool``, ``server.tool``, ``server/tool``."""
    return _SEPARATORS.split(tool)


def text_of(entry: EntryBase) -> str:
    """An entry's text as far as its record holds it, without what memory itself wrote."""
    blob = entry.blob
    return without_records(entry.content if blob is None else f"{blob.head}\n{blob.tail}").replace("\r\n", "\n")


def pair(turn: int, records: Iterable[Record]) -> list[Call]:
    """Every call of a turn, for records at hand."""
    calls = Calls(turn)
    return [call for record in records for call in calls.feed(record)]


def _arguments(asked: ToolCall | None) -> Mapping[str, Any]:
    """The arguments where they are a JSON object; a model may write anything."""
    found = _decoded(asked.content) if asked and asked.content else {}
    return found if isinstance(found, dict) else {"": found}


def _decoded(text: str) -> Any:
    """JSON as what it says, and any other text as itself."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _unwrapped(tool: str, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The tool that a wrapper calls, with its arguments; any other call as it is."""
    server, name, inside = (arguments.get(key) for key in ("server_name", "tool_name", "arguments"))
    if tool not in _WRAPPERS or not isinstance(name, str) or not isinstance(server, str):
        return tool, arguments
    if isinstance(inside, str):
        inside = _decoded(inside)
    return f"{server}.{name}"[: limits.ID_BYTES], inside if isinstance(inside, dict) else {}
