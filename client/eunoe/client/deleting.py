"""What a deletion is to take away, and what came of it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eunoe.client.tickets import Receipt
from eunoe.facts.lineage import lineage
from eunoe.facts.values import same
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Identity, Scope
from eunoe.schemas.requests import FactView, Trace

_OUTRANKED = ("rank", "newest")  # rules by which a head of its lineage gives way to another's
_AWAY = ("past", "future")  # rules of what holds at another time than now


@dataclass(frozen=True, slots=True)
class Deletion:
    """What deleting one fact took: a version of each lineage that said so, and every derived thing that it had.

    ``along`` is what the same sources say of the name for other times, which a deletion takes too. ``remaining``
    is what is in force under the same name now, said by somebody else. ``receipt`` is None when the fact was
    deleted before, and nothing had to be done.
    """

    fact: FactView
    deleted: tuple[FactView, ...]
    receipt: Receipt | None
    traces: tuple[Trace, ...] = ()
    remaining: tuple[FactView, ...] = ()
    along: tuple[FactView, ...] = ()


@dataclass(frozen=True, slots=True)
class Undeleted:
    """A fact of a scope that could not be deleted, and why."""

    fact: FactView
    reason: str


@dataclass(frozen=True, slots=True)
class ScopeDeletion:
    """What deleting the facts of an owner took, or (``dry_run``) would take: facts, by the number of each kind.

    ``failed`` were not deleted; what is done again takes what is left. ``preview``: those of that preview alone.
    """

    scope: str
    owner: str
    facts: int
    kinds: dict[str, int]
    dry_run: bool
    failed: tuple[Undeleted, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    preview: str = ""


@dataclass(frozen=True, slots=True)
class PreviewDeletion:
    """What dropping a preview took, or (``dry_run``) would take: the facts of each owner, and all of them counted."""

    preview: str
    facts: int
    kinds: dict[str, int]
    dry_run: bool
    places: tuple[ScopeDeletion, ...] = ()


def taken(versions: Sequence[FactView], named: FactView) -> tuple[FactView, ...]:
    """The versions that go with a fact: of each lineage in force that says the same, the named one first.

    Nothing for one that is deleted already. Raises `Invalid`, saying what is in force, for one that is not.
    """
    if named.state == "deleted":
        return ()
    heads = in_force(versions)
    if named.rule in _AWAY:
        return (named,)
    if named.id not in {head.id for head in heads}:
        instead = f" by {named.superseded_by}" if named.state == "superseded" else ""
        raise Invalid(f"{named.id} is not in force: it is {named.state}{instead}; delete what is there in its place")
    return (named, *(head for head in heads if head.id != named.id and same(head.value, named.value)))


def in_force(versions: Iterable[FactView]) -> list[FactView]:
    """The version of each lineage and identity that it asserts now."""
    return _newest(view for view in versions if asserted(view))


def standing(versions: Iterable[FactView]) -> list[FactView]:
    """As `in_force`; of a lineage that asserts nothing now but something of another time, the last of that."""
    found = list(versions)
    now = in_force(found)
    asserting = {_lineage(view) for view in now}
    return now + _newest(view for view in found if view.rule in _AWAY and _lineage(view) not in asserting)


def along(versions: Iterable[FactView], gone: Sequence[FactView]) -> tuple[FactView, ...]:
    """What else goes when these are deleted: all that their lineages say of this and of other times."""
    lineages = {_lineage(view) for view in gone}
    named = {view.id for view in gone}
    said = (view for view in versions if asserted(view) or view.rule in _AWAY)
    return tuple(view for view in said if _lineage(view) in lineages and view.id not in named)


def asserted(view: FactView) -> bool:
    """Whether the lineage of a version still asserts it, whatever other sources say."""
    outranked = view.state == "superseded" and view.rule in _OUTRANKED
    return view.state in ("current", "proposed", "removed") or outranked


def _newest(versions: Iterable[FactView]) -> list[FactView]:
    newest: dict[tuple[Identity, str], FactView] = {}
    for view in versions:
        key = _lineage(view)
        if key not in newest or newest[key].version < view.version:
            newest[key] = view
    return list(newest.values())


def _lineage(view: FactView) -> tuple[Identity, str]:
    return view.identity, lineage(view.source)


def places(found: ScopeDeletion | PreviewDeletion) -> tuple[ScopeDeletion, ...]:
    """What was taken, owner by owner."""
    return found.places if isinstance(found, PreviewDeletion) else (found,)


def by_owner(facts: Iterable[FactView]) -> dict[tuple[Scope, str], list[FactView]]:
    """Facts by the scope and owner that they belong to, in order."""
    found: dict[tuple[Scope, str], list[FactView]] = {}
    for fact in sorted(facts, key=lambda fact: fact.identity):
        found.setdefault((fact.identity.scope, fact.identity.owner), []).append(fact)
    return found


def counted(facts: Iterable[FactView]) -> dict[str, int]:
    """How many facts there are of each kind: those under one name count once."""
    names = {fact.identity for fact in facts}
    return dict(sorted(Counter(identity.subject for identity in names).items()))
