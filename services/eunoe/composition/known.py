"""Facts in force as a context may show them, in an order that says which go first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import msgspec

from eunoe.composition import factlines
from eunoe.composition.factlines import LINE_LEAST
from eunoe.composition.words import of_fact
from eunoe.facts.fold import View, pinned
from eunoe.facts.lineage import Order, order
from eunoe.facts.runs import Version
from eunoe.schemas.context import FactLine
from eunoe.schemas.distilled_events import SAID
from eunoe.schemas.facts import Document, Identity, SourceClass, Stated

TASK = "task"
SURFACES = frozenset({"memo", "statement"})  # kinds that, as records, are shown by their own surfaces, not as facts

Rank = tuple[bool, bool, bool, bool, bool, int, int, int, str]
"""The order of facts: the task, what is pinned, what is in conflict, what a person stated, what was drawn from what the
person said (nobody can look that up again, as a tool can), then what was said or confirmed last; never the same
twice."""


class Known(msgspec.Struct, frozen=True, dict=True):
    """A fact in force, by the ``first`` assertion of the strongest of those that say it. ``others`` are the parts of
    its note that tell of what others say.

    ``turn`` is where it came from when that is this thread's, else 0. Its line and its words are made when somebody
    asks for them, for most facts nobody does: a context shows some of them, and few share a word with a request.
    """

    first: Stated
    others: tuple[str, ...]
    turn: int
    task: bool
    pinned: bool
    conflict: bool
    proposed: bool
    rank: Rank

    @property
    def id(self) -> str:
        return self.first.id

    @property
    def identity(self) -> Identity:
        return self.first.fact.identity

    @property
    def source(self) -> SourceClass:
        """Whose word it is."""
        return self.first.fact.source.kind

    @property
    def value(self) -> str:
        return self.first.fact.value

    @property
    def shown(self) -> FactLine:
        """The fact as a recipe names it."""
        return self.written[0]

    @property
    def line(self) -> str:
        return self.written[1]

    @property
    def bytes(self) -> int:
        """The size of its line with the line feed."""
        return self.written[2]

    @cached_property
    def written(self) -> tuple[FactLine, str, int]:
        """What a recipe names it by, its line, and the size of that with the line feed."""
        first = self.first
        note = "; ".join(factlines.of_itself(first.fact, *self.others, proposed=self.proposed))
        text = factlines.line(first.fact, note)
        shown = FactLine(id=first.id, position=first.position, index=first.index, note=note)
        return shown, text, len(text.encode()) + 1

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that a request may share."""
        identity = self.identity
        return of_fact(identity.subject, identity.name, self.value)

    @property
    def length(self) -> int:
        """Characters of what it says."""
        fact = self.first.fact
        return len(fact.identity.name) + len(fact.value)

    def taking(self, room: int) -> int:
        """Bytes that its line takes of ``room``, 0 where it is longer; for one that clearly is, no line is made."""
        if "written" not in vars(self) and self.length + LINE_LEAST > room:
            return 0
        size = self.written[2]
        return size if size <= room else 0

    def said_by(self, view: frozenset[int]) -> bool:
        """Whether a turn in view says it already, so that it need not be said again; a fact that is pinned or that
        sources disagree on, or a proposal, is always said."""
        return self.turn in view and not self.conflict and not self.proposed and not self.pinned

    @property
    def newest(self) -> Order:
        """The order of what was said of it last."""
        at, position, index = self.rank[5:8]
        return -at, -position, -index


def known(view: View, thread: str) -> tuple[Known, ...]:
    """What of a folded document is in force: one fact, or every head of a kind whose values stand side by side."""
    if view.identity.subject in SURFACES:
        return ()
    return tuple(_known(view, heads, thread) for heads in view.facts)


def alone(document: Document, thread: str) -> Known | None:
    """What is in force of a document that holds one assertion, for all time, and nothing else: as `known` says it of
    the document folded. None where there is more to say, or nothing."""
    if len(document.assertions) != 1 or document.acts or document.floors:
        return None
    first = document.assertions[0]
    fact = first.fact
    if fact.valid_from is not None or fact.valid_to is not None or document.identity.subject in SURFACES:
        return None
    return _made(first, order(first), thread, (), proposed=fact.proposal)


def _known(view: View, heads: Sequence[Version], thread: str) -> Known:
    """One fact, by its heads that say the same, the strongest first."""
    head = heads[0]
    newest = max(one.newest for one in heads)
    proposed, held = head.state == "proposed", pinned(heads)
    others = factlines.of_others(view, heads)
    return _made(head.first, newest, thread, others, proposed=proposed, pinned=held, conflict=view.conflict)


def _made(
    first: Stated,
    newest: Order,
    thread: str,
    others: tuple[str, ...],
    *,
    proposed: bool,
    pinned: bool = False,
    conflict: bool = False,
) -> Known:
    fact = first.fact
    task, person = fact.identity.subject == TASK, fact.source.kind == "person"
    said = fact.method == "distilled" and fact.provenance.detail == SAID
    at, position, index = newest
    return Known(
        first=first,
        others=others,
        turn=fact.provenance.turn if thread and fact.provenance.thread == thread else 0,
        task=task,
        pinned=pinned,
        conflict=conflict,
        proposed=proposed,
        rank=(not task, not pinned, not conflict, not person, not said, -at, -position, -index, first.id),
    )
