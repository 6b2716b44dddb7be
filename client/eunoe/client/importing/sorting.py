"""Which appends of a file are not in the log yet: chain by chain, in the order of the file."""

from __future__ import annotations

import anyio.to_thread

from eunoe.client import batches, delivery
from eunoe.client.gate import Gate
from eunoe.client.importing.held import Holding
from eunoe.client.importing.here import Comparison
from eunoe.client.importing.model import Aside, Problem
from eunoe.client.importing.prepare import Naming, Planned
from eunoe.client.importing.report import Report
from eunoe.client.importing.writing import Append
from eunoe.schemas import limits, subjects
from eunoe.schemas.requests import AppendRequest

_OTHER_NAME = "import this one under another name with --thread"
_COPY = "import a copy of the file under another name"
_OTHER_SPACE = "an export keeps the names of its threads, so import it into another space"


class Sorting:
    """Numbers the appends of one file, which is their producer, and leaves out what is in the log.

    ``whole`` are chains that hold another conversation and take all of the file all the same: because their
    name was given (``named``), or because this import has begun to write there before. They are written in a
    second pass (`again`), for what of them came first was not known to be new yet; so are facts that came
    before that was known. ``exported``: the file is an export, which names its threads itself.
    """

    def __init__(self, gate: Gate, naming: Naming, report: Report, *, named: bool, exported: bool) -> None:
        self.whole: set[str] = set()
        self._gate = gate
        self._name = naming.thread
        self._digest = naming.digest
        self._report = report
        self._named = named
        self._exported = exported
        self._second = False
        self._n: dict[str, int] = {}
        self._done: dict[str, int] = {}
        self._compared: dict[str, Comparison] = {}
        self._here: dict[str, int] = {}

    async def appends(self, item: Planned | Problem | Aside) -> list[Append]:
        """The appends of one turn that are not in the log yet."""
        if isinstance(item, Planned):
            return self._of_late(item) if self._second else await self._of_turn(item)
        if not self._second and isinstance(item, Problem):
            self._report.problem(item)
        elif not self._second:
            self._report.aside += 1
        return []

    def again(self) -> bool:
        """Whether a second pass is needed; from here on only what could not go in yet counts."""
        self._second = True
        late = any(compared.waiting and not compared.differs for compared in self._compared.values())
        return bool(self.whole) or late

    def finish(self) -> None:
        """Name the threads of which the file is an older copy, and count what was here."""
        self._report.here_events = sum(self._here.values())
        names = [_name(chain) for chain, compared in self._compared.items() if compared.older]
        self._report.older.extend(names)

    async def _of_turn(self, planned: Planned) -> list[Append]:
        chain = planned.chain
        if chain not in self._done:
            await self._begin(chain)
        self._report.turns += planned.opens
        self._report.events += len(planned.readies)
        compared = self._compared[chain]
        known, waiting = bool(compared.differs), compared.waiting
        new = compared.new(planned)
        if not compared.differs and compared.waiting == waiting:
            self._here[chain] += len(planned.readies) - (len(new.readies) if new else 0)
        elif compared.differs and not known:
            self._here[chain] = 0
            self._differs(chain, compared.differs)
        return self._numbered(new) if new else []

    def _of_late(self, planned: Planned) -> list[Append]:
        if planned.chain in self.whole:
            return self._numbered(planned)
        compared = self._compared.get(planned.chain)
        if compared is None or not planned.facts or not compared.waiting:
            return []
        new = compared.stated(planned)
        self._here[planned.chain] += len(planned.readies) - (len(new.readies) if new else 0)
        return self._numbered(new) if new else []

    async def _begin(self, chain: str) -> None:
        head = await delivery.head(self._gate, chain, self._digest)
        holding = Holding(self._gate.caller, self._digest, forgotten=not head.n)
        if head.record:
            await _see(self._gate, chain, holding)
        self._done[chain], self._here[chain] = head.n or holding.done, 0
        self._compared[chain] = Comparison(holding.held())
        self._report.threads.append(_name(chain))

    def _numbered(self, planned: Planned) -> list[Append]:
        found = []
        for batch in batches.split(planned.readies):
            n = self._n[planned.chain] = self._n.get(planned.chain, 0) + 1
            if n <= self._done[planned.chain]:
                self._report.duplicates += 1
                self._here[planned.chain] += len(batch.events)
                continue
            request = AppendRequest(
                v=limits.SCHEMA_VERSION, producer=self._digest, n=n, events=tuple(batch.events), turn=planned.key
            )
            found.append(Append(planned.chain, planned.line, batch.pieces, request))
        return found

    def _differs(self, chain: str, entry: int) -> None:
        if self._named or self._done[chain]:
            self.whole.add(chain)
            return
        name = _name(chain)
        way_out = _OTHER_SPACE if self._exported else _OTHER_NAME if name == self._name else _COPY
        reason = f"thread {name} holds another conversation already (it differs from entry {entry} on); {way_out}"
        self._report.refused.append(name)
        self._report.problem(Problem(0, reason))


def _name(chain: str) -> str:
    return subjects.chain_thread(chain) or chain


async def _see(gate: Gate, chain: str, holding: Holding) -> None:
    """Fold what others put into a chain before an import's first record."""
    after, more = 0, True
    while more:
        page = await delivery.stored(gate, chain, after)
        after = await anyio.to_thread.run_sync(holding.see, page.records)
        more = page.more and after > 0
