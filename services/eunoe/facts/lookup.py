"""Looking facts up: by their ids, by the beginning of one, and by their identities, many at once in few round trips."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import anyio
import msgspec

from eunoe.facts import document as documents
from eunoe.facts import lenient, sessions
from eunoe.facts.history import History
from eunoe.facts.kinds import Kinds
from eunoe.facts.visibility import Viewer, seen
from eunoe.runtime.doors import Clock, Entry, Store
from eunoe.schemas import subjects
from eunoe.schemas.errors import Damaged, Invalid, NotFound
from eunoe.schemas.facts import Document, Identity, Indexed, SessionRecord

_LISTED = 10  # ids shown when a beginning fits several
_AT_ONCE = 256  # keys in one request
_LOOKS = 4  # looks through the log at once

_T = TypeVar("_T")
_Owned = TypeVar("_Owned", Indexed, Document)
_session = msgspec.json.Decoder(SessionRecord)


class Lookup:
    """Reads indexes, documents and sessions of one space, and what is asked of them that only the log knows."""

    def __init__(self, store: Store, kinds: Kinds, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._history = History(store.log, store.space, kinds)
        self._looks = anyio.Semaphore(_LOOKS, fast_acquire=True)

    async def one(self, beginning: str, viewer: Viewer) -> Indexed:
        """The fact with this id, or with the only one that begins so among those that the viewer may see.

        Raises `Invalid` on less than `subjects.INDEX_PREFIX` characters and where several begin so, else `NotFound`.
        """
        if len(beginning) < subjects.INDEX_PREFIX or not beginning.isascii() or not beginning.isalnum():
            raise Invalid(f"{beginning!r} is no fact's id; give it, or its first {subjects.INDEX_PREFIX} characters")
        found = [one for one in await self._indexes([subjects.index_filter(beginning)]) if one.id.startswith(beginning)]
        there = await self.seen(found, viewer)
        if not there and viewer.trusted:
            await self._check_previews(found, beginning, viewer)
        return _only(there, beginning)

    async def _check_previews(self, found: Sequence[Indexed], beginning: str, viewer: Viewer) -> None:
        """Raise `NotFound`, saying in which preview it is, for what somebody who may see all of them did not name."""
        for preview in sorted({one.identity.preview for one in found if one.identity.preview}):
            if await self.seen(found, replace(viewer, preview=preview)):
                raise NotFound(f"{beginning} is a fact of the preview {preview!r}; name that preview (--preview)")

    async def every(self, facts: Collection[str], viewer: Viewer) -> dict[str, Indexed]:
        """The facts with these whole ids, by id; those that there are not, or the viewer may not see, are not in it."""
        found: list[Indexed] = []
        for run in _runs(sorted(facts)):
            found += await self._indexes([subjects.index_key(fact) for fact in run])
        return {one.id: one for one in await self.seen(found, viewer)}

    async def seen(self, found: Sequence[_Owned], viewer: Viewer) -> list[_Owned]:
        """Those facts or documents that the viewer sees now."""
        owners = await self.sessions(one.identity for one in found)
        now = self._clock.now()
        return [one for one in found if seen(one.identity, viewer, owners.get(one.identity.owner), now)]

    async def sessions(self, identities: Iterable[Identity]) -> dict[str, SessionRecord]:
        """The records of the sessions that own any of these, by session."""
        owners = sorted({identity.owner for identity in identities if identity.scope == "session"})
        found: dict[str, SessionRecord] = {}
        for run in _runs(owners):
            answer = await self._store.session.find([subjects.session_key(owner) for owner in run])
            records = (lenient.entry(one, _session) for one in answer.entries)
            found.update({record.session: record for record in records if record})
        return found

    async def document(self, identity: Identity) -> Document | None:
        """The document of an identity, None where nothing is kept of it; raises `Damaged` when it cannot be read."""
        entry = await self._store.bucket(identity.scope).get(documents.key(identity))
        return _decode(entry) if entry else None

    async def documents(self, identities: Iterable[Identity]) -> dict[Identity, Document]:
        """The documents of several; those that there are not, or that cannot be read, are not in it."""
        found: dict[Identity, Document] = {}
        for scope, keys in _grouped((identity.scope, documents.key(identity)) for identity in identities).items():
            for run in _runs(sorted(set(keys))):
                answer = await self._store.bucket(scope).find(run)
                read = (lenient.document(entry) for entry in answer.entries)
                found.update({document.identity: document for document in read if document})
        return found

    async def preview(self, preview: str) -> list[Document]:
        """Every document of a preview that can be read."""
        found: list[Document] = []
        for scope in subjects.BUCKETS:
            answer = await self._store.bucket(scope).find([subjects.previews_of(preview)])
            found += [document for entry in answer.entries if (document := lenient.document(entry))]
        return found

    async def whole(self, identity: Identity) -> Document:
        """The document with its whole history, from the log where the stored one keeps less or there is none."""
        stored = await self.document(identity)
        if stored and not stored.floors:
            return stored
        return (await self.from_log([identity]))[identity]

    async def from_log(self, identities: Collection[Identity]) -> Mapping[Identity, Document]:
        """The documents of several with their whole history, read in one pass over the log; what is from before
        the end of its session is gone."""
        async with self._looks:
            found = await self._history.all(identities)
        ends = {owner: record.ended for owner, record in (await self.sessions(found)).items()}
        whole = {one: documents.build(one, events, bounded=False) for one, events in found.items()}
        return {
            one: sessions.left(document, ends.get(one.owner, sessions.NEVER)) if one.scope == "session" else document
            for one, document in whole.items()
        }

    async def content(self, identity: Identity, fact: str) -> str:
        """The body of an assertion, empty for one without; raises `NotFound` for one whose body is gone."""
        entry = await self._store.bucket(identity.scope).get(subjects.content_key(identity.owner, fact))
        if entry is None:
            raise NotFound(f"the body of fact {fact} is not there any more")
        return entry.value.decode()

    async def _indexes(self, filters: list[str]) -> list[Indexed]:
        found: list[Indexed] = []
        for scope in subjects.BUCKETS:
            answer = await self._store.bucket(scope).find(filters)
            found += [one for entry in answer.entries if (one := lenient.entry(entry, _indexed))]
        return sorted(found, key=lambda one: one.id)


_indexed = msgspec.json.Decoder(Indexed)


def _grouped(pairs: Iterable[tuple[str, _T]]) -> dict[str, list[_T]]:
    found: dict[str, list[_T]] = {}
    for name, one in pairs:
        found.setdefault(name, []).append(one)
    return found


def _only(found: Sequence[Indexed], beginning: str) -> Indexed:
    exact = [one for one in found if one.id == beginning]
    if len(found) == 1 or exact:
        return (exact or list(found))[0]
    if not found:
        listed = "`eunoe facts` lists those there are, with --preview NAME those of a preview"
        raise NotFound(f"there is no fact {beginning} here; {listed}")
    begun = ", ".join(one.id for one in found[:_LISTED])
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    raise Invalid(f"{beginning} is the beginning of {begun}{more}; give more of it")


def _runs(items: Sequence[_T]) -> Iterable[Sequence[_T]]:
    return (items[at : at + _AT_ONCE] for at in range(0, len(items), _AT_ONCE))


def _decode(entry: Entry) -> Document:
    try:
        return documents.decode(entry.value)
    except lenient.UNREADABLE as error:
        raise Damaged(f"the document {entry.key} cannot be read: {error}; `eunoe rebuild` makes it again") from None
