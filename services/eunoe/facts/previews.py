"""What the viewer of a preview sees: what is live, with the preview's own facts in it. Pure.

A preview's fact stands in the place of the live fact that it names, or takes that one away. What it says of an
identity that is live too joins the live sources: of one lineage the later counts, among lineages rank and then
the newest decide, as they would if it were live.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import msgspec

from eunoe.facts.fold import View, settle
from eunoe.facts.runs import State, Version
from eunoe.facts.values import same
from eunoe.schemas.facts import Identity


class Preview:
    """One preview's views, to be laid over live ones in any order."""

    def __init__(self, views: Iterable[View]) -> None:
        self._views = {counterpart(view.identity): view for view in views}
        self._instead = _instead(self._views.values())

    def over(self, live: View) -> View:
        """A live view as the preview's viewer sees it; what the preview took out of force says so."""
        gone = self._gone(live)
        own = self._views.get(live.identity)
        if not gone and own is None:
            return live
        before = {head.id: head for head in live.heads}
        kept = [_out(before.get(one.id, one), gone.get(one.id)) for one in live.versions]
        added = _shown(own) if own else []
        position = max(live.position, own.position if own else 0, *(by.newest[1] for by in gone.values()))
        return settle(live.identity, _in_order(kept, added), live.acts, single=live.single, position=position)

    def alone(self, live: Iterable[Identity]) -> tuple[View, ...]:
        """The preview's own views of what has no live one among ``live``: what `over` did not show."""
        there = set(live)
        own = [(about, view) for about, view in self._views.items() if about not in there]
        found = [
            settle(about, _shown(view), view.acts, single=view.single, position=view.position) for about, view in own
        ]
        return tuple(view for view in found if view.versions)

    def _gone(self, live: View) -> dict[str, Version]:
        """The heads whose place is taken, by id: all that say the same as one that is named."""
        named = [(head, by) for head in live.heads for by in [self._names(head)] if by is not None]
        return {head.id: by for head in live.heads for one, by in named if same(head.value, one.value)}

    def _names(self, head: Version) -> Version | None:
        found = (self._instead.get(fact) for fact in (head.id, *(stated.id for stated in head.said)))
        return next((one for one in found if one is not None), None)


def _instead(views: Iterable[View]) -> Mapping[str, Version]:
    """The head that stands in place of each named fact, by id; a lineage that goes on says so once for all."""
    pairs = [
        (head, one.first.fact.replaces)
        for view in views
        for head in view.heads
        for one in view.versions
        if one.lineage == head.lineage and (one.id == head.id or one.state == "superseded")
    ]
    return {named: head for head, named in sorted(pairs, key=lambda pair: pair[0].newest) if named}


def counterpart(identity: Identity) -> Identity:
    """The live identity that a preview's fact is about."""
    return msgspec.structs.replace(identity, preview="")


def _shown(view: View) -> list[Version]:
    """The versions that say something; one that only takes a fact away does not."""
    before = {head.id: head for head in view.heads}
    return [before.get(one.id, one) for one in view.versions if not one.first.fact.removes]


def _out(version: Version, by: Version | None) -> Version:
    if by is None:
        return version
    state: State = "removed" if by.first.fact.removes else "superseded"
    return replace(version, state=state, superseded_by=by.id, rule="preview")


def _in_order(live: list[Version], added: list[Version]) -> list[Version]:
    """Both, where of two values in force that one lineage says the later counts."""
    heads = [one for one in (*live, *added) if one.in_force]
    return [_outlived(one, heads) for one in (*live, *added)]


def _outlived(version: Version, heads: list[Version]) -> Version:
    own = [head for head in heads if head.lineage == version.lineage and not same(head.value, version.value)]
    later = max((head for head in own if head.newest > version.newest), key=lambda head: head.newest, default=None)
    if later is None or not version.in_force:
        return version
    return replace(version, state="superseded", superseded_by=later.id, rule="newer")
