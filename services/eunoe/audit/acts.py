"""What an append may do to facts as they are when it comes to the end of its chain. Pure.

An append is looked at as the record that it would become, by the rules by which records become facts: so what is
accepted counts, and what would be left out is refused. Its events are taken one after another, each as the
ones before it leave the facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from eunoe.audit import pins, refusals
from eunoe.audit.pins import Shelf
from eunoe.facts import document as documents
from eunoe.facts.acts import Done, act, done, heard, in_place, may, own
from eunoe.facts.admission import DECIDERS, Told, told
from eunoe.facts.fold import View, fold
from eunoe.facts.holding import holding
from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import Event, everyones
from eunoe.facts.runs import Version
from eunoe.facts.values import same
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Denied, Invalid, NotFound, Stale
from eunoe.schemas.events import Event as Appended
from eunoe.schemas.events import (
    FactApproved,
    FactEventBase,
    FactLabelled,
    FactMoved,
    FactPinned,
    StatingEvent,
)
from eunoe.schemas.facts import Assertion, Document, Identity, Indexed
from eunoe.schemas.records import OpenTurn, Record
from eunoe.schemas.subjects import Caller

_BY_STATE = (FactApproved, FactMoved, FactLabelled, FactPinned)  # acts that depend on how their target stands


def check_targets(record: Record, kinds: Kinds, targets: Mapping[str, Indexed]) -> None:
    """Refuse an act on a fact that is not there (for its writer), is not its writer's to act on, or lives elsewhere."""
    chain, caller = record.header.chain, record.header.caller
    for what in done(record, kinds):
        target = targets.get(what.event.id)
        if target is None or not (_seen(caller, chain, target) or may(what, target)):
            raise NotFound(f"there is no fact {what.event.id} here; `eunoe facts` lists those there are")
        _check_place(chain, what, target.identity)
        if not may(what, target):
            raise Denied(refusals.not_own(caller, what, target))


def check_previewed(turn: OpenTurn, targets: Mapping[str, Indexed]) -> None:
    """Refuse what a turn of a preview would do to a fact that is not that preview's."""
    for fact, target in targets.items():
        if target.identity.preview != turn.preview:
            raise Denied(
                f"turn {turn.turn} is of the preview {turn.preview!r}, so it changes nothing outside of it; "
                f"state a fact in it that replaces or removes {fact}"
            )


class Facts:
    """The documents that an append is about, as its events change them one after another."""

    def __init__(self, found: Mapping[Identity, Document], kinds: Kinds, now: int) -> None:
        self._documents = dict(found)
        self._kinds = kinds
        self._now = now

    def view(self, identity: Identity) -> View:
        document = self._documents.get(identity) or documents.empty(identity)
        return fold(document, single=self._kinds[identity.subject].single, valid=self._now)

    def add(self, identity: Identity, event: Event) -> None:
        """Raises `BelowFloor` when the document must be made from its whole history for that."""
        if identity in self._documents:
            self._documents[identity] = documents.add(self._documents[identity], [event])

    def pinned(self, about: Shelf) -> dict[str, int]:
        """The tokens of each fact that is pinned there and in force, by id."""
        return pins.held(self.view(identity) for identity in self._documents if pins.shelf(identity) == about)


def needed(
    asked: tuple[Appended, ...], record: Record, kinds: Kinds, targets: Mapping[str, Indexed]
) -> Iterator[Identity]:
    """The identities whose documents `check` must have."""
    said = {one.stated.index: one for one in told(record, kinds)}
    acts = {what.index: what for what in done(record, kinds)}
    for index, event in enumerate(asked):
        if isinstance(event, FactEventBase) and event.expected is not None:
            yield _about(said.get(index), acts.get(index), targets)
        if isinstance(event, _BY_STATE):
            yield targets[event.id].identity


def origins(asked: tuple[Appended, ...], targets: Mapping[str, Indexed]) -> set[str]:
    """The chains in which it is told how what is approved or moved stands."""
    about = [targets[event.id].identity for event in asked if isinstance(event, FactApproved | FactMoved)]
    return {subjects.home_chain(one.scope, one.owner) for one in about}


def check(
    asked: tuple[Appended, ...],
    record: Record,
    kinds: Kinds,
    targets: Mapping[str, Indexed],
    found: Mapping[Identity, Document],
    *,
    now: int,
    budget: int,
) -> None:
    """Refuse what the facts as they are do not allow; ``budget`` is in tokens, ``now`` in ms UTC.

    Raises `Stale`, `Invalid`, `DoesNotFit`, and `BelowFloor` where a document must be made from its whole history.
    """
    facts = Facts(found, kinds, now)
    before = {about: facts.pinned(about) for about in pins.wanted(asked, targets)}
    said = {one.stated.index: one for one in told(record, kinds)}
    acts = {what.index: what for what in done(record, kinds)}
    for index, event in enumerate(asked):
        one, what = said.get(index), acts.get(index)
        if isinstance(event, FactEventBase) and event.expected is not None:
            _check_expected(facts.view(_about(one, what, targets)), event.expected, record.header.chain)
        if what:
            _check_state(what, targets[what.event.id], facts)
        if one:
            facts.add(one.identity, one.stated)
        if what and (kept := act(what, targets[what.event.id])):
            facts.add(targets[what.event.id].identity, kept)
    for about, had in before.items():
        pins.check(about, facts.pinned(about), sum(had.values()), budget)


