"""Memory records are no facts of a context: a surface of their own shows them, those of a fleet's own kinds too."""

from __future__ import annotations

from eunoe.composition.owned import Owned
from eunoe.composition.place import Place
from eunoe.composition.whole import Whole
from eunoe.facts.document import build, encode, key
from eunoe.facts.kinds import Kinds
from eunoe.schemas.context import Watermark
from eunoe.schemas.facts import Assertion, Document, Identity, Source, Stated

KINDS = Kinds({"lesson": {"record": True, "description": "What was learnt."}})


def said(subject: str, *values: str) -> Document:
    """A document of the thread with these values, one after the other."""
    about = Identity("thread", "t", subject, subject)
    source = Source(kind="model", principal="builder")
    facts = [Assertion(identity=about, value=value, source=source, at=at) for at, value in enumerate(values, start=1)]
    stated = [Stated(id=f"f{subject}{fact.at}", position=fact.at, index=0, fact=fact) for fact in facts]
    return build(about, stated)


DOCUMENTS = (said("note", "one", "two"), said("guidance", "one"), said("lesson", "one", "two"))


def test_what_is_held_in_memory_leaves_them_out() -> None:
    """Whether a document holds one assertion or several."""
    owned = Owned("t", KINDS, thread="t")
    for document in DOCUMENTS:
        owned.take(key(document.identity), encode(document), 1)
    assert [fact.identity.subject for fact in owned.facts] == ["note"]


def test_what_is_read_whole_leaves_them_out() -> None:
    """As contexts of past turns and of previews read it."""
    whole = Whole(DOCUMENTS, None, None, Watermark())
    place = Place("t", "", "builder")
    assert [fact.identity.subject for part in whole.facts(place, KINDS, 10) for fact in part] == ["note"]
