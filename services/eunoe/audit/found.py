"""What a search for everything that an erasure takes has found. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from eunoe.schemas import limits, subjects
from eunoe.schemas.erasures import ErasedChain, ErasedRecord, ErasureCounts, ErasureTarget
from eunoe.schemas.records import Record, Wire

COPY = "copy"  # what was left of a record that loses more now: it counts as that record
_SHOWN = 50  # entries that a fact came from, named


@dataclass(slots=True)
class Found:
    """What one pass over the log found. ``anchor`` is the position of the fact that the target names; ``sources``
    are the entries (thread, number) from which assertions came; ``composed`` are the positions of records that lose
    contexts; ``lost`` and ``named`` are digests of pieces, of entries that go and of such as stay."""

    chains: dict[str, list[ErasedRecord]] = field(default_factory=dict)
    positions: set[int] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    anchor: int = 0
    sources: set[tuple[str, int]] = field(default_factory=set)
    composed: set[int] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)

    @property
    def pieces(self) -> set[str]:
        """Digests of the pieces that go: no surviving entry of the thread names them."""
        return self.lost - self.named

    def take(self, record: Record, wire: Wire, gone: Mapping[int, str]) -> None:
        """Note the events of a record that go, by index, with the count of each; one that was erased has no salt."""
        fresh = {index: what for index, what in gone.items() if wire.salts[index]}
        if not fresh:
            return
        header = record.header
        erased = ErasedRecord(header.record, record.position, record.hash, tuple(fresh))
        self.chains.setdefault(header.chain, []).append(erased)
        self.positions.add(record.position)
        if "contexts" in fresh.values():
            self.composed.add(record.position)
        for index, what in fresh.items():
            if what != COPY:
                self.counts[what] = self.counts.get(what, 0) + 1
            self.counts["bytes"] = self.counts.get("bytes", 0) + len(bytes(wire.events[index]))

    def stays(self, target: ErasureTarget) -> tuple[str, ...]:
        """In words, what an erased fact came from: its entries stay, unless they are what is erased."""
        if target.thread:
            return ()
        named = sorted(source for source in self.sources if source[0])
        return tuple(f"entry {entry} of thread {thread}" for thread, entry in named[:_SHOWN])

    def counted(self) -> ErasureCounts:
        chains = list(self.chains)
        threads = sum(bool(subjects.chain_thread(chain)) for chain in chains)
        return ErasureCounts(
            **self.counts,
            records=sum(map(len, self.chains.values())),
            threads=threads,
            books=len(chains) - threads,
        )

    def rounds(self) -> list[tuple[ErasedChain, ...]]:
        """The records in parts of at most `limits.ERASED_RECORDS_TOGETHER`, that with the named fact in the last one:
        as long as anything of it is left, it can be found. Contexts, found by words of what else goes, are first."""
        flat = [(chain, record) for chain, found in self.chains.items() for record in found]
        flat.sort(key=lambda one: (one[1].position == self.anchor, one[1].position not in self.composed))
        made = []
        for start in range(0, len(flat), limits.ERASED_RECORDS_TOGETHER):
            part: dict[str, list[ErasedRecord]] = {}
            for chain, record in flat[start : start + limits.ERASED_RECORDS_TOGETHER]:
                part.setdefault(chain, []).append(record)
            made.append(tuple(ErasedChain(chain, tuple(found)) for chain, found in part.items()))
        return made
