"""Where a request comes from. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eunoe.facts.lineage import SHARED
from eunoe.facts.visibility import Viewer
from eunoe.schemas.facts import Scope
from eunoe.schemas.subjects import Caller


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request comes from: its facts are those that this agent may see there, and in that preview."""

    thread: str
    session: str
    agent: str
    preview: str = ""

    @property
    def viewer(self) -> Viewer:
        return Viewer(Caller("agent", self.agent), self.thread, self.session, self.preview)

    @property
    def owners(self) -> Mapping[Scope, tuple[str, ...]]:
        """Whose facts are seen, by scope."""
        return {
            "thread": (self.thread,),
            "session": (self.session,) if self.session else (),
            "permanent": tuple(dict.fromkeys(owner for owner in (SHARED, self.agent) if owner)),
        }
