"""Who sees which fact, and how lists, histories and threads are paged: one predicate for every path."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from desks import AGENT, whole_turn
from fact_desks import EXTRACTION, PERSON, FactDesk, recorded, written

from eunoe.facts.threads import Threads
from eunoe.facts.visibility import Viewer, visible
from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import Denied, Invalid, NotFound
from eunoe.schemas.events import FactRecorded
from eunoe.schemas.facts import Identity, Provenance
from eunoe.schemas.requests import FactRequest, FactsReply, FactsRequest, FactView, ThreadsRequest
from eunoe.schemas.subjects import Caller, Role

OTHER = Caller("agent", "other")


@pytest.fixture
async def desk(tmp_path: Path) -> FactDesk:
    """A fact in every scope and owner that matters, and a proposal in thread ``t``."""
    desk = FactDesk(tmp_path)
    await desk.write("thread.t", recorded("in t"))
    await desk.write("thread.u", recorded("in u", owner="u"))
    await desk.write("thread.t", recorded("uv", subject="decision", name="tool"))
    for chain, fact in (
        (
            "book.permanent.shared",
            recorded("all", subject="entity", scope="permanent", owner="shared", kind="person", who="ada"),
        ),
        (
            "book.permanent.builder",
            recorded("own", subject="entity", scope="permanent", owner="builder", kind="person", who="ada"),
        ),
        ("book.session.1", recorded("one", subject="service", scope="session", owner="1", kind="person", who="ada")),
        ("book.session.10", recorded("ten", subject="service", scope="session", owner="10", kind="person", who="ada")),
    ):
        await desk.write(chain, fact, caller=PERSON)
    await desk.catch_up()
    return desk


async def _values(desk: FactDesk, caller: Caller, request: FactsRequest) -> list[str]:
    listed = await desk.listed(Viewer(caller, request.thread, request.session), request)
    return sorted(fact.value for fact in listed)


@pytest.mark.parametrize(
    ("caller", "request_", "expected"),
    [
        (AGENT, FactsRequest(), ["all", "own"]),
        (OTHER, FactsRequest(), ["all"]),
        (AGENT, FactsRequest(thread="t"), ["all", "in t", "own", "uv"]),
        (OTHER, FactsRequest(thread="u"), ["all", "in u"]),
        (OTHER, FactsRequest(session="1"), ["all", "one"]),
        (OTHER, FactsRequest(session="10", scope="session"), ["ten"]),
        (OTHER, FactsRequest(agent="builder"), ["all"]),
        (Caller("tool", "builder"), FactsRequest(), ["all"]),
        (PERSON, FactsRequest(), ["all", "own"]),
        (PERSON, FactsRequest(agent="other"), ["all"]),
        (PERSON, FactsRequest(scope="thread"), ["in t", "in u", "uv"]),
        (PERSON, FactsRequest(scope="session"), ["one", "ten"]),
    ],
)
async def test_what_each_may_list(desk: FactDesk, caller: Caller, request_: FactsRequest, expected: list[str]) -> None:
    """An agent sees what is shared, its own, and the thread and session it names; a proposal in its thread only."""
    assert await _values(desk, caller, request_) == expected


@pytest.mark.parametrize("scope", ["thread", "session"])
async def test_a_blank_filter_is_never_everyone_for_an_agent(desk: FactDesk, scope: str) -> None:
    """Asking for the facts of no thread, or of no session, is refused (F82)."""
    request = FactsRequest(scope="thread" if scope == "thread" else "session")
    with pytest.raises(Invalid, match=f"name the {scope}"):
        await _values(desk, AGENT, request)


@pytest.mark.parametrize("role", ["person", "caller", "viewer", "worker", "agent", "tool"])
@pytest.mark.parametrize("scope", ["permanent", "session", "thread"])
@pytest.mark.parametrize("owner", ["shared", "me", "here", "elsewhere"])
def test_the_predicate_as_a_table(role: Role, scope: str, owner: str) -> None:
    """Every combination of role, scope and owner (F80)."""
    identity = Identity(
        "permanent" if scope == "permanent" else "session" if scope == "session" else "thread", owner, "s", "n"
    )
    viewer = Viewer(
        Caller(role, "me"), thread="here" if scope == "thread" else "", session="here" if scope == "session" else ""
    )
    expected = (
        role in ("person", "caller", "viewer", "worker")
        or (scope == "permanent" and owner == "shared")
        or (scope == "permanent" and owner == "me" and role == "agent")
        or (scope != "permanent" and owner == "here")
    )
    assert visible(identity, viewer) == expected


def test_an_empty_place_is_no_owner() -> None:
    """A viewer without a thread does not see the facts of an owner without a name."""
    assert not visible(Identity("thread", "", "s", "n"), Viewer(AGENT))


async def test_history_by_the_beginning_of_an_id(desk: FactDesk) -> None:
    """Five characters are enough while they are unique; fewer, unknown and invisible ones are refused."""
    await desk.write("thread.t", recorded("again"))
    await desk.catch_up()
    fact = written("thread.t", 1)
    reply = await desk.reading.history(FactRequest(id=fact[:6]), Viewer(PERSON))
    assert [(v.value, v.version, v.state) for v in reply.versions] == [
        ("in t", 1, "superseded"),
        ("again", 2, "current"),
    ]
    with pytest.raises(Invalid):
        await desk.reading.history(FactRequest(id=fact[:4]), Viewer(PERSON))
    with pytest.raises(Invalid):
        await desk.reading.history(FactRequest(id="f*.>a"), Viewer(PERSON))
    with pytest.raises(NotFound):
        await desk.reading.history(FactRequest(id="faaaaaaaaaa"), Viewer(PERSON))
    with pytest.raises(NotFound):
        await desk.reading.history(FactRequest(id=fact), Viewer(OTHER, thread="u"))


async def test_an_ambiguous_beginning_lists_what_it_could_be(desk: FactDesk) -> None:
    """Two indexed ids that share six characters: both are named."""
    fact = written("thread.t", 1)
    entry = await desk.store.thread.get(subjects.index_key(fact))
    assert entry is not None
    twin = fact[:-1] + ("a" if fact[-1] != "a" else "b")
    await desk.store.thread.put(subjects.index_key(twin), entry.value.replace(fact.encode(), twin.encode()))
    with pytest.raises(Invalid) as caught:
        await desk.reading.history(FactRequest(id=fact[:6]), Viewer(PERSON))
    assert fact in str(caught.value)
    assert twin in str(caught.value)


async def test_pages_show_every_fact_once(desk: FactDesk) -> None:
    """120 facts in three buckets, 7 at a time: each once, and the same ones as in one page."""
    for index in range(120):
        await desk.write("thread.t", recorded("v", subject="note", name=f"n{index}"))
    await desk.catch_up()
    whole = await desk.listed(Viewer(AGENT, "t"), FactsRequest(thread="t"))
    paged: list[FactView] = []
    cursor = ""
    while True:
        page = await desk.reading.list(FactsRequest(thread="t", limit=7, cursor=cursor), Viewer(AGENT, "t"))
        paged.extend(page.facts)
        cursor = page.cursor
        if not cursor:
            break
    assert [fact.id for fact in paged] == [fact.id for fact in whole]
    assert len(whole) == 124


async def test_a_limit_of_nothing_asks_how_fresh_the_facts_are_and_reads_none(desk: FactDesk) -> None:
    """There is a fact, and the answer holds none."""
    await desk.write("thread.t", recorded("failed"))

    assert (await desk.reading.list(FactsRequest(thread="t"), Viewer(PERSON))).facts
    assert await desk.reading.list(FactsRequest(thread="t", limit=0), Viewer(PERSON)) == FactsReply(facts=())


@pytest.mark.parametrize("limit", [-1, 1_001, 2**31, 2**63])
async def test_a_limit_out_of_range_is_refused(desk: FactDesk, limit: int) -> None:
    """2^31 and the like are a message, not a crash (F91)."""
    with pytest.raises(Invalid, match="a page has"):
        await desk.reading.list(FactsRequest(limit=limit), Viewer(PERSON))


@pytest.mark.parametrize("cursor", ["x", "thread:x", "thread:-1", "other:1", "thread:" + "9" * 30])
async def test_a_cursor_of_nobody_is_refused(desk: FactDesk, cursor: str) -> None:
    """Only what a reply gave goes on."""
    with pytest.raises(Invalid, match="no cursor"):
        await desk.reading.list(FactsRequest(cursor=cursor), Viewer(PERSON))


async def test_a_person_outranks_a_tool_through_the_store(desk: FactDesk) -> None:
    """The list shows the person's value with who disagrees; ``all`` shows both versions."""
    await desk.write("thread.t", recorded("failed", name="go test", kind="tool", who="bash"), caller=EXTRACTION)
    await desk.write("thread.t", recorded("passed", name="go test", kind="person", who="ada"), caller=PERSON)
    await desk.catch_up()
    listed = await desk.listed(Viewer(PERSON), FactsRequest(scope="thread", thread="t"))
    found = next(fact for fact in listed if fact.identity.name == "go test")
    assert (found.value, found.conflict, found.others) == ("passed", True, ("failed — from tool bash",))
    every = await desk.listed(Viewer(PERSON), FactsRequest(scope="thread", thread="t", all=True))
    assert [(f.value, f.rule) for f in every if f.identity.name == "go test"] == [("failed", "rank"), ("passed", "")]


