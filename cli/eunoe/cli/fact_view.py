"""The history of one fact as people read it: versions and what was done to them, in the order of time. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from eunoe.cli import ways_back, words
from eunoe.cli.facts_view import heading, standing, validity
from eunoe.cli.output import clean
from eunoe.schemas.facts import Identity
from eunoe.schemas.requests import ActView, FactReply, FactView

CONFLICT = "its sources disagree; the highest rank leads, then the newest"
AWAY = {"past": "held before", "future": "holds later"}  # rules by which a version is not in force at the moment
RULES = {"newest": "newer, of equal rank", "rank": "of higher rank"}  # why a version was superseded, in words


def history(reply: FactReply, width: int) -> Iterator[RenderableType]:
    """Every version and every act, oldest first: what was said, by whom, and what ended it."""
    yield Text(clean(named(reply.identity)), style="bold")
    yield Text(clean(heading(reply.identity)), style="dim")
    for item in in_order(reply):
        yield Text()
        if isinstance(item, FactView):
            yield from _version(item, width)
        else:
            yield from _act(item)
    if not reply.current:
        yield Text()
        yield Text("nothing of it is in force" if reply.versions else "nothing was known of it then")
    if reply.conflict:
        yield Text()
        yield Text(CONFLICT, style="yellow")


def in_order(reply: FactReply) -> list[FactView | ActView]:
    """Versions and acts by their times; an act comes after what was said at its moment."""
    return sorted((*reply.versions, *reply.acts), key=lambda item: (item.at, item.position, isinstance(item, ActView)))


def named(identity: Identity) -> str:
    return f"{identity.subject} {identity.name}".strip()


def version_lines(view: FactView) -> Iterator[str]:
    yield f"from {'; '.join(view.sources) or view.from_text}{_place(view)}"
    if view.recorded and words.moment(view.recorded) != words.moment(view.at):
        yield f"recorded {words.moment(view.recorded)}"
    if validity(view):
        yield validity(view)
    if view.supports > 1:
        yield f"said {view.supports} times"
    if view.cites:
        yield f"from the fact {view.cites}"
    if view.replaces:
        yield f"takes away {view.replaces}" if view.removes else f"in place of {view.replaces}"
    if view.pinned and standing(view):
        yield "pinned"
    if view.labels and standing(view):
        yield f"labels: {', '.join(view.labels)}"
    for other in view.others:
        yield f"disagrees: {other}"
    if view.has_content:
        yield f"content: {ways_back.history(view)} --content"
    yield f"{view.id}, version {view.version}, {ended(view)}"


def ended(view: FactView) -> str:
    """``current``, or what it became and by what."""
    if view.rule in AWAY:
        return AWAY[view.rule]
    if view.state == "superseded":
        by = f" by {view.superseded_by}" if view.superseded_by else ""
        return f"superseded{by}" + (f" ({RULES.get(view.rule, view.rule)})" if view.rule else "")
    if view.state in ("approved", "moved") and view.superseded_by:
        return f"{view.state}: see {view.superseded_by}"
    return f"{view.state}, in conflict" if view.conflict else view.state


def act(view: ActView) -> str:
    """What was done and by whom: ``deleted by person ada: no longer so``."""
    what = {"raised": "conflict raised", "resolved": "conflict resolved"}.get(view.kind, view.kind)
    said = f"{what} by {view.by}" if view.by else what
    more = view.reason or ", ".join(view.labels or view.ids)
    return f"{said}: {more}" if more else said


def _version(view: FactView, width: int) -> Iterator[RenderableType]:
    yield Text(f"{words.moment(view.at)}  ").append(words.one_line(view.value, width - 22), style="bold")
    for said in version_lines(view):
        whole = clean(said) if len(said) <= 4 * width else words.one_line(said, width - 2)
        yield Padding(Text(whole), (0, 0, 0, 2), expand=False)


def _act(view: ActView) -> Iterator[Text]:
    yield Text(f"{words.moment(view.at)}  {clean(act(view))}")
    if view.target:
        yield Text(f"  of {view.target}", style="dim")


def _place(view: FactView) -> str:
    parts = [f"agent {view.agent}"] if view.agent and view.agent != view.source.agent else []
    parts += [f"thread {view.thread}"] if view.thread else []
    return f" ({', '.join(parts)})" if parts else ""
