"""Memory records: what they are called, where an agent may write them, and those that it sees. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from eunoe.composition.words import words
from eunoe.distillation.door import Turn
from eunoe.distillation.drawn import Range
from eunoe.distillation.reviewing.likeness import likeness
from eunoe.facts.values import normal
from eunoe.schemas.facts import Identity, Scope, Source
from eunoe.schemas.requests import FactView

_NAME = 20  # hex digits of a digest that name a record

NO_AGENT = "the turn names no agent, and records are an agent's"
NO_SESSION = "the agent has no session here to keep records in; set `scope` of `review` to agent"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the records of a review go: to which agent's, of which session or of the agent itself, in which preview."""

    agent: str
    session: str = ""
    preview: str = ""
    scope: Literal["session", "agent"] = "session"

    @property
    def source(self) -> Source:
        return Source(kind="model", principal=self.agent)

    def refusal(self, keepers: Sequence[str]) -> str:
        """Why the agent may keep no records here, empty where it may; ``keepers`` are the patterns of names of agents
        that may keep permanent facts of their own."""
        if not self.agent:
            return NO_AGENT
        if self.scope == "session":
            return "" if self.session else NO_SESSION
        if any(fnmatchcase(self.agent, pattern) for pattern in keepers) and self.agent != "shared":
            return ""
        return "`permanent_agents` names no agent like it, so it may keep no permanent records of its own"

    def identity(self, kind: str, text: str) -> Identity:
        """Of a record that says ``text``."""
        scope: Scope = "session" if self.scope == "session" else "permanent"
        owner = self.session if self.scope == "session" else self.agent
        return Identity(scope=scope, owner=owner, subject=kind, name=name(text), preview=self.preview)

    def ends(self, record: Known) -> bool:
        """Whether a review here may end a record: the agent's own, where it writes, or what is live there where it
        writes a preview."""
        about, here = record.identity, self.identity(record.kind, "")
        there = (about.scope, about.owner) == (here.scope, here.owner) and about.preview in ("", self.preview)
        return record.own and there


@dataclass(frozen=True, slots=True)
class Known:
    """A record in force that the agent sees. ``own``: the agent itself said it, and nobody of more weight did.
    ``long``: it has a body, which is read only where it is needed."""

    id: str
    identity: Identity
    summary: str
    source: Source
    body: str = ""
    own: bool = False
    long: bool = False

    @property
    def kind(self) -> str:
        return self.identity.subject


@dataclass(frozen=True, slots=True)
class Near:
    """A record beside a candidate, and how alike their summaries are (0 to 100)."""

    record: Known
    likeness: int


@dataclass(frozen=True, slots=True)
class Part:
    """The turns of a range that were one agent's, and of one session and preview."""

    of: Range
    place: Place
    turns: Sequence[Turn]


def name(text: str) -> str:
    """A digest of what a record says, without regard to case and space."""
    return hashlib.sha256(normal(text).encode(errors="replace")).hexdigest()[:_NAME]


def text(summary: str, body: str) -> str:
    """All that a record says."""
    return f"{summary}\n{body}".strip()


def known(view: FactView, agent: str) -> Known:
    own = view.source.kind == "model" and view.source.principal == agent
    return Known(view.id, view.identity, view.value, view.source, own=own, long=view.has_content)


def nearest(summary: str, records: Iterable[Known], most: int) -> list[Near]:
    """The records most like a summary, the likest first."""
    found = [Near(record, likeness(summary, record.summary)) for record in records]
    return sorted(found, key=lambda near: (-near.likeness, near.record.id))[:most]


def bearing(records: Sequence[Known], turns: Iterable[Turn]) -> list[Known]:
    """The records in the order of how much of their words was said in the turns; of as much, the agent's own first."""
    spoken = frozenset[str]().union(*(words(said.text) for turn in turns for said in turn.said))

    def order(record: Known) -> tuple[float, bool, str]:
        own = words(record.summary)
        return -len(own & spoken) / max(len(own), 1), not record.own, record.id

    return sorted(records, key=order)


def parts(of: Range, scope: Literal["session", "agent"]) -> list[Part]:
    """The turns of a range by where what they say is kept, in the order of the first of each."""
    found: dict[Place, list[Turn]] = {}
    for turn in of.turns:
        found.setdefault(Place(turn.agent, turn.session, turn.preview, scope), []).append(turn)
    return [Part(of, place, turns) for place, turns in found.items()]
