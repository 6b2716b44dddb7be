"""Writers, acts and deliveries in any order: documents are what the events that reached them say, and nothing else."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from eunoe.facts.document import BelowFloor, add, build, empty, encode, sufficient
from eunoe.facts.fold import View, fold
from eunoe.facts.lineage import Event, author, lineage, order
from eunoe.schemas import ids
from eunoe.schemas.facts import Act, ActKind, Assertion, Document, Identity, Source, Stated

SUBJECTS = [Identity("thread", "t", "note", name) for name in ("a", "b")]
SOURCES = [
    Source(kind="person", principal="ada"),
    Source(kind="tool", principal="bash"),
    Source(kind="tool", principal="curl"),
    Source(kind="tool", principal="bash", agent="x"),
    Source(kind="tool", principal="bash", agent="y"),
    Source(kind="model", principal="x"),
]
ACTS: list[ActKind] = ["retired", "deleted", "approved", "moved", "labelled", "pinned", "unpinned"]
SPANS = [(None, None), (None, None), (None, 10), (10, None)]


@dataclass
class Replica:
    """Documents that one worker keeps, from what reached it, in batches that may be repeated or cut short."""

    documents: dict[Identity, Document] = field(default_factory=dict)
    reached: dict[Identity, list[Event]] = field(default_factory=dict)

    def take(self, about: Identity, batch: list[Event]) -> None:
        self.reached.setdefault(about, []).extend(batch)
        document = self.documents.get(about, empty(about))
        try:
            self.documents[about] = add(document, batch)
        except BelowFloor:
            self.documents[about] = build(about, self.reached[about])


class Deliveries(RuleBasedStateMachine):
    """Two replicas of one log. What one of them was given so far is what its documents must say."""

    @initialize()
    def start(self) -> None:
        self.log: list[tuple[Identity, Event]] = []
        self.replicas = [Replica(), Replica()]

    @rule(
        about=st.sampled_from(SUBJECTS),
        source=st.sampled_from(SOURCES),
        value=st.sampled_from(["red", "Red ", "blue", "green"]),
        at=st.integers(0, 20),
        span=st.sampled_from(SPANS),
        many=st.sampled_from([1, 20]),
    )
    def state(
        self, about: Identity, source: Source, value: str, at: int, span: tuple[int | None, int | None], many: int
    ) -> None:
        for number in range(many):
            said = value if number % 2 else value.strip()
            fact = Assertion(
                identity=about, value=said, source=source, at=at + number, valid_from=span[0], valid_to=span[1]
            )
            self._write(
                about, Stated(id=self._id(), position=self._position(), index=0, fact=fact, recorded=self._position())
            )

    @rule(kind=st.sampled_from(ACTS), pick=st.randoms(use_true_random=True), later=st.integers(0, 5))
    def act(self, kind: ActKind, pick: random.Random, later: int) -> None:
        stated = [(about, event) for about, event in self.log if isinstance(event, Stated)]
        if not stated:
            return
        about, target = pick.choice(stated)
        done = Act(
            id=self._id(),
            kind=kind,
            target=target.id,
            lineage=lineage(target.fact.source),
            order=order(target),
            by="person ada",
            at=target.fact.at + later,
            position=self._position(),
            index=0,
            recorded=self._position(),
            author=author(target.fact.source),
            add=(pick.randrange(1, 4),),
        )
        self._write(about, done)

    @rule(which=st.sampled_from([0, 1]), pick=st.randoms(use_true_random=True), most=st.sampled_from([1, 5, 200]))
    def deliver(self, which: int, pick: random.Random, most: int) -> None:
        """Some of the log, in any order, with repetitions; the documents of no other identity change."""
        if not self.log:
            return
        replica = self.replicas[which]
        about = pick.choice(self.log)[0]
        before = {other: encode(document) for other, document in replica.documents.items() if other != about}
        own = [event for named, event in self.log if named == about]
        replica.take(about, [pick.choice(own) for _ in range(most)])
        assert {other: encode(document) for other, document in replica.documents.items() if other != about} == before

    @invariant()
    def documents_are_their_sets(self) -> None:
        for replica in getattr(self, "replicas", []):
            for about, document in replica.documents.items():
                assert encode(document) == encode(build(about, replica.reached[about]))

    @invariant()
    def a_person_is_believed(self) -> None:
        """While something that a person said is in force, it is what the fact is."""
        for replica in getattr(self, "replicas", []):
            for document in replica.documents.values():
                view = fold(document)
                if any(head.first.fact.source.kind == "person" for head in view.heads):
                    assert view.current is not None
                    assert view.current.first.fact.source.kind == "person"

    def teardown(self) -> None:
        """When everything has reached both, they agree to the byte, with each other and with the whole history."""
        for about in SUBJECTS:
            own = [event for named, event in getattr(self, "log", []) if named == about]
            for number, replica in enumerate(self.replicas):
                replica.take(about, own[::-1] if number else own)
            first, second = (encode(replica.documents[about]) for replica in self.replicas)
            assert first == second == encode(build(about, own))
            bounded, whole = self.replicas[0].documents[about], build(about, own, bounded=False)
            for moment in (None, 5, 15) if sufficient(bounded) else (None,):
                self._same(fold(bounded, valid=moment), fold(whole, valid=moment))

    def _same(self, bounded: View, whole: View) -> None:
        assert bounded.heads == whole.heads
        assert bounded.current == whole.current
        assert (bounded.facts, bounded.conflict) == (whole.facts, whole.conflict)
        assert set(bounded.versions) <= set(whole.versions)

    def _write(self, about: Identity, event: Event) -> None:
        self.log.append((about, event))

    def _position(self) -> int:
        return len(self.log) + 1

    def _id(self) -> str:
        return ids.fact_id("thread.t", str(self._position()), 0)


Deliveries.TestCase.settings = settings(deadline=None, max_examples=60, stateful_step_count=40)
test_documents_say_what_reached_them = Deliveries.TestCase
