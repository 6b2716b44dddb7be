"""What becomes of each candidate: it is added, takes the place of one of the agent's own records, or is skipped; and
which of its own records are retired. Pure.

A record of another agent or of a person is never replaced or retired: what an agent says instead stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eunoe.distillation.reviewing import likeness
from eunoe.distillation.reviewing.candidates import Candidate
from eunoe.distillation.reviewing.records import Known, Near, Place, text
from eunoe.facts.values import cut
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Compared, Decision, SetAside
from eunoe.schemas.facts import Identity

SAME = "a record says the same"
TWICE = "another candidate says the same"


@dataclass(frozen=True, slots=True)
class Keeping:
    """A candidate that becomes a record; ``instead`` is the one whose place it takes."""

    candidate: Candidate
    instead: Known | None = None


@dataclass(slots=True)
class Decided:
    """What a review decided, in the order of its items. ``keeping`` are stated, ``retiring`` retired, with why."""

    decisions: list[Decision] = field(default_factory=list)
    keeping: list[Keeping] = field(default_factory=list)
    retiring: dict[str, tuple[Known, str]] = field(default_factory=dict)
    set_aside: list[SetAside] = field(default_factory=list)

    @property
    def ended(self) -> set[str]:
        """The ids of the records that are in force no more after it."""
        return {*self.retiring, *(one.instead.id for one in self.keeping if one.instead)}


def decide(
    candidates: Sequence[Candidate],
    near: Mapping[str, Sequence[Near]],
    shown: Mapping[str, Known],
    place: Place,
    barred: Mapping[Identity, str],
) -> Decided:
    """Decide about every candidate. ``near`` are the records most like a summary, by it; ``shown`` those that the model
    was shown, by id; ``barred`` says of what may not be stated again why."""
    found = Decided()
    for one in candidates:
        if one.action == "retire":
            _retire(found, one, shown, place)
        else:
            _keep(found, one, near.get(one.summary, ()), shown, place, barred)
    return found


def _retire(found: Decided, one: Candidate, shown: Mapping[str, Known], place: Place) -> None:
    record = shown.get(one.about)
    why = "" if record and one.about not in found.ended else "it names no record that was shown"
    if record is None or why or not place.ends(record):
        why = why or f"{one.about} is not this agent's own record here"
        found.set_aside.append(
            SetAside(text=cut(f"retire {one.about}: {one.reason}", limits.SET_ASIDE_LENGTH), reason=why)
        )
        return
    found.retiring[record.id] = (record, one.reason)
    found.decisions.append(Decision(action="retired", text=record.summary, reason=one.reason, about=record.id))


def _keep(
    found: Decided,
    one: Candidate,
    near: Sequence[Near],
    shown: Mapping[str, Known],
    place: Place,
    barred: Mapping[Identity, str],
) -> None:
    compared = tuple(Compared(id=other.record.id, likeness=other.likeness) for other in near)
    reason, about = _skipped(found, one, near, shown, place, barred)
    if reason:
        found.decisions.append(
            Decision(action="skipped", text=one.summary, reason=reason, about=about, compared=compared)
        )
        return
    instead, reason = _instead(found, one, shown, place)
    found.keeping.append(Keeping(one, instead))
    found.decisions.append(
        Decision(
            action="replaced" if instead else "added",
            text=one.summary,
            reason=cut(reason, limits.REASON_LENGTH),
            about=instead.id if instead else "",
            compared=compared,
        )
    )


def _skipped(
    found: Decided,
    one: Candidate,
    near: Sequence[Near],
    shown: Mapping[str, Known],
    place: Place,
    barred: Mapping[Identity, str],
) -> tuple[str, str]:
    """Why a candidate is skipped, and for which record, if that is one; empty where it is not."""
    for other in near:
        if other.record.id not in found.ended and _says(other.record, one):
            return SAME, other.record.id
    if any(_same(one, kept.candidate) for kept in found.keeping):
        return TWICE, ""
    if one.action == "skip":
        return one.reason or "the model would not keep it", one.about if one.about in shown else ""
    return barred.get(place.identity(one.kind, text(one.summary, one.body)), ""), ""


def _instead(found: Decided, one: Candidate, shown: Mapping[str, Known], place: Place) -> tuple[Known | None, str]:
    """The record whose place a candidate takes, with the reason; None, with why, where it stands beside it."""
    if one.action != "replace":
        return None, one.reason
    record = shown.get(one.about)
    if record is None or record.id in found.ended:
        return None, f"it names no record that was shown ({cut(one.about, limits.ID_BYTES)}), and stands by itself"
    if not place.ends(record):
        return None, f"{record.id} is not this agent's own record here, and stands beside it"
    return record, one.reason


def _says(record: Known, one: Candidate) -> bool:
    """Whether a record says all that a candidate does."""
    return likeness.near(record.summary, one.summary) and (not one.body or likeness.near(record.body, one.body))


def _same(one: Candidate, other: Candidate) -> bool:
    return likeness.near(one.summary, other.summary) and (not one.body or likeness.near(one.body, other.body))
