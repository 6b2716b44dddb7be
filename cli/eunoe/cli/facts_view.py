"""Facts and their histories as people read them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.schemas.facts import Identity
from eunoe.schemas.requests import FactReply, FactsReply, FactView

MARKS = {"current": "", "proposed": "(proposed)"}  # states in a list that are said otherwise


def facts(reply: FactsReply) -> Iterator[RenderableType]:
    """A table for each owner, the widest kept first: permanent, session, thread."""
    held = sorted(reply.facts, key=_order)
    for (scope, owner), members in groupby(held, key=lambda fact: (fact.identity.scope, fact.identity.owner)):
        yield Text(clean(f"{scope} · {owner}"), style="bold")
        yield _table(list(members))
        yield Text()
    yield Text(_summary(reply), style="dim")


def history(reply: FactReply, width: int) -> Iterator[Text]:
    """Every version, oldest first: what was said, by whom, and what ended it."""
    yield Text(clean(named(reply.identity)), style="bold")
    yield Text(clean(f"{reply.identity.scope} · {reply.identity.owner}"), style="dim")
    for view in reply.versions:
        yield Text()
        yield Text(f"{words.moment(view.at)}  ").append(words.one_line(view.value, width - 22), style="bold")
        for said in version_lines(view):
            yield Text(words.one_line(f"  {said}", width) if len(said) > 4 * width else f"  {clean(said)}")
    if reply.conflict:
        yield Text()
        yield Text("its sources disagree: a person settles that by stating a value", style="yellow")


def version_lines(view: FactView) -> Iterator[str]:
    yield f"from {'; '.join(view.sources) or view.from_text}{_place(view)}"
    if view.supports > 1:
        yield f"said {view.supports} times"
    for other in view.others:
        yield f"disagrees: {other}"
    yield f"{view.id}, version {view.version}, {ended(view)}"


def ended(view: FactView) -> str:
    """``current``, or what it became and by what."""
    if view.state == "superseded":
        by = f" by {view.superseded_by}" if view.superseded_by else ""
        return f"superseded{by}" + (f" ({view.rule})" if view.rule else "")
    return f"{view.state}, in conflict" if view.conflict else view.state


def named(identity: Identity) -> str:
    return f"{identity.subject} {identity.name}".strip()


def state(view: FactView) -> str:
    """What a list says of a fact beside its value: nothing for one that simply holds."""
    return "conflict" if view.conflict else MARKS.get(view.state, view.state)


def source(view: FactView) -> str:
    more = len(view.sources) - 1
    first = view.sources[0] if view.sources else view.from_text
    return f"{first} and {more} more" if more > 0 else first


def _table(views: list[FactView]) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    made.add_column("id", no_wrap=True, min_width=11)
    for header, widest in (("subject", 10), ("name", 20), ("value", 24), ("source", 20)):
        made.add_column(header, overflow="fold", max_width=widest)
    if any(state(view) for view in views):
        made.add_column("state", no_wrap=True)
    for view in views:
        cells = [view.id, view.identity.subject, view.identity.name, _value(view), source(view), state(view)]
        made.add_row(*map(clean, cells[: len(made.columns)]), style=_style(view))
    return made


def _value(view: FactView) -> str:
    return "\n".join([view.value, *(f"≠ {other}" for other in view.others if view.conflict)])


def _style(view: FactView) -> str:
    if view.conflict:
        return "yellow"
    return "" if view.state == "current" else "dim"


def _summary(reply: FactsReply) -> str:
    if not reply.facts:
        return "no facts here"
    more = f"; more follow: add --cursor {reply.cursor}" if reply.cursor else ""
    return f"{words.count(len(reply.facts), 'fact')}{more}"


def _place(view: FactView) -> str:
    parts = [f"agent {view.agent}"] if view.agent else []
    parts += [f"thread {view.thread}"] if view.thread else []
    return f" ({', '.join(parts)})" if parts else ""


def _order(view: FactView) -> tuple[int, str]:
    return ("permanent", "session", "thread").index(view.identity.scope), view.identity.owner