def _about(said: Told | None, what: Done | None, targets: Mapping[str, Indexed]) -> Identity:
    """The identity that an event's condition is about: of what it states, else of what it acts on."""
    if said is not None:
        return said.identity
    assert what is not None, "only a fact's events have conditions"
    return targets[what.event.id].identity


def _check_expected(view: View, expected: str, chain: str) -> None:
    """Refuse what its writer did not see so; two edits are compared at the end of one chain, or not at all."""
    home = subjects.home_chain(view.identity.scope, view.identity.owner)
    if chain != home:
        raise Invalid(
            f"an edit of what was seen is decided in {subjects.chain_name(home)}, not in "
            f"{subjects.chain_name(chain)}; append it there, or leave `expected` out"
        )
    current = view.current
    if (current.id if current else "") == expected:
        return
    about = f"{view.identity.subject} {view.identity.name}"
    seen = expected or "nothing"
    if current is None:
        raise Stale(f"there is no {about} any more, and you saw {seen}; decide anew", current="", value="")
    raise Stale(
        f"{about} is now {current.value!r} ({current.id}), and you saw {seen}; decide anew",
        current=current.id,
        value=current.value,
    )


def _check_state(what: Done, target: Indexed, facts: Facts) -> None:
    event = what.event
    if not isinstance(event, _BY_STATE):
        return
    view = facts.view(target.identity)
    version = holding(view, target)
    head = version is not None and version.id in {one.id for one in view.heads}
    proposal = version is not None and version.first.fact.proposal
    if isinstance(event, FactApproved) and (not (head and proposal) or in_place(what, target)):
        raise Invalid(refusals.no_proposal(view, version, target))
    if (isinstance(event, FactMoved) or (isinstance(event, FactPinned) and event.pinned)) and not head:
        raise Invalid(refusals.not_in_force(view, version, what))
    if version and what.fact:
        _check_copy(event.id, what.fact, version)
    if isinstance(event, FactLabelled) and version is not None:
        labels = (set(version.labels) | set(event.add)) - set(event.remove)
        if len(labels) > limits.LABELS:
            raise Invalid(f"{event.id} would have {len(labels)} labels; the limit is {limits.LABELS}")


def _check_copy(fact: str, there: Assertion, original: Version) -> None:
    """What is approved or moved says the same of the same in another place."""
    about, to = original.first.fact.identity, there.identity
    if (to.subject, to.name) != (about.subject, about.name):
        raise Invalid(f"{fact} is about {about.subject} {about.name!r}; only its scope can change")
    if not same(there.value, original.value):
        raise Invalid(f"{fact} says {original.value!r}; only its scope can change, and another value is stated anew")


def _check_place(chain: str, what: Done, about: Identity) -> None:
    if what.fact is not None and what.fact.identity.preview != about.preview:
        raise Invalid(refusals.other_preview(what.event.id, about.preview, what.fact.identity.preview))
    if isinstance(what.event, FactMoved):
        _check_way(what, about)
    if isinstance(what.event, StatingEvent) and not heard(chain, about):
        raise Invalid(f"{what.event.id} is a fact of thread {about.owner!r}, and does not go to another thread")
    home = subjects.home_chain(about.scope, about.owner)
    if not isinstance(what.event, StatingEvent) and what.review is None and chain != home:
        raise Invalid(
            f"{what.event.id} is a fact of {about.scope} {about.owner!r}; "
            f"what is done to it goes to {subjects.chain_name(home)}"
        )


def _check_way(what: Done, about: Identity) -> None:
    """A move goes to another place, and never from a thread into another."""
    assert what.fact is not None, "a move states its fact in the other place"
    to = what.fact.identity
    if (to.scope, to.owner) == (about.scope, about.owner):
        raise Invalid(f"{what.event.id} is a fact of {about.scope} {about.owner!r} already")


def _seen(caller: Caller, chain: str, target: Indexed) -> bool:
    """Whether the fact is there for this caller: an agent or tool sees its own, everyone's, and those of the place."""
    about = target.identity
    if caller.role in DECIDERS or everyones(about) or own(caller, target.source):
        return True
    return about.scope != "permanent" and chain == subjects.home_chain(about.scope, about.owner)
