"""Facts as people see them: one `FactView` a version, and the words for who said it. Pure."""

from __future__ import annotations

from eunoe.facts.fold import View
from eunoe.facts.runs import Version
from eunoe.schemas.facts import Assertion
from eunoe.schemas.requests import FactView


def spoken(fact: Assertion) -> str:
    """Where a fact comes from, in words: ``tool read_file, turn 2, entry 4``."""
    source, provenance = fact.source, fact.provenance
    who = f"{source.kind} {source.principal}".strip()
    how = fact.method if source.kind == "model" and fact.method != "stated" else ""
    turn = f"turn {provenance.turn}" if provenance.turn else ""
    entry = f"entry {provenance.entries[0]}" if len(provenance.entries) == 1 else ""
    return ", ".join(part for part in (who, how, turn, entry) if part)


def shown(view: View, version: Version) -> FactView:
    """One version of a folded document."""
    fact = version.first.fact
    leads = view.current is not None and version.id == view.current.id
    return FactView(
        id=version.id,
        identity=view.identity,
        value=version.value,
        version=version.number,
        state=version.state,
        source=fact.source,
        at=fact.at,
        position=version.first.position,
        method=fact.method,
        fact_class=fact.fact_class,
        sources=tuple(spoken(head.first.fact) for head in view.sources) if leads else (spoken(fact),),
        supports=sum(head.supports for head in view.sources) if leads else version.supports,
        others=tuple(_disagrees(head) for head in view.others) if leads else (),
        conflict=view.conflict and version.in_force,
        superseded_by=version.superseded_by,
        rule=version.rule,
        turn=fact.provenance.turn,
        thread=fact.provenance.thread,
        session=fact.provenance.session,
        agent=fact.provenance.agent,
        entries=fact.provenance.entries,
        from_text=spoken(fact),
    )


def in_force(view: View) -> tuple[FactView, ...]:
    """What of a document is in force: one fact, or every head of a kind whose values stand side by side."""
    if view.current is None:
        return ()
    if view.conflict:
        return (shown(view, view.current),)
    return (shown(view, view.current), *(shown(view, other) for other in view.others))


def every(view: View) -> tuple[FactView, ...]:
    """Every version, oldest first."""
    return tuple(shown(view, version) for version in view.versions)


def _disagrees(head: Version) -> str:
    return f"{head.value} — from {spoken(head.first.fact)}"
