"""What is known already of a thread, so that who distils says the same of the same thing under the same name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eunoe.distillation.door import Kind, Known, Turn
from eunoe.facts import lenient
from eunoe.facts.fold import fold
from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import SHARED, Order
from eunoe.runtime.doors import Clock, Documents, Entry, Store
from eunoe.schemas import limits, subjects


class KnownFacts:
    """Reads the facts in force of one space, of kinds that may be distilled."""

    def __init__(self, store: Store, kinds: Kinds, clock: Clock) -> None:
        self._store = store
        self._kinds = kinds
        self._clock = clock
        self._distilled = [subject for subject, kind in kinds.items() if kind.distil]

    @property
    def kinds(self) -> list[Kind]:
        """The kinds that may be distilled, and what facts of them tell."""
        return [Kind(subject, self._kinds[subject].description) for subject in self._distilled]

    async def of(self, thread: str, turns: Sequence[Turn]) -> list[Known]:
        """The newest `limits.DISTILLED_KNOWN` facts of a thread and of everybody; and of a session and a preview, where
        all of these turns are of it: what comes of one that is not may not be told by what it does not see. An owner of
        very many is left out."""
        preview, session = _one(turn.preview for turn in turns), _one(turn.session for turn in turns)
        found = await self._facts(self._store.thread, thread, preview)
        if session:
            found += await self._facts(self._store.session, session, preview)
        found += await self._facts(self._store.permanent, SHARED, preview)
        newest = sorted(found, key=lambda fact: fact[0], reverse=True)[: limits.DISTILLED_KNOWN]
        return [known for _, known in reversed(newest)]

    async def _facts(self, bucket: Documents, owner: str, preview: str) -> list[tuple[Order, Known]]:
        filters = [subjects.facts_of(owner, subject) for subject in self._distilled]
        filters += [subjects.previews_of(preview, owner, one) for one in self._distilled if preview]
        answer = await bucket.few(filters) if filters else None
        return [fact for entry in answer.entries for fact in self._in_force(entry)] if answer else []

    def _in_force(self, entry: Entry) -> Iterator[tuple[Order, Known]]:
        document = lenient.document(entry)
        if document is None:
            return
        identity = document.identity
        view = fold(document, single=self._kinds[identity.subject].single, valid=self._clock.now())
        for heads in view.facts:
            newest = max(head.newest for head in heads)
            told = heads[0].first.fact.source.kind == "tool"
            yield newest, Known(identity.subject, identity.name, heads[0].value, told)


def _one(names: Iterable[str]) -> str:
    """The name that all of these are, empty where they differ."""
    found = set(names)
    return found.pop() if len(found) == 1 else ""
