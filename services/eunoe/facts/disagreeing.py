"""When it is to be logged that sources began, or ceased, to disagree about a fact. Pure.

What a document says now is compared with what was logged of it last; so it does not matter who looks, how often, or
what was missed meanwhile.
"""

from __future__ import annotations

from eunoe.facts import document as documents
from eunoe.facts.fold import View
from eunoe.facts.lineage import WHOLE, lineage_of
from eunoe.schemas.events import ConflictRaised, ConflictResolved
from eunoe.schemas.facts import Document

NAMED = 64  # heads that one event names, the strongest


def event(document: Document, view: View) -> ConflictRaised | ConflictResolved | None:
    """What is to be logged of a document that folds to ``view``; None where its log says so already."""
    now, known = disagreeing(view), logged(document)
    if set(now) == set(known):
        return None
    if now:
        return ConflictRaised(identity=document.identity, facts=now)
    return ConflictResolved(identity=document.identity, facts=tuple(head.id for head in view.heads)[:NAMED])


def disagreeing(view: View) -> tuple[str, ...]:
    """The ids of the heads that disagree, the one that leads first; none where all say the same."""
    return tuple(head.id for head in view.heads)[:NAMED] if view.conflict else ()


def logged(document: Document) -> tuple[str, ...]:
    """The heads that disagree by what was logged last."""
    last = documents.newest(document, "raised", "resolved")
    return last.ids if last and last.kind == "raised" else ()


def possible(document: Document) -> bool:
    """Whether there may be anything to log: several sources, or a conflict that was logged. Previews have none."""
    if document.identity.preview:
        return False
    sources = {lineage_of(one) for one in document.assertions} | document.floors.keys()
    return len(sources - {WHOLE}) > 1 or bool(logged(document))
