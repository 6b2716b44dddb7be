"""Checking the log: chains, digests, gaps, anchors and receipts. Pure: stored messages in, problems out.

It works on the live log and on an export alike, and says what is wrong and what is missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import get_args

import msgspec

from eunoe.audit.anchors import Anchor, Mark, Receipt
from eunoe.audit.contents import Named, named, wrong
from eunoe.audit.digests import Digests
from eunoe.runtime.doors import Stored
from eunoe.schemas import records, subjects
from eunoe.schemas.errors import Damaged, NewerSchema
from eunoe.schemas.events import MemoryEvent
from eunoe.schemas.records import GENESIS, Header, Wire


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is wrong: where (chain, record, position in the log; empty or 0 where it has none), and what."""

    what: str
    chain: str = ""
    record: int = 0
    position: int = 0


class Rooted(msgspec.Struct, frozen=True, kw_only=True):
    """The anchor that has the root that was asked for: its time (ms UTC), and the log's last position then."""

    root: str
    time: int
    last: int


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was checked, and every problem in the order found. ``rooted``: where a root was asked for, and found.
    ``erased`` counts the records of which something was erased, which is no problem."""

    chains: int
    records: int
    events: int
    anchors: int
    receipts: int
    last: int
    problems: tuple[Problem, ...]
    rooted: Rooted | None = None
    erased: int = 0

    @property
    def fine(self) -> bool:
        return not self.problems


class _Type(msgspec.Struct):
    type: str = ""


_MEMORY = {str(kind.__struct_config__.tag) for kind in get_args(MemoryEvent)}


@dataclass(slots=True)
class _Chain:
    record: int = 0
    hash: str = GENESIS
    position: int = 0
    entries: int = 0


@dataclass(slots=True)
class _Claim:
    """Something outside the store says that this record of a chain had this hash."""

    mark: Mark
    by: str
    met: bool = False


@dataclass(slots=True)
class Verifier:
    """Feed it every stored record in order of position, then ask for the verdict."""

    thread: str = ""
    chains: dict[str, _Chain] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    records: int = 0
    events: int = 0
    last: int = 0
    anchors: int = 0
    receipts: int = 0
    rooted: Rooted | None = None
    contents: list[Named] = field(default_factory=list)
    _claims: dict[str, list[_Claim]] = field(default_factory=dict)
    _held: dict[tuple[str, str], bytes] = field(default_factory=dict)
    _digests: Digests = field(default_factory=Digests)

    def expect(self, anchors: Iterable[Anchor], receipts: Iterable[Receipt] = (), root: str = "") -> None:
        """What anchors and receipts say. Only the newest of each chain and kind can show what is missing.

        ``root``, which was kept elsewhere, is to be that of one of the anchors. What that one knew counts too: later
        ones could be rewritten together with the log, and what led to the root could not.
        """
        newest: dict[str, _Claim] = {}
        covered: dict[str, _Claim] = {}
        for anchor in anchors:
            self.anchors += 1
            for chain, mark in anchor.heads.items():
                newest[chain] = _Claim(mark, f"the anchor of {utc(anchor.time)}")
            if anchor.root == root:
                self.rooted, covered = Rooted(root=root, time=anchor.time, last=anchor.last), newest.copy()
        if root and not self.rooted:
            self._wrong(
                f"no anchor kept here has the root {root}: the anchors were rewritten, or it is of another store"
            )
        for chain, claim in (*newest.items(), *covered.items()):
            claims = self._claims.setdefault(chain, [])
            if claim not in claims:
                claims.append(claim)
        for receipt in receipts:
            self.receipts += 1
            mark = Mark(receipt.record, receipt.position, receipt.hash)
            self._claims.setdefault(receipt.chain, []).append(_Claim(mark, "a client's receipt"))

    def feed(self, stored: Stored) -> None:
        """Check one stored record against its chain so far."""
        self.last = max(self.last, stored.seq)
        chain = subjects.chain_of(stored.subject)
        if self.thread and chain != subjects.thread_chain(self.thread):
            return
        self.records += 1
        try:
            self._check(stored, chain)
        except (Damaged, NewerSchema, msgspec.DecodeError) as error:
            self._wrong(str(error), chain, position=stored.seq)

    def hold(self, chain: str, digest: str, data: bytes) -> None:
        """A piece of large content that an export brings before the record that names it."""
        self._held[chain, digest] = data

    def settle_pieces(self) -> None:
        """Check the contents of the records fed since the last time against the pieces held for them."""
        for content in self.contents:
            self.check_pieces(content, [self._held.get((content.chain, digest)) for digest in content.blob.pieces])
        if self.contents:
            self._held.clear()
            self.contents.clear()

    def check_pieces(self, content: Named, pieces: list[bytes | None]) -> None:
        """Check one content (of `contents`) against its pieces in order, None where one is missing."""
        for what in wrong(content, pieces):
            self._wrong(what, content.chain, content.record, content.position)

    def gaps(self, gaps: Iterable[int], first: int = 1) -> None:
        """Sequences that hold no message any more: those before the log's first, and between it and its last."""
        runs: list[list[int]] = [[1, first - 1]] if first > 1 else []
        for gap in sorted(gaps):
            if runs and runs[-1][1] == gap - 1:
                runs[-1][1] = gap
            else:
                runs.append([gap, gap])
        for start, end in runs:
            where = f"position {start}" if start == end else f"positions {start} to {end}"
            self._wrong(f"{where} of the log held a record that is gone", position=start)

    def close(self, anchor: Anchor) -> None:
        """Compare the chains as fed with the anchor that ends an export: they must end alike."""
        self.anchors += 1
        for chain, mark in anchor.heads.items():
            state = self.chains.get(chain, _Chain())
            claim = _Claim(mark, "the export's anchor")
            if state.record < mark.record:
                self._missing(chain, [claim])
            elif (state.record, state.position, state.hash) != (mark.record, mark.position, mark.hash):
                self._wrong("it does not end as the export's anchor says: it was changed", chain, state.record)
        for chain in self.chains.keys() - anchor.heads.keys():
            self._wrong("the export's anchor does not name it: it was put here", chain)

    def verdict(self) -> Verdict:
        for chain, claims in sorted(self._claims.items()):
            if not self.thread or chain == subjects.thread_chain(self.thread):
                self._missing(chain, claims)
        for taken in self._digests.unexplained():
            what = f"event {taken.index + 1} was taken out, and no record says that it was erased"
            self._wrong(what, taken.chain, taken.record, taken.position)
        return Verdict(
            chains=len(self.chains),
            records=self.records,
            events=self.events,
            anchors=self.anchors,
            receipts=self.receipts,
            last=self.last,
            problems=tuple(self.problems),
            rooted=self.rooted,
            erased=self._digests.records,
        )

    def _check(self, stored: Stored, chain: str) -> None:
        state = self.chains.setdefault(chain, _Chain())
        wire = records.open_wire(stored.data)
        raw = bytes(wire.header)
        header = records.open_header(raw)
        if records.digest_header(raw) != wire.hash:
            self._wrong("its header does not have its hash: it was changed", chain, header.record, stored.seq)
        self.events += len(wire.events)
        for what in self._digests.check(wire, header, chain, stored.seq):
            self._wrong(what, chain, header.record, stored.seq)
        if stored.subject != _subject(wire, header):
            self._wrong(
                f"it belongs to {subjects.chain_name(header.chain)}: it was put here", chain, header.record, stored.seq
            )
            return
        if header.record <= state.record:
            self._wrong(
                f"record {header.record} comes a second time, after record {state.record}",
                chain,
                header.record,
                stored.seq,
            )
            return
        self.contents += named(chain, stored)
        self._digests.note(chain, stored)
        self._check_link(state, header, chain, stored.seq)
        self._meet(chain, header.record, wire.hash)
        self.chains[chain] = _Chain(header.record, wire.hash, stored.seq, header.entries)

    def _check_link(self, state: _Chain, header: Header, chain: str, position: int) -> None:
        if header.record > state.record + 1:
            first, last = state.record + 1, header.record - 1
            lost = f"record {first} is" if first == last else f"records {first} to {last} are"
            self._wrong(f"{lost} missing", chain, first)
        elif header.prev != state.hash:
            self._wrong(
                "it does not follow the record before it: one of them was changed", chain, header.record, position
            )
        elif header.back[:1] not in ((), (state.position,)):
            self._wrong("it says that the record before it was elsewhere", chain, header.record, position)
        if header.entries < state.entries:
            self._wrong("its entries do not go on from the record before it", chain, header.record, position)

    def _meet(self, chain: str, record: int, found: str) -> None:
        for claim in self._claims.get(chain, ()):
            if claim.mark.record == record:
                claim.met = True
                if claim.mark.hash != found:
                    self._wrong(f"it does not have the hash that {claim.by} says: it was replaced", chain, record)

    def _missing(self, chain: str, claims: list[_Claim]) -> None:
        unmet = [claim for claim in claims if not claim.met]
        if not unmet:
            return
        claim = max(unmet, key=lambda unmet: unmet.mark.record)
        state = self.chains.get(chain)
        if state is None:
            self._wrong(f"it is missing whole: {claim.by} says it had {_count(claim.mark.record)}", chain)
        elif state.record < claim.mark.record:
            self._wrong(f"ends at {state.record}, {claim.by} says {claim.mark.record}", chain, state.record)

    def _wrong(self, what: str, chain: str = "", record: int = 0, position: int = 0) -> None:
        self.problems.append(Problem(what=what, chain=chain, record=record, position=position))


def _subject(wire: Wire, header: Header) -> str:
    """Where a record belongs, by what its header and its first event say."""
    memory = bool(wire.events) and msgspec.json.decode(wire.events[0], type=_Type).type in _MEMORY
    return subjects.chain_subject(header.space, header.chain, "memory" if memory else "log")


def describe(problem: Problem) -> str:
    """One line for one problem."""
    where = subjects.chain_name(problem.chain) if problem.chain else "log"
    if problem.record and not problem.what.startswith(("record", "ends")):
        where += f", record {problem.record}"
    if problem.position and "position" not in problem.what:
        where += f" (position {problem.position})"
    return f"{where}: {problem.what}"


def _count(records: int) -> str:
    return "1 record" if records == 1 else f"{records} records"


def utc(time: int) -> str:
    """Milliseconds as ``2026-01-31 09:05:00Z``."""
    return datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
