"""A review keeps records for its agent, and retires those of that agent, wherever they were stated."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import AGENT, whole_turn
from drawn_events import DISTILLATION, distilled, drawn, reviewed
from fact_desks import PERSON, FactDesk

from eunoe.facts.document import build, encode
from eunoe.facts.history import History
from eunoe.facts.visibility import Viewer
from eunoe.schemas import ids, records
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.events import Event, FactRecorded, FactRetired
from eunoe.schemas.facts import Identity, Scope
from eunoe.schemas.requests import FactsRequest
from eunoe.schemas.subjects import Caller

OTHER = Caller("agent", "other")
SCOPES: tuple[Scope, ...] = ("permanent", "session", "thread")


@pytest.fixture
async def desk(tmp_path: Path) -> FactDesk:
    """Two threads of one committed turn each, of which reviews keep records."""
    desk = FactDesk(tmp_path)
    for thread in ("t", "u"):
        await desk.append(1, *whole_turn("x"), thread=thread)
    return desk


def record(value: str, agent: str = "builder", scope: Scope = "permanent", subject: str = "guidance") -> FactRecorded:
    owner = "s" if scope == "session" else agent
    return drawn(value, 1, subject=subject, name=value, who=agent, scope=scope, owner=owner, method="inferred")


async def stated(desk: FactDesk, *events: Event, thread: str = "t", caller: Caller = DISTILLATION) -> list[str]:
    """One record of a worker or an agent, projected; the ids of its events."""
    reply = await desk.write(f"thread.{thread}", *events, caller=caller)
    await desk.catch_up()
    return [ids.fact_id(f"thread.{thread}", reply.origin, index) for index in range(len(events))]


async def states(desk: FactDesk) -> dict[str, str]:
    """What is known of records, by what they say."""
    viewer = Viewer(PERSON)
    listed = [
        view
        for scope in SCOPES
        for view in await desk.listed(viewer, FactsRequest(scope=scope, session="s", thread="t", all=True))
    ]
    return {view.value: view.state for view in listed}


@pytest.mark.parametrize("scope", ["permanent", "session"])
async def test_a_record_is_retired_from_another_thread(desk: FactDesk, scope: Scope) -> None:
    """It is what its agent kept, and the document made of the log is the one that is stored."""
    _, fact = await stated(desk, reviewed(1, 1), record("old", scope=scope))
    await stated(desk, reviewed(1, 1), FactRetired(id=fact), record("new", scope=scope), thread="u")

    identity = record("old", scope=scope).fact.identity
    document = await desk.facts.document(identity)
    history = History(desk.store.log, desk.store.space, desk.kinds)
    assert await states(desk) == {"old": "retired", "new": "current"}
    assert document is not None
    assert encode(build(identity, await history.events(identity))) == encode(document)


async def test_what_the_agent_kept_itself_is_its_own_too(desk: FactDesk) -> None:
    await desk.write("book.permanent.builder", record("by itself"), caller=AGENT)
    await desk.catch_up()
    (fact,) = [view.id for view in await desk.listed(Viewer(PERSON), FactsRequest(scope="permanent"))]

    await stated(desk, reviewed(1, 1), FactRetired(id=fact))

    assert await states(desk) == {"by itself": "retired"}


@pytest.mark.parametrize(
    ("fact", "review"),
    [
        (record("another's", agent="other"), "builder"),
        (record("own", agent="builder"), "other"),
    ],
    ids=["of another agent", "in a review of another agent"],
)
async def test_no_record_of_another_agent_is_retired(desk: FactDesk, fact: FactRecorded, review: str) -> None:
    _, kept = await stated(desk, reviewed(1, 1, agent=fact.fact.source.principal), fact)

    with pytest.raises(EunoeError, match=f"there is no fact {kept} here"):
        await stated(desk, reviewed(1, 1, agent=review), FactRetired(id=kept))

    await desk.plant("thread.t", reviewed(1, 1, agent=review), FactRetired(id=kept), caller=DISTILLATION)
    await desk.catch_up()
    assert await states(desk) == {fact.fact.value: "current"}


async def test_what_is_no_record_is_not_retired(desk: FactDesk) -> None:
    """What was distilled in the agent's name, of its thread, stays whatever a review says."""
    _, fact = await stated(desk, distilled(1, 1), drawn("concluded", 1, subject="note", who="builder"))

    with pytest.raises(EunoeError, match="only its author takes it back"):
        await stated(desk, reviewed(1, 1), FactRetired(id=fact))

    assert await states(desk) == {"concluded": "current"}


async def test_nobody_else_retires_in_a_review(desk: FactDesk) -> None:
    """A record of an agent that claims to be a review, past every check: the document does not take it."""
    _, fact = await stated(desk, reviewed(1, 1), record("kept"))

    await desk.plant("thread.t", reviewed(1, 1), FactRetired(id=fact), caller=OTHER)
    await desk.catch_up()

    assert await states(desk) == {"kept": "current"}


async def test_a_retirement_without_its_review_counts_for_nothing(desk: FactDesk) -> None:
    _, fact = await stated(desk, reviewed(1, 1), record("kept"))

    await desk.plant("thread.t", FactRetired(id=fact), caller=DISTILLATION)
    await desk.catch_up()

    assert await states(desk) == {"kept": "current"}


def test_records_have_names_of_their_own() -> None:
    """The identities that these tests are about differ, so that none supersedes another."""
    assert record("a").fact.identity != record("b").fact.identity
    assert record("a").fact.identity == Identity("permanent", "builder", "guidance", "a")
    assert records.producer_key(DISTILLATION, "") == "worker/distillation/"
