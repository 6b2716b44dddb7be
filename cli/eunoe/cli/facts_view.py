"""Facts and their histories as people read them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.schemas.facts import Identity
from eunoe.schemas.requests import FactReply, FactsReply, FactView

HEADERS = ("id", "subject", "name", "value", "source", "state")
NAME, VALUE = 2, 3  # columns that wrap where the table is wider than the terminal
CONFLICT = "its sources disagree; the highest rank leads, then the newest"
RULES = {"newest": "newer, of equal rank", "rank": "of higher rank"}  # why a version was superseded, in words
MARKS = {"current": "", "proposed": "(proposed)"}  # states in a list that are said otherwise


def facts(reply: FactsReply, width: int) -> Iterator[RenderableType]:
    """A table for each owner, the widest kept first: permanent, session, thread."""
    held = sorted(reply.facts, key=_order)
    for (scope, owner), members in groupby(held, key=lambda fact: (fact.identity.scope, fact.identity.owner)):
        yield Text(clean(f"{scope} · {owner}"), style="bold")
        yield _table(list(members), width)
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
        yield Text(CONFLICT, style="yellow")


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
        return f"superseded{by}" + (f" ({RULES.get(view.rule, view.rule)})" if view.rule else "")
    return f"{view.state}, in conflict" if view.conflict else view.state


def named(identity: Identity) -> str:
    return f"{identity.subject} {identity.name}".strip()


def state(view: FactView) -> str:
    """What a list says of a fact beside its value: nothing for one that simply holds."""
    return "conflict" if view.conflict else MARKS.get(view.state, view.state)


def source(view: FactView) -> str:
    """Who says so, in short: the strongest source and the turn, and how many more there are."""
    who = view.source.principal if view.source.kind == "tool" else f"{view.source.kind} {view.source.principal}"
    who = who.strip() or view.source.kind
    more = len(view.sources) - 1
    return who + (f", turn {view.turn}" if view.turn else "") + (f" +{more}" if more > 0 else "")


def _table(views: list[FactView], width: int) -> Table:
    cells = [
        [view.id, view.identity.subject, view.identity.name, _value(view), source(view), state(view)] for view in views
    ]
    columns = [[clean(text) for text in column] for column in zip(*cells, strict=True)]
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    shown = len(HEADERS) if any(columns[-1]) else len(HEADERS) - 1
    widths = _widths([_widest(header, column) for header, column in zip(HEADERS, columns, strict=True)][:shown], width)
    for header, columns_of in zip(HEADERS, widths, strict=False):
        made.add_column(header, overflow="fold", width=columns_of)
    for view, row in zip(views, zip(*columns[:shown], strict=True), strict=True):
        made.add_row(*row, style=_style(view))
    return made


def _widths(widest: list[int], width: int) -> list[int]:
    """The columns as wide as their texts where all fits; else name and value share what the others leave."""
    left = width - (len(widest) - 1) - sum(widest) + widest[NAME] + widest[VALUE]
    if widest[NAME] + widest[VALUE] <= left:
        return widest
    name = min(widest[NAME], max(left - widest[VALUE], left * 11 // 20))
    return [*widest[:NAME], name, max(1, left - name), *widest[VALUE + 1 :]]


def _widest(header: str, texts: list[str]) -> int:
    lines = [header, *(line for text in texts for line in text.splitlines())]
    return max(cell_len(line) for line in lines)


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


def _order(view: FactView) -> tuple[int, Identity]:
    return ("permanent", "session", "thread").index(view.identity.scope), view.identity
