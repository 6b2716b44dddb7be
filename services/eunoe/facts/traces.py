"""What facts left behind, in words: the receipt of a deletion, and what is in force now under their identities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eunoe.facts import document as documents
from eunoe.facts import wording
from eunoe.facts.fold import View
from eunoe.facts.holding import holding
from eunoe.facts.lookup import Lookup
from eunoe.facts.runs import Version
from eunoe.facts.trails import Citing, Followed, Trail, Trails
from eunoe.facts.viewing import Viewing
from eunoe.facts.visibility import Viewer
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Invalid, NotFound
from eunoe.schemas.facts import Document, Identity, Indexed, Stated
from eunoe.schemas.requests import Trace, TracesReply, TracesRequest


@dataclass(frozen=True, slots=True)
class Traced:
    """A fact with all that is known of it: its assertion, the version that this is of, and where it went."""

    stated: Stated
    version: Version
    view: View
    trail: Trail


class Traces:
    """Answers ``traces`` for one space; for many facts as for one in one pass over the log."""

    def __init__(self, lookup: Lookup, viewing: Viewing, trails: Trails) -> None:
        self._lookup = lookup
        self._viewing = viewing
        self._trails = trails

    async def answer(self, request: TracesRequest, viewer: Viewer) -> TracesReply:
        """The traces of each fact, in the order asked; raises `NotFound` for an id that the viewer sees nothing of."""
        wanted = list(dict.fromkeys(request.ids))
        if not 1 <= len(wanted) <= limits.PAGE_FACTS:
            raise Invalid(f"ask for the traces of 1 to {limits.PAGE_FACTS:,} facts at once, not {len(wanted):,}")
        found = await self._lookup.every(wanted, viewer)
        missing = next((fact for fact in wanted if fact not in found), None)
        if missing:
            raise NotFound(f"there is no fact {missing} here; `eunoe facts --all` lists those there are")
        views, stated = await self._views(list(found.values()))
        trails, unread = await self._follow(found, viewer)
        citing = await self._citing(trails, viewer)
        facts = [_traced(views[found[fact].identity], found[fact], stated.get(fact), trails[fact]) for fact in wanted]
        return TracesReply(
            traces=(
                *(trace for fact in facts if fact for trace in _traces(fact, citing)),
                *_unread(wanted[0], unread),
            ),
            remaining=tuple(view for one in views.values() for view in wording.in_force(one, self._viewing.labels)),
            unread=unread,
        )

    async def _views(self, found: Sequence[Indexed]) -> tuple[Mapping[Identity, View], Mapping[str, Stated]]:
        """What is said under the identities of these, and their assertions by id; what left documents is read again."""
        identities = list(dict.fromkeys(one.identity for one in found))
        stored = await self._lookup.documents(identities)
        kept = {fact: stated for document in stored.values() for fact, stated in _assertions(document).items()}
        lacking = {one.identity for one in found if one.id not in kept}
        documents = {**stored, **(await self._lookup.from_log(lacking) if lacking else {})}
        kept |= {one: stated for identity in lacking for one, stated in _assertions(documents[identity]).items()}
        return {one: self._viewing.view(documents[one]) for one in identities}, kept

    async def _follow(self, found: Mapping[str, Indexed], viewer: Viewer) -> tuple[Mapping[str, Trail], int]:
        shown = min(limits.USES_SHOWN, max(1, limits.PAGE_FACTS // len(found)))
        thread = "" if viewer.trusted else viewer.thread
        if not viewer.trusted and not thread:
            return {fact: Trail.empty(shown) for fact in found}, 0
        identities = {one.identity for one in found.values()}
        start = min(one.order[1] for one in found.values())
        return await self._trails.follow(Followed({fact: fact for fact in found}, identities, start), shown, thread)

    async def _citing(self, trails: Mapping[str, Trail], viewer: Viewer) -> Mapping[str, Version | None]:
        """The versions of what cites any of these, by the id of the assertion that does; None where it is gone.

        Whoever sees every fact of the space is told of previews and ended sessions too, others of what they see.
        """
        citing = [one.indexed for trail in trails.values() for one in trail.citing]
        citing = citing if viewer.trusted else await self._lookup.seen(citing, viewer)
        documents = await self._lookup.documents(dict.fromkeys(one.identity for one in citing))
        views = {identity: self._viewing.view(document) for identity, document in documents.items()}
        return {one.id: holding(views[one.identity], one) if one.identity in views else None for one in citing}


def _assertions(document: Document) -> dict[str, Stated]:
    return {stated.id: stated for stated in document.assertions}


def _traced(view: View, fact: Indexed, stated: Stated | None, trail: Trail) -> Traced | None:
    version = holding(view, fact)
    return Traced(stated, version, view, trail) if stated and version else None


def _traces(fact: Traced, citing: Mapping[str, Version | None]) -> Iterator[Trace]:
    """Every derived thing of one fact, and what became of it."""
    yield from _kept(fact)
    yield from _sources(fact)
    yield from _contexts(fact)
    for one in fact.trail.citing:
        if one.stated.id in citing:
            yield _cited(fact, one, citing[one.stated.id])


def _kept(fact: Traced) -> Iterator[Trace]:
    """What the buckets keep: the document, the index, the body."""
    stated, identity = fact.stated, fact.stated.fact.identity
    current = fact.view.current
    if fact.version.in_force:
        fate = "shows it"
    elif current:
        fate = f"hides it; {current.id} is in force: {current.value}"
    else:
        fate = "hides it; nothing is in force"
    yield Trace(fact=stated.id, kind="document", where=f"{identity.scope} {documents.key(identity)}", fate=fate)
    where = f"{identity.scope} {subjects.index_key(stated.id)}"
    yield Trace(fact=stated.id, kind="index", where=where, fate="stays, so that its history can be looked up")
    if stated.has_content:
        where = f"{identity.scope} {subjects.content_key(identity.owner, stated.id)}"
        fate = "is shown with it" if fact.version.in_force else "is hidden with it, and stays until it is erased"
        yield Trace(fact=stated.id, kind="content", where=where, fate=fate)


def _sources(fact: Traced) -> Iterator[Trace]:
    """Where the fact came from, and who else says the same."""
    for one in (fact.stated, *(one for one in fact.version.said if one.id != fact.stated.id)):
        if one.id != fact.stated.id:
            fate = "says the same" if fact.version.in_force else f"is {fact.version.state} with it"
            yield Trace(fact=fact.stated.id, kind="support", where=f"{one.id}, {wording.spoken(one.fact)}", fate=fate)
        about = one.fact.provenance
        if about.thread:
            entries = "".join(f", entry {number}" for number in about.entries)
            turn = f", turn {about.turn}" if about.turn else ""
            where = f"thread {about.thread}{turn}{entries}"
            yield Trace(fact=fact.stated.id, kind="source", where=where, fate="stays in the log until it is erased")


def _contexts(fact: Traced) -> Iterator[Trace]:
    trail = fact.trail
    for use in reversed(trail.uses):
        where = f"context {use.context} of turn {use.turn} of thread {use.thread}"
        yield Trace(fact=fact.stated.id, kind="context", where=where, fate="keeps what it showed")
    earlier = trail.count - len(trail.uses)
    if earlier:
        where = f"{earlier:,} earlier contexts" if earlier > 1 else "1 earlier context"
        fate = "keep what they showed" if earlier > 1 else "keeps what it showed"
        yield Trace(fact=fact.stated.id, kind="context", where=where, fate=fate)


def _unread(fact: str, position: int) -> Iterator[Trace]:
    if position:
        fate = "was not looked through: it is too long for one answer"
        yield Trace(fact=fact, kind="context", where=f"the log from position {position:,} on", fate=fate)


def _cited(fact: Traced, citing: Citing, version: Version | None) -> Trace:
    identity = citing.stated.fact.identity
    place = f"preview {identity.preview}, " if identity.preview else ""
    where = f"{citing.stated.id}, {place}{identity.scope} {identity.owner}"
    if version is None:
        return Trace(fact=fact.stated.id, kind=citing.how, where=where, fate="is gone")
    fate = "is in force" if version.in_force else f"is {version.state}"
    return Trace(fact=fact.stated.id, kind=citing.how, where=where, fate=fate)
