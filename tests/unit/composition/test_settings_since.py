"""Past turns as workers give them that are configured otherwise than those which were there then."""

from __future__ import annotations

from typing import Any

import pytest
from composition_desks import ALICE, System, block

from eunoe.audit.worker import LocalAuditor
from eunoe.composition.worker import CompositionWorker
from eunoe.facts.kinds import Kinds
from eunoe.facts.projector import Projector
from eunoe.facts.store import FactStore
from eunoe.runtime.settings import Settings
from eunoe.schemas import subjects
from eunoe.schemas.context import Context
from eunoe.schemas.events import FactRecorded, Prompt, Response, TurnCommitted
from eunoe.schemas.facts import Assertion, Identity, Source
from eunoe.schemas.subjects import Caller

KINDS: tuple[dict[str, Any], ...] = (
    {"note": {"normaliser": "trim"}},
    {"note": {"normaliser": "single"}},
    {"note": {"note": False, "distil": False}},
    {"note": {"single": False}},
)


@pytest.fixture
def system() -> System:
    return System()


def configured(system: System, **settings: Any) -> CompositionWorker:
    """Another worker of the space, with settings of its own."""
    auditor = LocalAuditor(system.audit, Caller("worker", "composition"))
    return CompositionWorker(system.store, auditor, Settings(**settings), system.clock)


async def composed(system: System, **request: Any) -> Context:
    """One more turn, whose context is stored."""
    key = await system.open(Prompt(content="and now?"), session="s")
    context = await system.compose(key=key, store=True, **request)
    await system.append(Response(content="so"), TurnCommitted(), key=key)
    return context


@pytest.mark.parametrize("kinds", KINDS)
async def test_a_replay_shows_names_as_they_were_written(system: System, kinds: dict[str, Any]) -> None:
    """A name is stated as "Tea", and shipped rules write it without regard to case."""
    await system.fact("hot", scope="permanent", owner="shared", name="Tea")
    await system.project()
    saw = await composed(system)

    again = await system.compose(configured(system, kinds=kinds), turn=1)

    assert "- note tea: hot — from person alice" in block(again, "earlier")
    assert (again.differs, again.messages, again.recipe) == ("", saw.messages, saw.recipe)


async def test_a_replay_shows_names_as_kinds_had_them_that_are_shipped_again(system: System) -> None:
    """They were configured to be written as they are stated; of the rules that are tried, those give the digest."""
    await system.fact("hot", scope="permanent", owner="shared", name="Tea")
    system.projector = Projector(system.store, FactStore(system.store, Kinds({"note": {"normaliser": "trim"}})))
    await system.project()
    saw = await composed(system)

    again = await system.compose(turn=1)

    assert "- note Tea: hot — from person alice" in block(again, "earlier")
    assert (again.differs, again.messages) == ("", saw.messages)


async def test_a_reconstructed_turn_takes_kinds_as_they_are_shipped(system: System) -> None:
    """Where a person and a program disagree on a note, that is a conflict, whatever a fleet makes of notes today."""
    person, program = Source(kind="person", principal="alice"), Source(kind="caller", principal="app")
    about = Identity("permanent", "shared", "note", "tea")
    for caller, source, value in ((ALICE, person, "hot"), (Caller("caller", "app"), program, "cold")):
        told = Assertion(identity=about, value=value, source=source, at=0)
        await system.append(FactRecorded(fact=told), caller=caller, chain=subjects.book_chain("permanent", "shared"))
    await system.project()
    await system.turn(Prompt(content="two"), Response(content="2"))

    here = await system.compose(turn=1)

    assert "tea: hot — from person alice (another source disagrees: cold — from caller app)" in block(here, "earlier")
    for kinds in KINDS:
        there = await system.compose(configured(system, kinds=kinds), turn=1)
        assert (there.recipe, there.messages) == (here.recipe, here.messages)


async def test_a_reconstructed_turn_shows_nothing_of_its_session(system: System) -> None:
    """What it holds goes with it; what is its thread's stays."""
    await system.fact("mine", scope="session", owner="s", name="a")
    await system.fact("lasting", scope="permanent", owner="shared", name="b")
    await system.project()
    saw = await composed(system)

    other = await system.compose(turn=1, window=1024)

    assert "note a: mine" in str(saw.messages)
    assert "note a: mine" not in str(other.messages)
    assert "note b: lasting" in str(other.messages)


async def test_a_turn_in_another_window_is_counted_as_its_recipe_was(system: System) -> None:
    """While no other model is named; one that is named is counted as it is set."""
    saw = await composed(system, model="gpt-4o")
    other = configured(system, counters={"gpt-4*": "bytes/4"})

    mine = await system.compose(other, turn=1, window=1024)
    named = await system.compose(other, turn=1, window=1024, model="gpt-4")

    assert (saw.counter, mine.counter, named.counter) == ("o200k_base", "o200k_base", "bytes/4")
