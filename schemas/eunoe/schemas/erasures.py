"""Erasure: what is to go for good, what that takes with it, and how far it is."""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas.facts import Scope


class ErasureTarget(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a person wants erased: exactly one of a fact, (parts of) a thread, and all facts of an owner.

    ``fact`` is a fact's whole id: all that was ever asserted under its identity goes. ``entries`` and ``turns``
    are ranges (first, last) of numbers in ``thread``; with neither it is the whole thread. ``scope`` and
    ``owner`` name a book: the permanent facts of an agent, say, or those of a session.
    """

    fact: str = ""
    thread: str = ""
    entries: tuple[tuple[int, int], ...] = ()
    turns: tuple[tuple[int, int], ...] = ()
    scope: Scope | Literal[""] = ""
    owner: str = ""

    @property
    def whole(self) -> bool:
        """Whether it is a thread as a whole."""
        return bool(self.thread) and not (self.entries or self.turns)

    @property
    def words(self) -> str:
        """The target as people say it, without any content."""
        if self.fact:
            return f"fact {self.fact}"
        if not self.thread:
            return f"the {self.scope} facts of {self.owner}"
        parts = [*(_ranges("entr", "y", "ies", self.entries)), *(_ranges("turn", "", "s", self.turns))]
        return f"{' and '.join(parts)} of thread {self.thread}" if parts else f"thread {self.thread}"


def _ranges(stem: str, one: str, many: str, ranges: tuple[tuple[int, int], ...]) -> list[str]:
    if not ranges:
        return []
    said = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
    single = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return [f"{stem}{one if single else many} {said}"]


class ErasedRecord(msgspec.Struct, frozen=True, array_like=True):
    """A record that loses events: its number, its position in the log, its hash, and the indexes of those events."""

    record: int
    position: int
    hash: str
    events: tuple[int, ...]


class ErasedChain(msgspec.Struct, frozen=True, array_like=True):
    """The records of one chain that lose events."""

    chain: str
    records: tuple[ErasedRecord, ...]


class KeptPlace(msgspec.Struct, frozen=True, array_like=True):
    """Where what is left of records is: ``at`` is the position of the record that holds them, ``subject`` that of
    the records themselves, ``positions`` where they were."""

    at: int
    subject: str
    positions: tuple[int, ...]


class ErasureCounts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What goes. ``facts`` counts assertions, ``acts`` what was done to them, ``contexts`` stored recipes,
    ``summaries`` versions of a thread's running summary, ``other`` any other events; ``records`` are those that lose
    events, in ``threads`` threads and ``books`` books. ``pieces`` are of large contents, ``letters`` dead letters,
    ``bytes`` all of it as stored."""

    entries: int = 0
    facts: int = 0
    acts: int = 0
    contexts: int = 0
    summaries: int = 0
    other: int = 0
    records: int = 0
    threads: int = 0
    books: int = 0
    pieces: int = 0
    letters: int = 0
    bytes: int = 0

    def __add__(self, other: ErasureCounts) -> ErasureCounts:
        """Both together; threads and books may be the same ones, so the larger number stands."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__}
        sums |= {name: max(getattr(self, name), getattr(other, name)) for name in ("threads", "books")}
        return ErasureCounts(**sums)


class EraseRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Erase a target, or with ``dry_run`` only say what that would take with it.

    ``id`` names the erasure: asking again under the same id goes on with it, and answers how far it is. ``wait``:
    seconds to wait for its end before the answer says that it runs.
    """

    target: ErasureTarget
    id: str = ""
    reason: str = ""
    dry_run: bool = False
    wait: float = 5.0


class EraseReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``state``: *planned* in a dry run, *nothing* where there is nothing (left) to erase, *running*, or *done*.

    ``facts`` are ids of erased facts (the first `limits.ERASED_FACTS_SHOWN`); ``stays`` names, in words, what has
    to do with the target and is not erased with it; ``removed`` of the records are overwritten; ``waiting`` says what
    a running erasure waits for.
    """

    state: Literal["planned", "nothing", "running", "done"]
    counts: ErasureCounts
    words: str
    id: str = ""
    facts: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    out_of_reach: tuple[str, ...] = ()
    removed: int = 0
    waiting: str = ""
    position: int = 0
