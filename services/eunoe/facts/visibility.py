"""Who may see which fact: the one predicate that every read path uses. Pure.

People, their programs, viewers and workers see every fact of the space. An agent or a tool sees what is
shared, its own permanent facts, and the facts of the thread and of the session it asks from: so a fact of
a thread, a proposal above all, is seen from its own thread only. What belongs to a preview is seen by who
looks at that preview, and what an expired session holds by nobody. Which versions of a fact that may be seen
are shown is its state's business: those in force, and every one where all are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.facts import sessions
from eunoe.facts.lineage import SHARED, everyones
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Identity, Scope, SessionRecord
from eunoe.schemas.requests import FactsRequest
from eunoe.schemas.subjects import Caller

TRUSTED = frozenset({"person", "caller", "viewer", "worker"})


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks, and from where; an empty thread, session or preview is none, never any."""

    caller: Caller
    thread: str = ""
    session: str = ""
    preview: str = ""

    @property
    def trusted(self) -> bool:
        return self.caller.role in TRUSTED


def visible(identity: Identity, viewer: Viewer) -> bool:
    """Whether this viewer may see the facts of this identity while what they belong to lasts."""
    if identity.preview and identity.preview != viewer.preview:
        return False
    if viewer.trusted or everyones(identity):
        return True
    if identity.scope == "permanent":
        return viewer.caller.role == "agent" and identity.owner == viewer.caller.principal
    place = viewer.session if identity.scope == "session" else viewer.thread
    return bool(place) and identity.owner == place


def seen(identity: Identity, viewer: Viewer, session: SessionRecord | None, now: int) -> bool:
    """Whether this viewer sees the facts of this identity at ``now`` (ms UTC).

    ``session`` is the record of the session that owns them, None where none does or nothing is known of it.
    """
    held = identity.scope != "session" or not sessions.expired(session, now)
    return held and visible(identity, viewer)


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
        mine = viewer.caller.role == "agent" and agent in ("", viewer.caller.principal)
        own = [Part("permanent", viewer.caller.principal)] if mine else []
        return [Part("permanent", SHARED), *(part for part in own if part.owner != SHARED)]
    return [Part("permanent", SHARED), Part("permanent", agent)] if agent else [Part("permanent")]
