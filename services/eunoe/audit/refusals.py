"""Why nothing is done to a fact, in the words of who asked: how the fact stands, and what to do instead. Pure."""

from __future__ import annotations

from eunoe.facts.acts import ActEvent, Done
from eunoe.facts.distilled import PERSONS
from eunoe.facts.fold import View
from eunoe.facts.lineage import everyones
from eunoe.facts.runs import Version
from eunoe.facts.times import said
from eunoe.facts.wording import drawn_by
from eunoe.schemas.events import FactLabelled, FactMoved, FactRetired
from eunoe.schemas.facts import Indexed, Source
from eunoe.schemas.subjects import Caller

_SEE = {"approved": "approved already", "moved": "moved already"}


def not_own(caller: Caller, what: Done, target: Indexed) -> str:
    """Of what somebody else stated: who, and who may do this."""
    fact = what.event.id
    drawn = target.source.kind == "model" and target.source.principal == PERSONS
    stated = f"{fact} was distilled" if drawn else f"{fact} is what {_who(target.source)} stated"
    if not isinstance(what.event, FactRetired):
        return f"{stated}, and only its author or a person {_deed(what.event)} it"
    way_out = f"; a person may delete it (`eunoe fact delete {fact}`)" if caller.role == "person" else ""
    return f"{stated}, and only its author takes it back{way_out}"


def no_proposal(view: View, version: Version | None, target: Indexed) -> str:
    """Of what is to be approved and is no proposal, or none any more: what it is, and how it stands."""
    fact, about = target.id, target.identity
    if version and version.first.fact.proposal:
        return f"{fact} is no proposal any more: it is {standing(view, version)}"
    place = "everyone" if everyones(about) else f"{about.scope} {about.owner!r}"
    way_out = "" if about.scope == "permanent" else f"; `eunoe fact scope {fact} permanent` makes it hold for everyone"
    return (
        f"{fact} is no proposal: it is {_stated(version, target)} for {place}, and {standing(view, version)}{way_out}"
    )


def not_in_force(view: View, version: Version | None, what: Done) -> str:
    """Of what would be done to a fact that is not in force: how it stands."""
    done = "moved" if isinstance(what.event, FactMoved) else "pinned"
    return f"{what.event.id} is {standing(view, version)}; only what is in force is {done}"


def other_preview(fact: str, preview: str, to: str) -> str:
    """Of a fact that would go out of its preview, or into one; empty is no preview."""
    if preview:
        return f"{fact} is of the preview {preview!r} and stays in it; state live what is to hold (`eunoe fact set`)"
    return f"{fact} is live, and stays so; state a fact in the preview {to!r} that replaces or removes it"


def standing(view: View, version: Version | None) -> str:
    """``in force``, ``superseded by f… ('blue')``, ``deleted``: said after a fact's id and *is*."""
    if version is None:
        return "gone, with all that was said of it"
    if version.id in {head.id for head in view.heads}:
        return "in force"
    by = next((one for one in view.versions if one.id == version.superseded_by), None)
    if version.rule == "future":
        return f"not in force before {said(version.first.fact.valid_from or 0)}"
    if version.rule == "past":
        return f"not in force since {said(version.first.fact.valid_to or 0)}"
    if version.state in _SEE:
        return f"{_SEE[version.state]}; see {version.superseded_by}"
    return f"{version.state} by {by.id} ({by.value!r})" if by else version.state


def _stated(version: Version | None, target: Indexed) -> str:
    """``what person ada stated``; of a distilled fact by what, and who said it: ``from rules: the person said``."""
    if version and version.first.fact.method == "distilled":
        provenance = version.first.fact.provenance
        return f"from {drawn_by(provenance.model, provenance.detail)},"
    return f"what {_who(target.source)} stated"


def _deed(event: ActEvent) -> str:
    if isinstance(event, FactLabelled):
        return "labels"
    return "moves" if isinstance(event, FactMoved) else "pins"


def _who(source: Source) -> str:
    through = f" through {source.agent}" if source.agent else ""
    return f"{source.kind} {source.principal}".strip() + through
