"""Facts in force as a context would show them, made for tests that say themselves how long and in which order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eunoe.composition.factlines import LINE_LEAST
from eunoe.composition.known import Known, Rank
from eunoe.schemas.context import FactLine
from eunoe.schemas.facts import Assertion, Identity, Source, SourceClass, Stated


def fact(
    id: str,  # noqa: A002 - the word of the API
    rank: Rank,
    *,
    subject: str = "note",
    name: str = "",
    value: str = "",
    source: SourceClass = "model",
    turn: int = 0,
    position: int = 1,
    pinned: bool = False,
    conflict: bool = False,
    size: int = 0,
    words: Iterable[str] | None = None,
) -> Known:
    """A fact of that id and order; its line has ``size`` bytes, and it has these ``words``, where they are given. No
    line is shorter than what it says."""
    said = Assertion(
        identity=Identity("thread", "t", subject, name or id), value=value, source=Source(kind=source), at=0
    )
    found = Known(
        first=Stated(id=id, position=position, index=0, fact=said),
        others=(),
        turn=turn,
        task=subject == "task",
        pinned=pinned,
        conflict=conflict,
        proposed=False,
        rank=rank,
    )
    assert not size or size >= found.length + LINE_LEAST, f"no line of it has {size} bytes"
    shown = FactLine(id=id, position=position, index=0)
    given: dict[str, Any] = {"written": (shown, "x" * (size - 1), size)} if size else {}
    given |= {"words": frozenset(words)} if words is not None else {}
    vars(found).update(given)
    return found
