"""Why a version of a fact is in force or is not, in words: one clause for each rule of the fold. Pure."""

from __future__ import annotations

from eunoe.facts.fold import View
from eunoe.facts.lineage import rank
from eunoe.facts.runs import Version
from eunoe.facts.times import said, stamp
from eunoe.facts.wording import spoken

_ACTS = {"retired": "taken back", "deleted": "deleted", "approved": "approved", "moved": "moved to another scope"}


def because(view: View, version: Version) -> str:
    """The rule that decided, with who, what and when."""
    if version.in_force:
        return _leads(view, version) if view.current and version.id == view.current.id else _stands(view, version)
    by = next((one for one in view.versions if one.id == version.superseded_by), None)
    fact = version.first.fact
    match version.rule:
        case "newer":
            return f"the same source said another value later{_naming(version, by)}"
        case "rank":
            return f"a source that weighs more says another value{_naming(version, by)}"
        case "newest":
            return f"a source of the same weight said another value later{_naming(version, by)}"
        case "past":
            return f"it held until {_moment(fact.valid_to, fact.to_offset)}{_naming(version, by)}"
        case "future":
            return f"it holds from {_moment(fact.valid_from, fact.from_offset)} on"
        case "preview":
            taken = "takes it away" if version.state == "removed" else "puts another in its place"
            return f"the preview {taken}{_naming(version, by)}"
        case _:
            return _ended(view, version)


def _leads(view: View, version: Version) -> str:
    stands = _stands(view, version)
    if not view.conflict:
        return stands
    strongest = view.others[0]
    first, other = version.first.fact, strongest.first.fact
    if first.proposal != other.proposal:
        rule = "is only proposed"
    elif rank(first.source) > rank(other.source):
        rule = "weighs less"
    else:
        rule = "weighs the same but is older"
    return f"{stands}; {strongest.value!r} ({strongest.id}, {spoken(other)}) disagrees and {rule}"


def _stands(view: View, version: Version) -> str:
    """What is in force: who says so, how often, and last when."""
    heads = view.sources if view.current and version.id == view.current.id else (version,)
    times = sum(head.supports for head in heads)
    last = stamp(max(head.newest for head in heads)[0])
    often = f" {times} times, last" if times > 1 else ""
    who = spoken(version.first.fact) + (f" and {len(heads) - 1} more" if len(heads) > 1 else "")
    proposed = "nobody with the authority has approved it yet: " if version.state == "proposed" else ""
    return f"{proposed}said by {who},{often} at {last}, and nothing replaced it"


def _naming(version: Version, by: Version | None) -> str:
    if by is None:
        return f" ({version.superseded_by})" if version.superseded_by else ""
    return f": {by.value!r} ({by.id}, {spoken(by.first.fact)}, at {stamp(by.first.fact.at)})"


def _ended(view: View, version: Version) -> str:
    """What was done to it, by whom, when and why, as far as the document still keeps the act."""
    done = _ACTS.get(version.rule, version.state)
    act = next((one for one in view.acts if one.id == version.superseded_by), None)
    if act is None:
        return f"it was {done} ({version.superseded_by})"
    why = f": {act.reason}" if act.reason else ""
    return f"it was {done} by {act.by} at {stamp(act.recorded)}{why}"


def _moment(at: int | None, offset: int) -> str:
    return "an unknown moment" if at is None else said(at, offset)
