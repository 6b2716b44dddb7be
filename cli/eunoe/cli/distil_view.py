"""What was distilled, summarised and reviewed, as people read it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from eunoe.cli import words
from eunoe.cli.facts_view import state
from eunoe.cli.output import clean
from eunoe.schemas.distilled_events import Decision, Effort, Spans
from eunoe.schemas.facts import Identity
from eunoe.schemas.requests import Distillation, DistillationsReply, DistilReply, FactView

NONE = "nothing was distilled, summarised or reviewed of this thread yet"
MORE = "more follow: add --before {}"
SEE = "one with its facts: `eunoe distillations THREAD RECORD`"
NO_FACT = "is no fact of its own: it was known already, or is gone"
FAILED = "`eunoe distillations` says why, and `eunoe dead list` what there is to have done again"
_DONE = {"distil": "distilled", "summarise": "in the summary"}
_INDENT = " " * 8
WHOLE = 24  # pieces of work that are shown with their facts, the newest; older ones are shown in brief
_MILLIONTHS = 1_000_000  # of a US dollar


@dataclass(frozen=True, slots=True)
class Made:
    """What came of distilling or summarising a thread; ``facts`` are those that the newest pieces of work stated, as
    they stand now."""

    verb: Literal["distil", "summarise"]
    thread: str
    reply: DistilReply
    facts: tuple[FactView, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether the summary was left as it is, at last."""
        made = self.reply.distillations
        return self.verb == "summarise" and bool(made) and made[-1].summary == "kept"

    @property
    def well(self) -> bool:
        """Whether it is done, and nothing of it failed."""
        failed = any(one.failed or one.summary == "kept" for one in self.reply.distillations)
        return self.reply.state != "waiting" and not failed


def made(found: Made, width: int) -> Iterator[RenderableType]:
    """Each piece of work, the newest with their facts, then where that leaves the thread, and of what nothing could be
    drawn."""
    facts = {fact.id: fact for fact in found.facts}
    older, newest = found.reply.distillations[:-WHOLE], found.reply.distillations[-WHOLE:]
    for one in older:
        yield from brief(one, width)
    if older:
        yield Text(SEE, style="dim")
    for one in newest:
        yield from whole(one, facts, width)
    yield Text(ended(found))
    if found.reply.undistilled:
        yield Text(FAILED, style="yellow")


def ended(found: Made) -> str:
    """How far the thread is, in one line."""
    reached = far(found.verb, found.reply)
    match found.reply.state:
        case "nothing":
            return f"nothing to do: {reached}"
        case "done":
            return f"done: {reached}"
        case "waiting" if found.kept:
            return f"not done: {reached}; the others wait for the next try"
        case "waiting" if found.reply.waits:
            return f"not done yet: {reached}. It waits, as {clean(found.reply.waits)}"
        case "waiting":
            return (
                f"not done yet: {reached}. It goes on in the background; "
                "`eunoe distillations` shows what is made, and `eunoe status` what holds it up"
            )


def far(verb: Literal["distil", "summarise"], reply: DistilReply) -> str:
    """``12 committed turns are distilled``; of how many that failed, where it did."""
    turns = f"{words.count(reply.up_to, 'committed turn')} {'is' if reply.up_to == 1 else 'are'}"
    if not reply.undistilled:
        return f"{turns} {_DONE[verb]}"
    return f"{turns} worked on, of which {sum(last - first + 1 for first, last, _ in reply.undistilled):,} failed"


def progress(verb: Literal["distil", "summarise"], reply: DistilReply) -> str:
    """How far it is while somebody waits, and what it waits for."""
    waits = f"; it waits, as {clean(reply.waits)}" if reply.waits else ""
    return f"{words.count(reply.up_to, 'committed turn')} {_DONE[verb]} so far{waits}"


def listed(reply: DistillationsReply, width: int) -> Iterator[Text]:
    """A few lines for each piece of work, and what all of them took."""
    if not reply.distillations:
        yield Text(NONE)
        return
    for one in reply.distillations:
        yield from brief(one, width)
    if reply.more:
        yield Text(MORE.format(reply.distillations[-1].record), style="dim")
    yield Text(f"in all: {took(reply.effort) or 'no model was asked'}", style="bold")
    yield Text(SEE, style="dim")


