"""A fresh desk for every test; assertions and acts built in one line, and an identity to put them under."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fact_desks import FactDesk

from eunoe.facts.lineage import author, lineage, order
from eunoe.schemas import ids
from eunoe.schemas.facts import Act, ActKind, Assertion, Identity, Source, SourceClass, Stated

IDENTITY = Identity(scope="thread", owner="t1", subject="tests", name="pytest")
CHAIN = "thread.t1"


@pytest.fixture
def desk(tmp_path: Path) -> FactDesk:
    return FactDesk(tmp_path)


@pytest.fixture
def state() -> Callable[..., Stated]:
    """``state(value, at)``: an assertion at position ``at`` of the log, too, recorded then if nothing else is said."""

    def make(
        value: str,
        at: int,
        *,
        kind: SourceClass = "tool",
        who: str = "bash",
        agent: str = "",
        proposal: bool = False,
        valid: tuple[int | None, int | None] = (None, None),
        recorded: int | None = None,
        about: Identity = IDENTITY,
        replaces: str = "",
        removes: bool = False,
    ) -> Stated:
        fact = Assertion(
            identity=about,
            value=value,
            source=Source(kind=kind, principal=who, agent=agent),
            at=at,
            proposal=proposal,
            valid_from=valid[0],
            valid_to=valid[1],
            replaces=replaces,
            removes=removes,
        )
        when = at if recorded is None else recorded
        return Stated(id=ids.fact_id(CHAIN, str(at), 0), position=at, index=0, fact=fact, recorded=when)

    return make


@pytest.fixture
def do() -> Callable[..., Act]:
    """``do(kind, target, at)``: what ada did to an assertion, at position ``at`` of the log."""

    def make(kind: ActKind, target: Stated, at: int, *, add: tuple[int, ...] = (), remove: tuple[int, ...] = ()) -> Act:
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
            recorded=at,
            add=add,
            remove=remove,
        )

    return make
