"""The versions of one lineage: what it said, one value after another. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import msgspec

from eunoe.facts.floor import advance, dated, first
from eunoe.facts.lineage import Event, Order, author, order
from eunoe.schemas.facts import Act, Assertion, Floor, Stated

State = Literal["current", "superseded", "retired", "deleted", "approved", "moved", "proposed", "removed"]
"""Why a version is shown: in force (current, proposed), or what took it out of force; *removed* by a preview."""

_OF_ONE_VERSION = ("retired", "approved", "moved")  # acts that end the version of their target, and no other
_ENDING = ("deleted", *_OF_ONE_VERSION)


@dataclass(frozen=True, slots=True)
class Version:
    """One value that a lineage held: ``number`` is its rank there, from 1; ``first`` is the assertion it goes by.

    ``supports`` counts the assertions of this value in a row that nobody took back, ``newest`` is the order of
    the last one; ``said`` are those of them that the document keeps, and the first of each author at least.
    ``body`` is the id of the newest of them with a body, empty when none has. ``labels`` and ``pinned`` are the
    lineage's.
    """

    lineage: str
    number: int
    first: Stated
    supports: int
    newest: Order
    state: State
    superseded_by: str = ""
    rule: str = ""
    said: tuple[Stated, ...] = field(default=(), compare=False)
    body: str = ""
    labels: tuple[int, ...] = ()
    pinned: bool = False

    @property
    def id(self) -> str:
        return self.first.id

    @property
    def value(self) -> str:
        return self.first.fact.value

    @property
    def in_force(self) -> bool:
        return self.state in ("current", "proposed")


@dataclass(frozen=True, slots=True)
class Run:
    """The events of one lineage that its document keeps, in order, and the older ones folded."""

    lineage: str
    floor: Floor
    events: Sequence[Event]

    @property
    def dated(self) -> bool:
        return self.floor.dated or any(map(dated, self.events))


def versions(run: Run, valid: int | None = None) -> list[Version]:
    """The versions in order. With ``valid``, of what holds at that moment, and apart from them those of the rest.

    A version keeps the number that it has among all of them.
    """
    everything = _walked(run)
    if valid is None or not run.dated:
        return everything
    numbers = _numbers(run)
    holding = [replace(one, number=numbers[one.id]) for one in _walked(_at(run, valid))]
    head = holding[-1] if holding and holding[-1].in_force else None
    away = [one for one in everything if not any(holds(stated.fact, valid) for stated in one.said)]
    return [*holding, *(_away(_ended(run, one), valid, head) for one in away)]


def holds(fact: Assertion, at: int) -> bool:
    """Whether a moment (ms UTC) is within ``[valid_from, valid_to)``."""
    begun = fact.valid_from is None or fact.valid_from <= at
    return begun and (fact.valid_to is None or at < fact.valid_to)


def _walked(run: Run) -> list[Version]:
    found: list[_Reached] = []
    floor = run.floor
    said = sorted((one.first for one in floor.supporters.values()), key=order)
    for event in run.events:
        after = advance(floor, event)
        if isinstance(event, Stated):
            if after.versions > floor.versions:
                found.extend(_reached(floor, said))
                said = []
            said.append(event)
        elif event.kind == "retired":
            said = [one for one in said if author(one.fact.source) in after.supporters]
        floor = after
    found.extend(_reached(floor, said))
    followers = [after.head.id for after in found[1:]]
    return [_version(run.lineage, one, floor, by) for one, by in zip(found, [*followers, ""], strict=False)]


class _Reached(NamedTuple):
    """A version of a lineage when it was last in force, or ended: the lineage then, and what was said of it."""

    floor: Floor
    head: Stated
    said: list[Stated]


def _reached(floor: Floor, said: list[Stated]) -> list[_Reached]:
    """The version that a lineage is at; none before its first."""
    head = first(floor)
    return [_Reached(floor, head, said)] if head else []


def _version(lineage: str, reached: _Reached, last: Floor, by: str) -> Version:
    """``last`` is the lineage at its end, and ``by`` the version that came next, empty for none."""
    floor = reached.floor
    state: State = "proposed" if reached.head.fact.proposal else "current"
    return Version(
        lineage=lineage,
        number=floor.versions,
        first=reached.head,
        supports=sum(one.count for one in floor.supporters.values()),
        newest=max(one.newest for one in floor.supporters.values()),
        state=floor.closed or ("superseded" if by else state),
        superseded_by=floor.closed_by or by,
        rule=floor.closed or ("newer" if by else ""),
        said=tuple(reached.said),
        body=max(floor.supporters.values(), key=lambda one: one.body_order).body,
        labels=last.labels,
        pinned=last.pinned,
    )


def _numbers(run: Run) -> dict[str, int]:
    """The version that each assertion is of, by id, among all of the lineage."""
    floor = run.floor
    found = {one.first.id: floor.versions for one in floor.supporters.values()}
    for event in run.events:
        floor = advance(floor, event)
        if isinstance(event, Stated):
            found[event.id] = floor.versions
    return found


def _at(run: Run, valid: int) -> Run:
    """A lineage without what does not hold at a moment, and without the acts on that alone."""
    gone = {event.id for event in run.events if isinstance(event, Stated) and not holds(event.fact, valid)}
    events = [event for event in run.events if not _concerns(event, gone)]
    supporters = {who: one for who, one in run.floor.supporters.items() if holds(one.first.fact, valid)}
    return Run(run.lineage, msgspec.structs.replace(run.floor, supporters=supporters), events)


def _concerns(event: Event, facts: Iterable[str]) -> bool:
    if isinstance(event, Stated):
        return event.id in facts
    return event.kind in _OF_ONE_VERSION and event.target in facts


def _ended(run: Run, version: Version) -> Version:
    """A version as it is at a moment when it holds, where it may have been ended: by what, or as it was given."""
    last = next((event for event in reversed(run.events) if isinstance(event, Act) and event.kind in _ENDING), None)
    if last is None or order(last) < order(version.first):
        return version
    fact = version.first.fact
    own = fact.valid_from if fact.valid_from is not None else (fact.valid_to or 0) - 1
    then = next((one for one in _walked(_at(run, own)) if version.first in one.said), version)
    return replace(version, state=then.state, rule=then.rule, superseded_by=then.superseded_by)


def _away(version: Version, valid: int, head: Version | None) -> Version:
    """A version that does not hold at the moment: what ended it, else that its time is another."""
    fact = version.first.fact
    if version.rule == version.state:
        return version
    if fact.valid_from is not None and valid < fact.valid_from:
        return replace(version, state="superseded", rule="future", superseded_by="")
    return replace(version, state="superseded", rule="past", superseded_by=head.id if head else "")