def brief(one: Distillation, width: int) -> Iterator[Text]:
    """What it was and what came of it; what it took; and why nothing came of it."""
    said = f"{words.day(one.time)} {heading(one)}"
    yield Text(f"{one.record:>6}  " + words.one_line(said, width - len(_INDENT)), style="bold")
    for line in (_outcome(one), took(one.effort)):
        if line:
            yield Text(_INDENT + words.one_line(line, width - len(_INDENT)))
    if one.failed:
        yield Text(_INDENT + words.one_line(f"failed: {one.failed}", width - len(_INDENT)), style="red")


def whole(one: Distillation, facts: Mapping[str, FactView], width: int) -> Iterator[RenderableType]:
    """One piece of work with every fact, what a review decided, what was set aside and why, and the whole reason where
    nothing came of it."""
    yield Text(words.one_line(f"record {one.record} · {words.moment(one.time)} · {heading(one)}", width), style="bold")
    for id_ in one.facts:
        yield from fact_lines(id_, facts.get(id_), width)
    for decided in one.decisions:
        if decided.action != "added" or decided.reason:  # one that was simply added is among the facts
            yield _indented(decision(decided), 2)
    if one.dropped:
        yield Text(f"  {words.count(one.dropped, 'fact')} over the limit left out")
    for aside in one.set_aside:
        yield Text(f"  set aside, {clean(aside.reason)}: {clean(aside.text)}", style="yellow")
    if one.summary:
        yield Text(f"  summary {one.summary}" + (f": {clean(one.reason)}" if one.reason else ""))
    if one.failed:
        yield Text(f"  failed: {clean(one.failed)}", style="red")
    if said := took(one.effort):
        yield Text(f"  {said}", style="dim")


def heading(one: Distillation) -> str:
    """``distilled turns 1-12 by rules``, or by the model that was asked."""
    return f"{one.kind} {turns(one.turns)} by {one.effort.model or one.by}"


def turns(spans: Spans) -> str:
    """``turn 3``, ``turns 1-4, 7``, or ``no turns``."""
    if not spans:
        return "no turns"
    single = len(spans) == 1 and spans[0][0] == spans[0][1]
    return f"turn{'' if single else 's'} {words.spans(spans)}"


def fact_lines(id_: str, fact: FactView | None, width: int) -> Iterator[RenderableType]:
    """``f… decision database: Postgres · turn 3`` where that fits; else the value stands under the rest, whole. Of one
    that is gone only its id."""
    if fact is None:
        yield Text(f"  {id_} {NO_FACT}")
        return
    stands = [part for part in (f"turn {fact.turn}" if fact.turn else "", *state(fact).splitlines()) if part]
    end = "".join(f" · {clean(part)}" for part in stands)
    name, value = (" ".join(clean(text).split()) for text in (_named(fact.identity), fact.value))
    if cell_len(line := f"  {fact.id} {name}: {value}{end}") <= width:
        yield Text(line)
        return
    yield Text(f"  {words.one_line(f'{fact.id} {name}', width - 2 - cell_len(end))}{end}")
    yield _indented(value, 4)


def decision(made: Decision) -> str:
    """``replaced f…: Ports 8000 to 8010 are taken (newer)``."""
    about = f" {made.about}" if made.about else ""
    return f"{made.action}{about}: {made.text}" + (f" ({made.reason})" if made.reason else "")


def took(effort: Effort) -> str:
    """What it took, empty where no model was asked: calls, tokens in and out, cost in US dollars, and time."""
    if not effort.calls:
        return ""
    tokens = f"{effort.input_tokens:,} tokens in, {effort.output_tokens:,} out"
    cost = [f"${effort.cost / _MILLIONTHS:.4f}"] if effort.cost is not None else []
    return ", ".join([words.count(effort.calls, "call"), tokens, *cost, seconds(effort.ms)])


def seconds(ms: int) -> str:
    """``340 ms``, ``2.5 s``, ``312 s``."""
    if ms < 1000:
        return f"{ms} ms"
    return f"{ms / 1000:.1f} s" if ms < 99_950 else f"{ms / 1000:.0f} s"


def _named(identity: Identity) -> str:
    return f"{identity.subject} {identity.name}"


def _indented(text: str, columns: int) -> Padding:
    return Padding(Text(clean(text)), (0, 0, 0, columns))


def _outcome(one: Distillation) -> str:
    parts: Sequence[str] = [
        words.count(len(one.facts), "fact") if one.kind == "distilled" and not one.failed else "",
        *(f"{count:,} {action}" for action, count in Counter(made.action for made in one.decisions).items()),
        f"{one.dropped:,} over the limit" if one.dropped else "",
        f"{len(one.set_aside):,} set aside" if one.set_aside else "",
        f"summary {one.summary}" if one.summary else "",
    ]
    return " · ".join(part for part in parts if part)
