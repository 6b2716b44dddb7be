"""One lineage, event by event: who supports the value in force, and what ended it. Pure.

These steps are the only rules of versions there are: the fold that reads a document and the bound that lets
old events leave it take the same ones.
"""

from __future__ import annotations

import msgspec

from eunoe.facts.lineage import Event, author, order
from eunoe.facts.values import same
from eunoe.schemas import limits
from eunoe.schemas.facts import Act, Closing, Floor, Stated, Supporter


def advance(floor: Floor, event: Event) -> Floor:
    """What holds after ``event``, which comes after all that ``floor`` has folded."""
    if isinstance(event, Stated):
        return _asserted(floor, event)
    floor = msgspec.structs.replace(floor, order=order(event), position=max(floor.position, event.position))
    match event.kind:
        case "retired":
            return _taken_back(floor, event)
        case "deleted":
            return _closed(floor, event, "deleted") if in_force(floor) else floor
        case "approved" | "moved":
            head = first(floor) if in_force(floor) else None
            return _closed(floor, event, event.kind) if head and event.order >= order(head) else floor
        case "labelled":
            labels = (set(floor.labels) | set(event.add)) - set(event.remove)
            return msgspec.structs.replace(floor, labels=tuple(sorted(labels)))
        case "pinned" | "unpinned":
            return msgspec.structs.replace(floor, pinned=event.kind == "pinned")
        case "raised" | "resolved":
            return floor


def in_force(floor: Floor) -> bool:
    """Whether the last version is in force."""
    return bool(floor.supporters) and not floor.closed


def first(floor: Floor) -> Stated | None:
    """The assertion that gives the last version its id: the earliest not taken back; None without a version."""
    firsts = [one.first for one in floor.supporters.values()]
    return min(firsts, key=order) if len(firsts) > 1 else next(iter(firsts), None)


def _asserted(floor: Floor, event: Stated) -> Floor:
    who = author(event.fact.source)
    head = first(floor) if in_force(floor) else None
    supports = head is not None and same(head.fact.value, event.fact.value)
    mine = _supporter(floor.supporters.get(who) if supports else None, event)
    return Floor(
        order=order(event),
        position=max(floor.position, event.position),
        count=floor.count + 1,
        versions=floor.versions if supports else floor.versions + 1,
        dated=floor.dated or dated(event),
        supporters=_bounded({**floor.supporters, who: mine}) if supports else {who: mine},
        labels=floor.labels,
        pinned=floor.pinned,
    )


def _supporter(before: Supporter | None, event: Stated) -> Supporter:
    """An author with one more assertion of the value in force."""
    where = order(event)
    one = before or Supporter(first=event, count=0, newest=where)
    if event.has_content:
        one = msgspec.structs.replace(one, body=event.id, body_order=where)
    return msgspec.structs.replace(one, count=one.count + 1, newest=where)


def _bounded(supporters: dict[str, Supporter]) -> dict[str, Supporter]:
    """In order of their keys; of too many authors the one that was silent longest is told apart no more.

    Never the first: the version goes by its assertion.
    """
    if len(supporters) > limits.SUPPORTERS:
        head = min(supporters, key=lambda who: order(supporters[who].first))
        supporters.pop(min(supporters.keys() - {head}, key=lambda who: supporters[who].newest))
    return dict(sorted(supporters.items()))


def dated(event: Event) -> bool:
    """Whether this is an assertion that says from when or until when it holds."""
    return isinstance(event, Stated) and (event.fact.valid_from, event.fact.valid_to) != (None, None)


def _taken_back(floor: Floor, act: Act) -> Floor:
    """Its author's assertions of the value in force go, when the target is one of them; the others' stay."""
    mine = floor.supporters.get(act.author)
    if not in_force(floor) or mine is None or act.order < order(mine.first):
        return floor
    left = {who: one for who, one in floor.supporters.items() if who != act.author}
    return msgspec.structs.replace(floor, supporters=left) if left else _closed(floor, act, "retired")


def _closed(floor: Floor, act: Act, how: Closing) -> Floor:
    return msgspec.structs.replace(floor, closed=how, closed_by=act.id)
