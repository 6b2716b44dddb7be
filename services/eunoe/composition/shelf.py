"""Facts kept in order, one change at a time, so that a context looks only at those that it shows. Pure but for
the shelves themselves.

Whatever changes were made in whatever order, a shelf holds what ordering its facts all anew would give.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import merge
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import TypeVar

from eunoe.composition.known import Known, Rank
from eunoe.schemas import limits

_first = itemgetter(0)  # the rank of a fact in a shelf's order
_Key = TypeVar("_Key", int, str)

COMMON = 64  # facts; a word that more of them share tells none of them apart
WORTH = 1 << 20  # what a word counts that only one fact has; of two facts it counts half as much, and so on
FEW = 1_024  # facts; as many are put in order at once sooner than the first of them one by one
FACT_BYTES = 2_048  # bytes of memory that a fact takes beside what it says
LETTER_BYTES = 20  # bytes of memory for each character of that: in its line, and in words that lead to it


class Shelf:
    """The facts of one owner: in order, by the document they are from, by their turn, and by their words."""

    def __init__(self) -> None:
        self.size = 0
        self.changes = 0  # how often anything was put here or taken away
        self._documents: dict[str, tuple[Known, ...]] = {}
        self._order: list[tuple[Rank, Known]] = []
        self._turns: dict[int, dict[str, Known]] = {}
        self._words: dict[str, dict[str, Known]] | None = None  # made when it is asked for: for most owners never

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[Known]:
        return (fact for _, fact in self._order)

    def put(self, key: str, facts: Collection[Known]) -> None:
        """The facts of a document, in the place of those it had before; none for one that is gone."""
        for fact in self._documents.pop(key, ()):
            self._remove(fact)
        if facts:
            self._documents[key] = tuple(facts)
        for fact in facts:
            self._add(fact)

    def keep(self, stays: Callable[[Known], bool]) -> None:
        """Only the facts of which that is so."""
        for key, facts in list(self._documents.items()):
            if not all(map(stays, facts)):
                self.put(key, tuple(filter(stays, facts)))

    def of_turn(self, turn: int) -> Iterable[Known]:
        """The facts that came from a turn, in no order."""
        return self._turns.get(turn, {}).values()

    def sharing(self, word: str) -> Iterable[Known]:
        """The facts with a word, in no order; none where it is too common to tell them apart."""
        found = self._by_word.get(word, {})
        return found.values() if len(found) <= COMMON else ()

    @property
    def _by_word(self) -> dict[str, dict[str, Known]]:
        if self._words is None:
            self._words = {}
            for fact in self:
                _index(self._words, fact)
        return self._words

    def _add(self, fact: Known) -> None:
        self.changes += 1
        insort(self._order, (fact.rank, fact), key=_first)
        self._turns.setdefault(fact.turn, {})[fact.id] = fact
        if self._words is not None:
            _index(self._words, fact)
        self.size += _size(fact)

    def _remove(self, fact: Known) -> None:
        self.changes += 1
        del self._order[bisect_left(self._order, fact.rank, key=_first)]
        _drop(self._turns, fact.turn, fact)
        if self._words is not None:
            for word in fact.words:
                _drop(self._words, word, fact)
        self.size -= _size(fact)


class Facts:
    """The facts of several shelves as one, in order."""

    def __init__(self, *shelves: Shelf) -> None:
        self._shelves = shelves
        self._ordered: tuple[tuple[int, ...], list[Known]] = ((), [])

    @classmethod
    def of(cls, facts: Iterable[Known]) -> Facts:
        """Facts that are on no shelf yet."""
        shelf = Shelf()
        for fact in facts:
            shelf.put(fact.id, [fact])
        return cls(shelf)

    def __len__(self) -> int:
        return sum(len(shelf) for shelf in self._shelves)

    def __iter__(self) -> Iterator[Known]:
        if len(self) > FEW:
            return merge(*self._shelves, key=_rank)  # most who ask look at the first of them only
        changes = tuple(shelf.changes for shelf in self._shelves)
        if self._ordered[0] != changes:
            self._ordered = changes, sorted(chain.from_iterable(self._shelves), key=_rank)
        return iter(self._ordered[1])

    def of_turns(self, turns: Iterable[int]) -> Iterator[Known]:
        """The facts that came from these turns, in no order."""
        return (fact for turn in turns for shelf in self._shelves for fact in shelf.of_turn(turn))

    def bearing(self, words: frozenset[str], without: frozenset[str], view: frozenset[int]) -> tuple[Known, ...]:
        """The facts that share most words with a request, `limits.RELEVANT_FACTS` at most; a word counts the less the
        more facts have it, so that one which tells a few apart is worth more than several that stand in most. Of those
        that no word tells apart, as many come from the end of their order as from its beginning: what came first is
        asked for as well as what came last.

        ``without`` are ids of facts that are shown already; a fact of a turn in ``view`` is shown by it.
        """
        sharing = {word: [fact for shelf in self._shelves for fact in shelf.sharing(word)] for word in words}
        worth = {word: WORTH // len(facts) for word, facts in sharing.items() if facts}
        found = {fact.id: fact for facts in sharing.values() for fact in facts}
        left = (fact for fact in found.values() if fact.id not in without and not fact.said_by(view))
        scored = [(-sum(worth.get(word, 0) for word in fact.words & words), fact.rank, fact) for fact in left]
        alike = groupby(sorted(scored, key=lambda one: one[:2]), key=lambda one: one[0])
        ordered = chain.from_iterable(_from_both_ends(fact for _, _, fact in facts) for _, facts in alike)
        return tuple(islice(ordered, limits.RELEVANT_FACTS))


def _from_both_ends(facts: Iterable[Known]) -> Iterator[Known]:
    """The first, the last, the second, the last but one, and so on."""
    left = deque(facts)
    while left:
        yield left.popleft()
        if left:
            yield left.pop()


def _rank(fact: Known) -> Rank:
    return fact.rank


def _size(fact: Known) -> int:
    return FACT_BYTES + LETTER_BYTES * fact.length


def _index(words: dict[str, dict[str, Known]], fact: Known) -> None:
    name = fact.id
    for word in fact.words:
        words.setdefault(word, {})[name] = fact


def _drop(index: dict[_Key, dict[str, Known]], key: _Key, fact: Known) -> None:
    held = index[key]
    del held[fact.id]
    if not held:
        del index[key]