@pytest.mark.parametrize("owner", ["a*", "a>", "a.b", "a%", "a_b", "a b", "a/b", "ü", "a=b"])
async def test_ids_are_isolated_and_come_back(tmp_path: Path, owner: str) -> None:
    """Threads whose names hold wildcards, separators or spaces see their own facts and no others (F72)."""
    desk = FactDesk(tmp_path)
    for thread in (owner, "a", "ab", "a.bc"):
        await desk.write(f"thread.{ids.encode(thread)}", recorded(f"of {thread}", owner=thread, name=thread))
    await desk.catch_up()
    assert await _values(desk, AGENT, FactsRequest(thread=owner)) == [f"of {owner}"]


async def test_an_agent_as_a_filter(desk: FactDesk) -> None:
    """Facts of a thread from that agent's turns only; the shared ones stay."""
    for who in ("builder", "reviewer"):
        fact = recorded(f"by {who}", name=who, kind="tool").fact
        said = msgspec.structs.replace(fact, provenance=Provenance(agent=who, thread="t", turn=1))
        await desk.write("thread.t", FactRecorded(fact=said), caller=EXTRACTION)
    await desk.catch_up()
    assert await _values(desk, PERSON, FactsRequest(thread="t", agent="reviewer")) == ["all", "by reviewer"]


