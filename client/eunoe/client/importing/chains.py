"""Which thread a line of a session file belongs to: its session's, or that of its side chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from eunoe.client.importing.model import Turn
from eunoe.client.importing.turns import Conversation
from eunoe.schemas.events import HappenedEvent, Usage

_REMEMBERED = 100_000  # lines of side chains whose chain is remembered


@dataclass(slots=True)
class Thread:
    """A conversation with the calls it has not answered, and the usage of the message that is being read."""

    conversation: Conversation
    tools: dict[str, str] = field(default_factory=dict)
    usage: tuple[str, Usage] | None = None

    def counted(self, message: str) -> list[HappenedEvent]:
        """The usage of the message before, now that one with another id comes (each line repeats it)."""
        if self.usage is None or (message and self.usage[0] == message):
            return []
        found, self.usage = self.usage[1], None
        return [found]


class Chains:
    """The threads of one file. The first session has no suffix, so that its thread is named as the file."""

    def __init__(self) -> None:
        self._threads: dict[str, Thread] = {}
        self._roots: dict[str, str] = {}
        self._first: str | None = None

    def thread(self, line: Mapping[str, Any]) -> Thread:
        session = str(line.get("sessionId") or "")
        suffix = self._session_suffix(session)
        if line.get("isSidechain") is True:
            side = f"side-{self._root(line)}"
            suffix = f"{suffix}.{side}" if suffix else side
        return self._threads.setdefault(suffix, Thread(Conversation(suffix, session)))

    def finish(self) -> Iterator[Turn]:
        for thread in self._threads.values():
            yield from thread.conversation.add(thread.counted(""), 0)
            yield from thread.conversation.finish()

    def _session_suffix(self, session: str) -> str:
        if self._first is None:
            self._first = session
        return "" if session in ("", self._first) else session

    def _root(self, line: Mapping[str, Any]) -> str:
        """The name of a side chain: the helper's id, or the beginning of its first line's uuid."""
        if agent := line.get("agentId"):
            return str(agent)
        uuid, parent = str(line.get("uuid") or ""), str(line.get("parentUuid") or "")
        root = self._roots.get(parent, uuid[:8] or "unnamed")
        self._roots[uuid] = root
        if len(self._roots) > _REMEMBERED:
            del self._roots[next(iter(self._roots))]
        return root
