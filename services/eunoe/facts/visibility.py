"""Who may see which fact: the one predicate that every read path uses. Pure.

People, their programs, viewers and workers see every fact of the space. An agent or a tool sees what is
shared, its own permanent facts, and the facts of the thread and of the session it asks from: so a fact of
a thread, a proposal above all, is seen from its own thread only.
"""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.facts.lineage import SHARED, everyones
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Identity, Scope
from eunoe.schemas.requests import FactsRequest
from eunoe.schemas.subjects import Caller

TRUSTED = frozenset({"person", "caller", "viewer", "worker"})


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks, and from where; an empty thread or session is none, never any."""

    caller: Caller
    thread: str = ""
    session: str = ""

    @property
    def trusted(self) -> bool:
        return self.caller.role in TRUSTED


def visible(identity: Identity, viewer: Viewer) -> bool:
    """Whether this viewer may see the facts of this identity."""
    if viewer.trusted or everyones(identity):
        return True
    if identity.scope == "permanent":
        return viewer.caller.role == "agent" and identity.owner == viewer.caller.principal
    place = viewer.session if identity.scope == "session" else viewer.thread
    return bool(place) and identity.owner == place


@dataclass(frozen=True, slots=True)
class Part:
    """One read: the facts of a bucket, of one owner or (``owner`` empty) of every owner."""

    scope: Scope
    owner: str = ""


def parts(request: FactsRequest, viewer: Viewer) -> tuple[Part, ...]:
    """What a request asks for, in the order in which it is read: thread, session, permanent.

    Raises `Invalid` when an agent names nothing where a person would be shown everything.
    """
    scopes: tuple[Scope, ...] = ("thread", "session", "permanent")
    found = [part for scope in scopes if request.scope in ("", scope) for part in _parts(scope, request, viewer)]
    if not found:
        raise Invalid(f"name the {request.scope} whose facts are wanted; without it there are none to show")
    return tuple(found)


def _parts(scope: Scope, request: FactsRequest, viewer: Viewer) -> list[Part]:
    if scope == "permanent":
        return _permanent(request.agent, viewer)
    owner = request.thread if scope == "thread" else request.session
    if owner:
        return [Part(scope, owner)]
    return [Part(scope)] if viewer.trusted and request.scope == scope else []


def _permanent(agent: str, viewer: Viewer) -> list[Part]:
    if not viewer.trusted:
        own = [Part("permanent", viewer.caller.principal)] if viewer.caller.role == "agent" else []
        return [Part("permanent", SHARED), *(part for part in own if part.owner != SHARED)]
    return [Part("permanent", SHARED), Part("permanent", agent)] if agent else [Part("permanent")]
