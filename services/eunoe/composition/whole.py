"""Everything that a place holds, read at once and kept nowhere: for what is asked seldom, a preview or the past."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from eunoe.composition import summary
from eunoe.composition.carried import Carried, carried
from eunoe.composition.known import Known, known
from eunoe.composition.place import Place
from eunoe.composition.shelf import Facts
from eunoe.composition.summary import Summary
from eunoe.facts import lenient, sessions
from eunoe.facts.fold import View, fold
from eunoe.facts.kinds import Kinds
from eunoe.facts.previews import Preview
from eunoe.facts.visibility import seen
from eunoe.runtime.doors import Entry, Store
from eunoe.schemas import subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.facts import Document, SessionRecord
from eunoe.schemas.requests import SummaryDocument, ThreadState

_T = TypeVar("_T")
_session = msgspec.json.Decoder(SessionRecord)
_state = msgspec.json.Decoder(ThreadState)
_summary = msgspec.json.Decoder(SummaryDocument)


@dataclass(frozen=True, slots=True)
class Whole:
    """What a place holds: its fact documents, the thread's state and its running summary, the session's record, and how
    fresh that is."""

    documents: tuple[Document, ...]
    state: ThreadState | None
    session: SessionRecord | None
    watermark: Watermark
    summary: Summary | None = None

    def facts(self, place: Place, kinds: Kinds, now: int) -> tuple[Facts, Facts]:
        """The facts of the earlier and of the now block, in force at ``now`` (ms UTC), as the place's preview sees
        them."""
        facts = [one for one in self.documents if not kinds[one.identity.subject].record]
        shown = [one for one in facts if seen(one.identity, place.viewer, self.session, now)]
        views = [fold(one, single=kinds[one.identity.subject].single, valid=now) for one in shown]
        found = [(view, fact) for view in _previewed(views) for fact in known(view, place.thread)]
        moment = [_of_the_moment(view, fact) for view, fact in found]
        return (
            Facts.of(fact for (_, fact), here in zip(found, moment, strict=True) if not here),
            Facts.of(fact for (_, fact), here in zip(found, moment, strict=True) if here),
        )

    def carried(self, now: int) -> Carried | None:
        """What the session carries at ``now`` (ms UTC)."""
        return None if sessions.expired(self.session, now) else carried(self.session)


async def read(store: Store, place: Place) -> Whole:
    """What a place holds now."""
    entries: list[Entry] = []
    reached: dict[str, int] = {}
    for scope, owners in place.owners.items():
        filters = [one for owner in owners for one in _filters(owner, place.preview)]
        if filters:
            bucket = store.bucket(scope)
            found = await bucket.find(filters, fence=await bucket.revision())
            reached[scope] = found.upto
            entries += found.entries
    by_key = {entry.key: entry for entry in entries}
    session = _one(by_key.get(subjects.session_key(place.session)), _session)
    documents = [one for entry in entries if subjects.is_fact_key(entry.key) and (one := lenient.document(entry))]
    left = tuple(_left(document, session) for document in documents)
    state = _one(by_key.get(subjects.state_key(place.thread)), _state)
    told = summary.of(_one(by_key.get(subjects.summary_key(place.thread)), _summary))
    return Whole(left, state, session, Watermark(**reached), told)


def _one(entry: Entry | None, decoder: msgspec.json.Decoder[_T]) -> _T | None:
    return lenient.entry(entry, decoder) if entry else None


def _filters(owner: str, preview: str) -> list[str]:
    own = (subjects.state_key(owner), subjects.session_key(owner), subjects.summary_key(owner))
    keys = [subjects.facts_of(owner), *own]
    return [*keys, subjects.previews_of(preview, owner)] if preview else keys


def _left(document: Document, session: SessionRecord | None) -> Document:
    if document.identity.scope != "session" or session is None:
        return document
    return sessions.left(document, session.ended)


def _previewed(views: Iterable[View]) -> list[View]:
    """The views with those of a preview, where there are any, laid over the live ones."""
    held = list(views)
    live = [view for view in held if not view.identity.preview]
    preview = Preview(view for view in held if view.identity.preview)
    return [*(preview.over(view) for view in live), *preview.alone(view.identity for view in live)]


def _of_the_moment(view: View, fact: Known) -> bool:
    return view.identity.scope == "session" or fact.task
