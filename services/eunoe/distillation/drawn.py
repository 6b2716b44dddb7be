"""From what a distiller gave to the events of one record: facts that are what was asked for, and why others are none.

Pure: the same items of the same turns give the same events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eunoe.composition.blocks import spans
from eunoe.distillation.door import Drawn, Item, Said, Turn
from eunoe.extraction.secrets import REDACTED, redact
from eunoe.facts.distilled import CONCLUDER, PERSONS
from eunoe.facts.kinds import Kind, Kinds
from eunoe.facts.values import blank, cut, limit, one_line, same
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import CONCLUDED, SAID, Distilled, Distiller, SetAside, Spans
from eunoe.schemas.events import Event, FactRecorded
from eunoe.schemas.facts import Assertion, Identity, Provenance, Source
from eunoe.schemas.labels import without_records

RULES = "rules"  # what stands for the model's name where none was asked
_READ = 4_096  # characters of a text that are looked at


@dataclass(frozen=True, slots=True)
class Range:
    """The committed turns of a thread with the ordinals ``first`` to ``last``, as far as they can be read.

    ``again``: nothing could be drawn from them before.
    """

    thread: str
    first: int
    last: int
    turns: Sequence[Turn]
    again: bool = False

    @property
    def spans(self) -> Spans:
        """The numbers of the turns."""
        return tuple(spans(sorted(turn.number for turn in self.turns)))


def events(range_: Range, drawn: Drawn, by: Distiller, kinds: Kinds) -> tuple[Event, ...]:
    """The record of a range: `Distilled` first, then its facts."""
    taken = _Taken(range_, kinds, drawn.effort.model or RULES)
    order = {turn.number: turn.ordinal for turn in range_.turns}
    for item in sorted(drawn.items, key=lambda item: order.get(item.turn, 0)):
        taken.take(item)
    facts, dropped = _bounded(taken.facts, by)
    distilled = Distilled(
        first=range_.first,
        last=range_.last,
        turns=range_.spans,
        by=by,
        facts=len(facts),
        dropped=drawn.dropped + dropped,
        set_aside=kept_aside((*drawn.set_aside, *taken.set_aside)),
        again=range_.again,
        effort=drawn.effort,
    )
    return (distilled, *(FactRecorded(fact=fact) for fact in facts))


def failed(range_: Range, reason: str, by: Distiller) -> tuple[Event, ...]:
    """The record of a range from which nothing could be drawn: why, so that later turns go on without it."""
    why = cut(redact(one_line(reason)), limits.REASON_LENGTH)
    distilled = Distilled(
        first=range_.first,
        last=range_.last,
        turns=range_.spans,
        by=by,
        failed=why or "no reason given",
        again=range_.again,
    )
    return (distilled,)


@dataclass(slots=True)
class _Taken:
    """The facts of a range so far, each with the number of its turn, and what is none."""

    of: Range
    kinds: Kinds
    model: str
    facts: list[Assertion] = field(default_factory=list)
    set_aside: list[SetAside] = field(default_factory=list)

    def take(self, item: Item) -> None:
        """One item more; what was said of its identity before by the same speaker, and is the same, is no news."""
        turn = next((turn for turn in self.of.turns if turn.number == item.turn), None)
        kind = dict(self.kinds.items()).get(item.subject)
        if turn is None:
            return self._leave(item, "a turn that is none of these")
        if kind is None:
            return self._leave(item, "an unknown kind")
        name = self.kinds.name(item.subject, redact(one_line(item.name[:_READ])))
        value = cut(redact(one_line(without_records(item.value)[:_READ])), limit(item.subject))
        if wrong := _wrong(kind, item, turn, name, value):
            return self._leave(item, wrong)
        fact = self._fact(item, turn, kind, name, value)
        if not any(_again(fact, before) for before in self.facts):
            self.facts.append(fact)
        return None

    def _leave(self, item: Item, reason: str) -> None:
        self.set_aside.append(SetAside(text=_shown(item), reason=reason))

    def _fact(self, item: Item, turn: Turn, kind: Kind, name: str, value: str) -> Assertion:
        said = item.speaker == "person"
        session = kind.scope == "session" and bool(turn.session)
        places = _places(item, turn)
        return Assertion(
            identity=Identity(
                scope="session" if session else "thread",
                owner=turn.session if session else self.of.thread,
                subject=item.subject,
                name=name,
                preview=turn.preview,
            ),
            value=value,
            source=Source(kind="model", principal=_voice(turn, said=said)),
            at=item.at or max([one.at for one in places if item.entries], default=turn.at),
            fact_class=kind.fact_class,
            method="distilled",
            proposal=kind.fact_class == "permanent",
            provenance=Provenance(
                agent=turn.agent,
                session=turn.session,
                thread=self.of.thread,
                turn=turn.number,
                entries=tuple(one.entry for one in places),
                positions=tuple(sorted({one.position for one in places})),
                model=self.model,
                detail=SAID if said else CONCLUDED,
            ),
        )


def _voice(turn: Turn, *, said: bool) -> str:
    """Who states a fact: what the model concluded is never of the same voice as what the person said, so that it does
    not take the place of that."""
    if said:
        return PERSONS
    return turn.agent if turn.agent not in ("", PERSONS) else CONCLUDER


def _wrong(kind: Kind, item: Item, turn: Turn, name: str, value: str) -> str:
    """Why an item of a known kind is no fact, empty where it is one."""
    if not kind.distil:
        return "kind not distilled"
    if blank(value):
        return "no value"
    if REDACTED in value and not any(map(str.isalnum, value.replace(REDACTED, ""))):
        return "a secret"
    if blank(name):
        return "no name"
    if item.entries and not {one.entry for one in turn.said}.intersection(item.entries):
        return "an entry that is none of its turn"
    return ""


def _places(item: Item, turn: Turn) -> Sequence[Said]:
    """What an item came from; of the turn as a whole, the newest prompts and replies."""
    return [one for one in turn.said if not item.entries or one.entry in item.entries][-limits.ENTRIES_NAMED :]


def _again(fact: Assertion, before: Assertion) -> bool:
    """Whether a fact says the same, by the same, as one before it."""
    return (
        fact.identity == before.identity
        and fact.source == before.source
        and fact.at == before.at
        and same(fact.value, before.value)
    )


def _bounded(facts: Sequence[Assertion], by: Distiller) -> tuple[list[Assertion], int]:
    """The first `limits.DISTILLED_FACTS`, of a model's range or by rules of each turn; how many were dropped."""
    kept: list[Assertion] = []
    counts: dict[int, int] = {}
    for fact in facts:
        turn = fact.provenance.turn if by == "rules" else 0
        counts[turn] = counts.get(turn, 0) + 1
        if counts[turn] <= limits.DISTILLED_FACTS:
            kept.append(fact)
    return kept, len(facts) - len(kept)


def kept_aside(found: Sequence[SetAside]) -> tuple[SetAside, ...]:
    """At most `limits.SET_ASIDE` of them, without secrets, each no longer than is kept; the last one says how many more
    there were."""
    if len(found) <= limits.SET_ASIDE:
        return tuple(map(_kept, found))
    kept = tuple(map(_kept, found[: limits.SET_ASIDE - 1]))
    return (*kept, SetAside(text="", reason=f"and {len(found) - len(kept)} more were set aside"))


def _kept(one: SetAside) -> SetAside:
    text, reason = (cut(redact(words[:_READ]), limits.SET_ASIDE_LENGTH) for words in (one.text, one.reason))
    return SetAside(text=text, reason=reason)


def _shown(item: Item) -> str:
    """An item as text."""
    return f"{item.subject} {item.name}: {item.value} (turn {item.turn}, the {item.speaker})"
