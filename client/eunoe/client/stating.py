"""Facts as people and programs state them, and move them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec

from eunoe.client.tickets import Receipt
from eunoe.facts import stating_rules
from eunoe.facts.values import limit
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.errors import Denied, Invalid
from eunoe.schemas.facts import OWN_CLASS, Assertion, FactClass, Identity, Provenance, Scope, Source
from eunoe.schemas.requests import FactView
from eunoe.schemas.subjects import Caller

Moment = int | datetime
"""A moment: ms UTC, or a datetime that says in which zone it is."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CLASSES: dict[Scope, FactClass] = {"permanent": "permanent", "session": "dynamic", "thread": "dynamic"}


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact that was stated: its id, empty while the outbox keeps it, and the receipt of its append.

    ``version`` is the rank of its value among those of its lineage, 0 where nobody says yet. ``duplicate``: it was
    known before, under the id ``known``: the same statement under the same key, or a fact in force with that value.
    """

    id: str
    receipt: Receipt
    version: int = 0
    duplicate: bool = False
    known: str = ""


def identity(
    subject: str,
    name: str,
    *,
    thread: str | None = None,
    session: str | None = None,
    owner: str | None = None,
    preview: str | None = None,
) -> Identity:
    """Of a thread or a session when one is named; else permanent, of ``owner`` (an agent) or shared.

    A blank name of a place is refused, and never taken for none.
    """
    if sum(place is not None for place in (thread, session, owner)) > 1:
        raise Invalid("a fact belongs to one thread, one session or one owner; name only one of them")
    scope: Scope = "thread" if thread is not None else "session" if session is not None else "permanent"
    holder = next((place for place in (thread, session, owner) if place is not None), "shared")
    return Identity(
        scope,
        ids.check(holder, scope if scope != "permanent" else "owner"),
        ids.check(subject, "subject"),
        ids.check(name, "name", limits.NAME_BYTES),
        ids.check(preview, "preview") if preview is not None else "",
    )


def chain_of(about: Identity) -> str:
    """The chain that holds a fact's events: its thread's, or the book of its scope and owner."""
    return subjects.home_chain(about.scope, about.owner)


def assertion(
    caller: Caller,
    about: Identity,
    value: str,
    *,
    content: str = "",
    valid_from: Moment | None = None,
    valid_to: Moment | None = None,
    replaces: str = "",
    removes: bool = False,
) -> Assertion:
    """What ``caller`` states; raises `Invalid` for a value that is not one line within its limit, and the like.

    It is ordered by the time at which it is accepted.
    """
    if not removes:
        stating_rules.check_value(value, limit(about.subject))
    stating_rules.check_content(content)
    start, end = moment(valid_from, "valid_from"), moment(valid_to, "valid_to")
    stating_rules.check_times(start, end)
    return Assertion(
        identity=about,
        value=value,
        source=source(caller),
        at=0,
        content=content,
        fact_class=_CLASSES[about.scope],
        method="stated",
        provenance=Provenance(agent=caller.principal if caller.role == "agent" else ""),
        valid_from=start,
        valid_to=end,
        from_offset=offset(valid_from),
        to_offset=offset(valid_to),
        replaces=replaces,
        removes=removes,
    )


def moved(caller: Caller, fact: FactView, about: Identity, content: str = "") -> Assertion:
    """A fact as the one who approves or moves it asserts it in another place, citing it.

    A fact of a preview goes on to stand in the place of the live one that it names.
    """
    stated = assertion(
        caller,
        about,
        fact.value,
        content=content,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        replaces=fact.replaces,
        removes=fact.removes,
    )
    came_from = Provenance(
        agent=fact.agent, session=fact.session, thread=fact.thread, turn=fact.turn, entries=fact.entries
    )
    return msgspec.structs.replace(
        stated, provenance=came_from, cites=fact.id, from_offset=fact.from_offset, to_offset=fact.to_offset
    )


def elsewhere(
    fact: FactView,
    scope: Scope,
    *,
    thread: str | None = None,
    session: str | None = None,
    owner: str | None = None,
) -> Identity:
    """Where a fact goes that is moved; the thread or session that it came from, where no other is named.

    What a preview says goes to another place in that preview, and never out of it.
    """
    about = fact.identity
    match scope:
        case "permanent":
            return _placed(about, owner=owner or "shared")
        case "session":
            return _placed(about, session=_named(session or fact.session, fact, "session"))
        case "thread":
            return _placed(about, thread=_named(thread or fact.thread, fact, "thread"))
    raise Invalid(f"there is no scope {scope!r}; the scopes are permanent, session and thread")


def check_from(fact: FactView, scope: Scope, *, thread: str | None = None, session: str | None = None) -> None:
    """Raise `Invalid` for a named place that is neither where a fact is nor where it goes."""
    about = fact.identity
    for place, named in (("thread", thread), ("session", session)):
        if named is not None and scope != place == about.scope and named != about.owner:
            raise Invalid(f"{fact.id} is a fact of the {place} {about.owner!r}, and not of {named!r}")


def check_preview(fact: FactView, preview: str | None) -> None:
    """Raise `Invalid` for a live fact that is named with a preview: nothing that is done there changes it."""
    if preview is not None and fact.identity.preview != preview:
        raise Invalid(
            f"{fact.id} is no fact of the preview {preview!r} but a live one, which nothing there changes; leave the "
            "preview out to change it everywhere, or state a fact in the preview that replaces or removes it"
        )


def _placed(
    about: Identity, *, thread: str | None = None, session: str | None = None, owner: str | None = None
) -> Identity:
    preview = about.preview or None
    return identity(about.subject, about.name, thread=thread, session=session, owner=owner, preview=preview)


def source(caller: Caller) -> Source:
    kind = OWN_CLASS.get(caller.role)
    if kind is None:
        raise Denied(f"{caller.kind} states no facts; connect as a person, caller, agent or tool")
    return Source(kind=kind, principal=caller.principal)


def moment(given: Moment | None, what: str = "moment") -> int | None:
    """A moment in ms UTC; raises `Invalid` for a datetime that does not say in which zone it is."""
    if not isinstance(given, datetime):
        return given
    if given.tzinfo is None or given.utcoffset() is None:
        raise Invalid(f"{what} does not say in which time zone {given.isoformat()} is; give it one, as tzinfo=UTC")
    return (given - _EPOCH) // timedelta(milliseconds=1)


def offset(given: Moment | None) -> int:
    """The offset in which a moment is given, in whole minutes east of UTC; 0 for what has none."""
    zone = given.utcoffset() if isinstance(given, datetime) else None
    return zone // timedelta(minutes=1) if zone else 0


def _named(place: str, fact: FactView, what: str) -> str:
    if not place:
        raise Invalid(f"{fact.id} came from no {what}; name the one that it goes to")
    return place