async def test_threads_are_paged_and_for_people(desk: FactDesk) -> None:
    """Two threads, one a page; an agent may not list them."""
    await desk.append(1, *whole_turn("hello"), thread="u")
    await desk.catch_up()
    first = await Threads(desk.store).list(ThreadsRequest(limit=1), Viewer(PERSON))
    rest = await Threads(desk.store).list(ThreadsRequest(cursor=first.cursor), Viewer(PERSON))
    assert [state.thread for state in (*first.threads, *rest.threads)] == ["t", "u"]
    assert rest.threads[0].title == "hello"
    with pytest.raises(Denied):
        await Threads(desk.store).list(ThreadsRequest(), Viewer(AGENT))


async def test_threads_that_were_made_again_are_in_the_order_of_their_changes(desk: FactDesk) -> None:
    """Their documents are written in another order then; one page a thread finds each in its place."""
    for thread in ("u", "v", "w"):
        await desk.append(1, *whole_turn("hello"), thread=thread)
    await desk.catch_up()
    for thread in ("v", "t"):
        entry = await desk.store.thread.get(subjects.state_key(thread))
        assert entry
        await desk.store.thread.put(entry.key, entry.value, expect=entry.revision)

    listed, cursor = list[str](), ""
    for _ in range(4):
        reply = await Threads(desk.store).list(ThreadsRequest(newest=True, cursor=cursor, limit=1), Viewer(PERSON))
        listed, cursor = [*listed, *(state.thread for state in reply.threads)], reply.cursor

    assert (listed, cursor) == (["w", "v", "u", "t"], "")


async def test_threads_are_paged_from_the_newest_too(desk: FactDesk) -> None:
    """Three threads, two a page: the one that changed last first, and the pages hold each once."""
    for thread in ("u", "v"):
        await desk.append(1, *whole_turn("hello"), thread=thread)
    await desk.catch_up()

    first = await Threads(desk.store).list(ThreadsRequest(newest=True, limit=2), Viewer(PERSON))
    rest = await Threads(desk.store).list(ThreadsRequest(newest=True, cursor=first.cursor, limit=2), Viewer(PERSON))

    assert [state.thread for state in first.threads] == ["v", "u"]
    assert [state.thread for state in rest.threads] == ["t"]
    assert rest.cursor == ""
