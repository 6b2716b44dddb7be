"""Assertions and acts built in one line; an identity to put them under."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eunoe.facts.lineage import author, lineage, order
from eunoe.schemas import ids
from eunoe.schemas.facts import Act, ActKind, Assertion, Identity, Source, SourceClass, Stated

IDENTITY = Identity(scope="thread", owner="t1", subject="tests", name="pytest")
CHAIN = "thread.t1"


@pytest.fixture
def state() -> Callable[..., Stated]:
    """``state(value, at)``: an assertion at position ``at`` of the log, too."""

    def make(value: str, at: int, *, kind: SourceClass = "tool", who: str = "bash", proposal: bool = False) -> Stated:
        source = Source(kind=kind, principal=who)
        fact = Assertion(identity=IDENTITY, value=value, source=source, at=at, proposal=proposal)
        return Stated(id=ids.fact_id(CHAIN, str(at), 0), position=at, index=0, fact=fact)

    return make


@pytest.fixture
def do() -> Callable[..., Act]:
    def make(kind: ActKind, target: Stated, at: int) -> Act:
        return Act(
            id=ids.fact_id(CHAIN, str(at), 0),
            kind=kind,
            target=target.id,
            lineage=lineage(target.fact.source),
            order=order(target),
            author=author(target.fact.source),
            by="person ada",
            at=at,
            position=at,
            index=0,
        )

    return make
