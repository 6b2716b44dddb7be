"""Lists of facts as people read them: a table for each owner. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.facts import times, wording
from eunoe.schemas.facts import Identity
from eunoe.schemas.requests import FactsReply, FactView

HEADERS = ("id", "subject", "name", "value", "source", "state")
NAME, VALUE, SOURCE = 2, 3, 4  # columns that wrap where the table is wider than the terminal
SOURCE_LEAST = 20  # columns that a source keeps, and its longest word up to twice that
MARKS = {"current": "", "proposed": "(proposed)"}  # states in a list that are said otherwise
MEND = "`eunoe rebuild facts` makes it again"
SETTLE = """\
the highest rank leads, then the newest; to settle one, `eunoe fact why ID`
names the others' ids, and `eunoe fact delete ID` takes away what is wrong"""
APPROVE = "`eunoe fact approve ID` admits one; `eunoe fact delete ID` refuses it"


def facts(reply: FactsReply, width: int) -> Iterator[RenderableType]:
    """A table for each owner, the widest kept first: permanent, session, thread."""
    yield from _tables(reply, width)
    yield _summary(reply, "fact")


def conflicts(reply: FactsReply, width: int) -> Iterator[RenderableType]:
    """As `facts`: under each value in force the ones that it leads, with who says them."""
    yield from _tables(reply, width)
    yield _summary(reply, "conflict")
    if reply.facts:
        yield Text(SETTLE, style="dim")


def proposals(reply: FactsReply, width: int) -> Iterator[RenderableType]:
    """As `facts`: what waits for a person."""
    yield from _tables(reply, width)
    yield _summary(reply, "proposal")
    if reply.facts:
        yield Text(APPROVE, style="dim")


def heading(identity: Identity) -> str:
    """``permanent · shared``, and the preview where it belongs to one."""
    parts = [identity.scope, identity.owner, *([f"preview {identity.preview}"] if identity.preview else [])]
    return " · ".join(parts)


def state(view: FactView) -> str:
    """What a list says of a fact beside its value, a line each: nothing for one that simply holds."""
    said = ["conflict" if view.conflict else MARKS.get(view.state, view.state)]
    said += ["pinned"] if view.pinned and standing(view) else []
    said += ["+ content"] if view.has_content else []
    said += [f"by {view.superseded_by}"] if view.state == "removed" else []
    return "\n".join(line for line in said if line)


def standing(view: FactView) -> bool:
    """Whether labels and pins, which belong to all that its source said, are shown with this version."""
    return view.state in ("current", "proposed")


def source(view: FactView) -> str:
    """Who says so, in short: the strongest source and the turn, and how many more there are; of a distilled one by what
    it was drawn, and who said it."""
    who = view.source.principal if view.source.kind == "tool" else f"{view.source.kind} {view.source.principal}"
    who = who.strip() or view.source.kind
    if view.method == "distilled" and view.detail:
        who = wording.drawn_by(words.one_line(view.model, SOURCE_LEAST - 1), view.detail)
    more = len(view.sources) - 1
    return who + (f", turn {view.turn}" if view.turn else "") + (f" +{more}" if more > 0 else "")


def validity(view: FactView) -> str:
    """``holds from 2026-01-31 until 2026-03-01``; nothing for one that holds without a date."""
    start = f" from {times.said(view.valid_from, view.from_offset)}" if view.valid_from is not None else ""
    end = f" until {times.said(view.valid_to, view.to_offset)}" if view.valid_to is not None else ""
    return f"holds{start}{end}" if start or end else ""


def _tables(reply: FactsReply, width: int) -> Iterator[RenderableType]:
    held = sorted((*reply.facts, *_removed(reply)), key=_order)
    replaced = {view.superseded_by: view for view in reply.instead}
    for owner, members in groupby(held, key=lambda fact: heading(fact.identity)):
        yield Text(clean(owner), style="bold")
        yield _table(list(members), width, replaced)
        yield Text()
    for key in reply.damaged:
        yield Text(f"cannot be read, and is left out: {clean(key)}; {MEND}", style="red")


def _table(views: list[FactView], width: int, replaced: Mapping[str, FactView]) -> Table:
    cells = [
        [view.id, view.identity.subject, view.identity.name, _value(view, replaced), source(view), state(view)]
        for view in views
    ]
    columns = [[clean(text) for text in column] for column in zip(*cells, strict=True)]
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    shown = len(HEADERS) if any(columns[-1]) else len(HEADERS) - 1
    widest = [_widest(header, column) for header, column in zip(HEADERS, columns, strict=True)][:shown]
    widths = _widths(widest, _widest(HEADERS[SOURCE], " ".join(columns[SOURCE]).split()), width)
    for header, columns_of in zip(HEADERS, widths, strict=False):
        made.add_column(header, overflow="fold", width=columns_of)
    fitted = [[words.broken(text, wide) for text in column] for column, wide in zip(columns, widths, strict=False)]
    for view, row in zip(views, zip(*fitted, strict=True), strict=True):
        made.add_row(*row, style=_style(view))
    return made


def _widths(widest: list[int], word: int, width: int) -> list[int]:
    """The columns as wide as their texts where all fits; else name and value share what the others leave.

    A long source wraps too, between words: ``word`` is how wide its widest one is.
    """
    over = (len(widest) - 1) + sum(widest) - width
    if over <= 0:
        return widest
    source = min(widest[SOURCE], max(SOURCE_LEAST, min(word, 2 * SOURCE_LEAST), widest[SOURCE] - over))
    left = widest[NAME] + widest[VALUE] + widest[SOURCE] - over - source
    name = min(widest[NAME], max(left - widest[VALUE], left // 2))
    return [*widest[:NAME], name, max(1, left - name), source, *widest[SOURCE + 1 :]]


def _widest(header: str, texts: list[str]) -> int:
    lines = [header, *(line for text in texts for line in text.splitlines())]
    return max(cell_len(line) for line in lines)


def _value(view: FactView, replaced: Mapping[str, FactView]) -> str:
    """The value, and under it who disagrees, when it holds, its labels, and in whose place a preview shows it."""
    said = [view.value, *(f"≠ {other}" for other in view.others if view.conflict)]
    said += [validity(view)] if validity(view) else []
    said += [f"labels: {', '.join(view.labels)}"] if view.labels and standing(view) else []
    before = replaced.get(view.id)
    if view.removes:
        said += [f"takes away {view.replaces}"]
    elif view.replaces:
        said += [f"in place of {before.value} ({before.id})" if before else f"in place of {view.replaces}"]
    return "\n".join(line for line in said if line)


def _style(view: FactView) -> str:
    if view.conflict:
        return "yellow"
    return "" if view.state == "current" else "dim"


def _removed(reply: FactsReply) -> list[FactView]:
    """What the preview that was asked for takes away, where only what is in force was asked for."""
    return [view for view in reply.instead if view.state == "removed"]


def _summary(reply: FactsReply, what: str) -> Text:
    """How many there are, and the cursor that goes on, which is never broken."""
    if not reply.facts:
        said = f"no {what}s on this page" if reply.cursor else f"no {what}s here"
    else:
        said = words.count(len(reply.facts), what)
    removed = len(_removed(reply))
    said += f"; the preview takes away {removed:,}" if removed else ""
    more = f"; more follow: add --cursor {reply.cursor}" if reply.cursor else ""
    return Text(said + more, style="dim", no_wrap=True)


def _order(view: FactView) -> tuple[int, str, str, Identity]:
    about = view.identity
    return ("permanent", "session", "thread").index(about.scope), about.owner, about.preview, about
