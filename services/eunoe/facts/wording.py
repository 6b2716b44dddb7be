"""Facts as people see them: one `FactView` a version, and the words for who said it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.facts import fold
from eunoe.facts.fold import View
from eunoe.facts.labels import Labels
from eunoe.facts.runs import Version
from eunoe.schemas.facts import Act, Assertion, Stated
from eunoe.schemas.requests import ActView, FactView

UNDECLARED = Labels()  # every label by its number


def spoken(fact: Assertion, *, through: bool = False) -> str:
    """Where a fact comes from, in words: ``tool read_file, turn 2, entry 4``; of a distilled one by what, and who said
    it: ``rules: the person said, turn 1, entry 2``.

    ``through``: with the agent that appended what a tool returned, ``tool read_file through builder``.
    """
    source, provenance = fact.source, fact.provenance
    who = f"{source.kind} {source.principal}".strip()
    if through and source.kind == "tool" and source.agent:
        who = f"{who} through {source.agent}"
    how = fact.method if source.kind == "model" and fact.method != "stated" else ""
    if fact.method == "distilled" and provenance.detail:
        who, how = drawn_by(provenance.model, provenance.detail), ""
    turn = f"turn {provenance.turn}" if provenance.turn else ""
    entry = f"entry {provenance.entries[0]}" if len(provenance.entries) == 1 else ""
    return ", ".join(part for part in (who, how, turn, entry) if part)


def drawn_by(model: str, detail: str) -> str:
    """What a distilled fact was drawn by, and who said it: ``rules: the person said``."""
    return f"{model or 'a model'}: {detail}"


def shown(view: View, version: Version, labels: Labels = UNDECLARED) -> FactView:
    """One version of a folded document. The strongest of those that say the same speaks for all of them."""
    first, fact = version.first, version.first.fact
    leads = view.current is not None and version.id == view.current.id
    heads = next((heads for heads in view.facts if heads[0].id == version.id), (version,))
    return FactView(
        id=version.id,
        identity=fact.identity,
        value=version.value,
        version=version.number,
        state=version.state,
        source=fact.source,
        at=fact.at,
        position=first.position,
        method=fact.method,
        fact_class=fact.fact_class,
        sources=_words(one for head in heads for one in head.said),
        supports=sum(head.supports for head in heads),
        others=tuple(_disagrees(head) for head in view.others) if leads else (),
        conflict=view.conflict and version.in_force,
        superseded_by=version.superseded_by,
        rule=version.rule,
        turn=fact.provenance.turn,
        thread=fact.provenance.thread,
        session=fact.provenance.session,
        agent=fact.provenance.agent,
        entries=fact.provenance.entries,
        model=fact.provenance.model,
        detail=fact.provenance.detail,
        from_text=spoken(fact),
        recorded=first.recorded,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        from_offset=fact.from_offset,
        to_offset=fact.to_offset,
        labels=labels.names(fold.labels(heads)),
        pinned=fold.pinned(heads),
        cites=fact.cites,
        replaces=fact.replaces,
        removes=fact.removes,
        has_content=bool(version.body),
    )


def in_force(view: View, labels: Labels = UNDECLARED) -> tuple[FactView, ...]:
    """What of a document is in force: one fact, or every value of a kind whose values stand side by side."""
    return tuple(shown(view, heads[0], labels) for heads in view.facts)


def every(view: View, labels: Labels = UNDECLARED) -> tuple[FactView, ...]:
    """Every version, oldest first."""
    return tuple(shown(view, version, labels) for version in view.versions)


def acts(view: View, labels: Labels = UNDECLARED) -> tuple[ActView, ...]:
    """Every act that the document keeps, oldest first; labels that were put on begin with ``+``, others with ``-``."""
    return tuple(_act(act, labels) for act in view.acts)


def _act(act: Act, labels: Labels) -> ActView:
    put_on = (f"+{name}" for name in labels.names(act.add))
    taken_off = (f"-{name}" for name in labels.names(act.remove))
    return ActView(
        kind=act.kind,
        target=act.target,
        by=act.by,
        at=act.recorded,
        position=act.position,
        reason=act.reason,
        labels=(*put_on, *taken_off),
        ids=act.ids,
    )


def _words(said: Iterable[Stated]) -> tuple[str, ...]:
    """Each support in words, once."""
    return tuple(dict.fromkeys(spoken(one.fact, through=True) for one in said))


def _disagrees(head: Version) -> str:
    return f"{head.value} — from {spoken(head.first.fact, through=True)}"
