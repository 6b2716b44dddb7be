"""Appends happen exactly once, in order, to turns that are open."""

from __future__ import annotations

import anyio
import msgspec
import pytest
from desks import AGENT, Desk, whole_turn

from eunoe.facts import state as states
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.errors import (
    Busy,
    Denied,
    EunoeError,
    Invalid,
    NewerSchema,
    NumberReused,
    NumberSkipped,
    TooLarge,
    TurnNotOpen,
)
from eunoe.schemas.events import (
    FactApproved,
    FactRecorded,
    Instructions,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
    Usage,
)
from eunoe.schemas.facts import Assertion, Identity, Provenance, Source, SourceClass
from eunoe.schemas.requests import AppendRequest, HeadRequest
from eunoe.schemas.subjects import Caller

PERSON = Caller("person", "ada")


async def records_of(desk: Desk, thread: str = "t") -> list[records.Record]:
    chain = subjects.chain_filter(desk.store.space, subjects.thread_chain(thread))
    return [records.read(stored.seq, stored.data) async for stored in desk.store.log.scan([chain])]


async def test_entries_turns_and_ordinals_are_numbered_from_one_without_gaps(desk: Desk) -> None:
    """Numbers are the thread's own, whoever appends, and stay for life."""
    first = await desk.append(1, Instructions(content="be brief"), *whole_turn("hello"), turn="a")
    second = await desk.append(2, *whole_turn("again"), turn="b")
    other = await desk.append(1, *whole_turn("elsewhere"), thread="u")

    assert first.entries == (1, 0, 2, 3, 0)
    assert (first.record, first.turn) == (1, 1)
    assert second.entries == (0, 4, 5, 0)
    assert (second.record, second.turn) == (2, 2)
    assert other.entries == (0, 1, 2, 0)
    committed = [
        event for record in await records_of(desk) for event in record.events if isinstance(event, TurnCommitted)
    ]
    assert [(event.turn, event.ordinal) for event in committed] == [(1, 1), (2, 2)]


async def test_each_record_links_to_the_one_before(desk: Desk) -> None:
    """A chain is checked with nothing but its records: number, prev, and where its records are."""
    for n in (1, 2, 3):
        await desk.append(n, *whole_turn(f"turn {n}"), turn=f"k{n}")

    one, two, three = await records_of(desk)
    assert one.header.prev == records.GENESIS
    assert [two.header.prev, three.header.prev] == [one.hash, two.hash]
    assert three.header.back == (two.position, one.position)


async def test_every_record_says_where_the_newest_instructions_are(desk: Desk) -> None:
    """A reader of the head alone finds them, however long ago they were given."""
    await desk.append(1, *whole_turn("none yet"), turn="a")
    await desk.append(2, Instructions(content="be brief"), *whole_turn("one"), turn="b")
    await desk.append(3, *whole_turn("two"), turn="c")
    await desk.append(4, *whole_turn("three"), turn="d")

    none, given, *later = [record.header.instructed for record in await records_of(desk)]
    assert none is None
    assert given == records.Place(2, 0)
    assert later == [records.Place(2, 2), records.Place(2, 2)]


async def test_the_same_append_again_is_answered_from_its_record(desk: Desk) -> None:
    """A retry changes nothing and gets the numbers of the first time, however much came since."""
    first = await desk.append(1, *whole_turn("one"), turn="a")
    await desk.append(2, *whole_turn("two"), turn="b")
    await desk.append(1, *whole_turn("three"), turn="c", producer="q")

    again = await desk.append(1, *whole_turn("one"), turn="a")

    assert again.duplicate
    assert (again.position, again.record, again.hash, again.entries) == (
        first.position,
        first.record,
        first.hash,
        first.entries,
    )
    assert len(await records_of(desk)) == 3


async def test_a_retry_long_after_the_dedupe_window_at_a_new_worker_is_still_a_duplicate(desk: Desk) -> None:
    """Whether an append was done is decided by the head, without any window."""
    await desk.append(1, *whole_turn("one"), turn="a")
    desk.clock.advance(seconds=30 * 24 * 3600)

    again = await desk.append(1, *whole_turn("one"), turn="a", worker=desk.new_worker())

    assert again.duplicate
    assert len(await records_of(desk)) == 1


async def test_a_batch_retried_after_its_turn_was_committed_is_a_duplicate(desk: Desk) -> None:
    """The number decides before the turn's state does."""
    opening = (TurnOpened(), Prompt(content="hello"))
    await desk.append(1, *opening)
    await desk.append(2, Response(content="hi"), TurnCommitted())

    again = await desk.append(1, *opening)

    assert again.duplicate
    assert again.entries == (0, 1)


async def test_another_payload_under_a_number_that_was_used_is_refused(desk: Desk) -> None:
    """A key names one append for ever."""
    await desk.append(1, *whole_turn("one"))

    with pytest.raises(NumberReused):
        await desk.append(1, *whole_turn("something else"), turn="z")


async def test_a_skipped_number_is_refused_and_names_the_expected_one(desk: Desk) -> None:
    """Order within a producer is kept by refusing what comes too early."""
    with pytest.raises(NumberSkipped) as refused:
        await desk.append(2, *whole_turn("two"))

    assert refused.value.detail == {"expected": 1}
    assert await records_of(desk) == []


async def test_one_key_on_two_threads_is_two_appends(desk: Desk) -> None:
    """The thread is part of the key, also where JetStream's own dedupe would ignore the subject."""
    one = await desk.append(1, *whole_turn("hello"), thread="a")
    two = await desk.append(1, *whole_turn("hello"), thread="b")

    assert not one.duplicate
    assert not two.duplicate


async def test_two_principals_with_one_producer_name_do_not_meet(desk: Desk) -> None:
    """The principal is part of the key."""
    await desk.append(1, *whole_turn("mine"), turn="a")
    other = await desk.append(1, *whole_turn("yours"), turn="b", caller=Caller("agent", "reviewer"))

    assert not other.duplicate
    assert other.record == 2


@pytest.mark.parametrize("workers", [1, 3])
async def test_racing_producers_give_one_dense_order(desk: Desk, workers: int) -> None:
    """Appends from 4 producers at replicas that know nothing of each other lose nothing and double nothing."""
    replicas = [desk.new_worker() for _ in range(workers)]

    async def produce(name: int) -> None:
        for n in range(1, 11):
            await desk.append(
                n, *whole_turn(f"{name}/{n}"), turn=f"{name}-{n}", producer=f"p{name}", worker=replicas[name % workers]
            )

    async with anyio.create_task_group() as tasks:
        for name in range(4):
            tasks.start_soon(produce, name)

    found = await records_of(desk)
    assert [record.header.record for record in found] == list(range(1, 41))
    prompts = [event for record in found for event in record.events if isinstance(event, Prompt)]
    assert [event.turn for event in prompts] == list(range(1, 41))
    assert sorted(event.content for event in prompts) == sorted(f"{p}/{n}" for p in range(4) for n in range(1, 11))
    for name in range(4):
        mine = [event.content for event in prompts if event.content.startswith(f"{name}/")]
        assert mine == [f"{name}/{n}" for n in range(1, 11)]


async def test_an_append_to_a_closed_turn_is_refused_with_its_state(desk: Desk) -> None:
    """Late words do not slip into a turn that ended."""
    await desk.append(1, *whole_turn("hello"), turn="done")
    await desk.append(2, TurnOpened(), Prompt(content="x"), TurnAborted(reason="stopped"), turn="left")

    with pytest.raises(TurnNotOpen, match="turn 1 was committed"):
        await desk.append(3, Response(content="late"), turn="done")
    with pytest.raises(TurnNotOpen, match="turn 2 was aborted"):
        await desk.append(3, Response(content="late"), turn="left")
    with pytest.raises(TurnNotOpen, match="no turn 'never' is open"):
        await desk.append(3, Response(content="late"), turn="never")


async def test_a_race_is_decided_again_so_a_turn_closed_meanwhile_stays_closed(desk: Desk) -> None:
    """A worker whose remembered head is stale validates again after it lost the race."""
    stale = desk.new_worker()
    await desk.append(1, TurnOpened(), Prompt(content="hello"), worker=stale)
    await desk.append(1, TurnCommitted(), producer="other")

    with pytest.raises(TurnNotOpen, match="committed"):
        await desk.append(2, Response(content="late"), worker=stale)


async def test_an_idle_turn_is_aborted_with_the_reason(desk: Desk) -> None:
    """30 minutes without a word end a turn; one that is touched goes on."""
    await desk.append(1, TurnOpened(), Prompt(content="hello"), turn="idle")
    desk.clock.advance(seconds=29 * 60)
    await desk.append(2, TurnOpened(), Prompt(content="hello"), turn="busy")
    desk.clock.advance(seconds=61)

    await desk.worker.abort_idle_turns()

    last = (await records_of(desk))[-1]
    assert last.events == (TurnAborted(turn=1, reason="left open without a word for 1800 seconds"),)
    assert [turn.turn for turn in last.header.open.values()] == [2]
    with pytest.raises(TurnNotOpen, match="aborted"):
        await desk.append(3, Response(content="late"), turn="idle")


@pytest.mark.parametrize(
    ("events", "turn", "error", "says"),
    [
        ((Prompt(content="x"),), "", Invalid, "belongs to a turn"),
        ((TurnOpened(),), "", Invalid, "needs a key"),
        ((Prompt(content="x", at=-1),), "k", Invalid, "between the years 1970 and 9999"),
        ((Prompt(content="x", at=8_640_000_000_000_000),), "k", Invalid, "between the years 1970 and 9999"),
        ((TurnOpened(agent="a\nb"),), "k", Invalid, "control character"),
        ((TurnOpened(session="s" * 129),), "k", Invalid, "129 bytes long; the limit is 128"),
        ((TurnOpened(agent="someone-else"),), "k", Denied, "cannot open a turn as 'someone-else'"),
        ((Prompt(content="x" * (limits.INLINE_BYTES + 1)),), "k", Invalid, "sent in pieces"),
        ((), "k", Invalid, "1 to 1000 events"),
        ((TurnOpened(),) * 2, "k", Invalid, "is open already"),
    ],
)
async def test_what_no_state_allows_is_refused_in_one_line(
    desk: Desk, events: tuple[Prompt, ...], turn: str, error: type[EunoeError], says: str
) -> None:
    """The message says what is wrong; nothing is written."""
    with pytest.raises(error, match=says) as refused:
        await desk.append(1, *events, turn=turn)

    assert "\n" not in str(refused.value)
    assert await records_of(desk) == []


async def test_a_record_over_its_limit_is_refused_whole(desk: Desk) -> None:
    """1 MiB is the most of one record; the client splits."""
    big = tuple(Prompt(content="x" * limits.INLINE_BYTES) for _ in range(5))

    with pytest.raises(TooLarge, match="Send its events in several appends"):
        await desk.append(1, TurnOpened(), *big)

    assert await records_of(desk) == []


async def test_an_append_of_a_newer_schema_is_refused_and_says_so(desk: Desk) -> None:
    """An older worker does not guess what a newer client means."""
    newer = b'{"v":2,"producer":"p","n":1,"turn":"k","events":[{"type":"dream"}]}'

    with pytest.raises(NewerSchema, match="schema version 2"):
        await desk.worker.append(AGENT, subjects.thread_chain("t"), newer)


async def test_an_agent_adds_to_its_own_turns_only(desk: Desk) -> None:
    """Another agent's turn can be read, and neither be added to nor be ended; a tool and a person can."""
    mallory = Caller("agent", "mallory")
    await desk.append(1, TurnOpened(), Prompt(content="pay?"), turn="k")

    for event in (Response(content="I approve."), ToolResult(call="c", content="x"), TurnCommitted(), TurnAborted()):
        with pytest.raises(Denied, match="turn 1 is builder's; 'mallory' cannot add to it"):
            await desk.append(1, event, turn="k", caller=mallory)
    assert (await desk.append(1, TurnAborted(), turn="k", caller=Caller("person", "ada"))).turn == 1


async def test_an_agent_states_facts_of_sessions_that_it_takes_part_in(desk: Desk) -> None:
    """A turn of its own must be open in the session."""
    identity = Identity("session", "prod", "service", "db")
    source = Source(kind="model", principal="builder")
    fact = FactRecorded(fact=Assertion(identity=identity, value="up", source=source, at=1))

    with pytest.raises(Denied, match="has no turn open in the session 'prod'"):
        await desk.append(1, fact, turn="")
    await desk.append(1, TurnOpened(session="prod"), Prompt(content="x"))
    assert (await desk.append(2, fact, turn="")).record == 2


@pytest.mark.parametrize(
    ("came", "refused", "says"),
    [
        (Provenance(turn=-1), Invalid, "names a turn that there cannot be"),
        (Provenance(turn=2**70), Invalid, "names a turn that there cannot be"),
        (Provenance(entries=(1, 2**53)), Invalid, "names an entry that there cannot be"),
        (Provenance(session="r"), Denied, "the agent 'builder' has no turn open in the session 'r'"),
        (Provenance(session="ended"), Denied, "the agent 'builder' has no turn open in the session 'ended'"),
    ],
)
async def test_an_agent_s_fact_comes_from_where_it_can(
    desk: Desk, came: Provenance, refused: type[EunoeError], says: str
) -> None:
    """Not from a number that none has, another agent's session, or one that its turn is over in; else it is taken."""
    await desk.append(1, TurnOpened(session="r"), caller=Caller("agent", "other"), turn="r")
    await desk.append(1, TurnOpened(session="ended"), TurnAborted(), turn="e")
    await desk.append(2, TurnOpened(session="s"), turn="s")
    fact = by("model", "builder")

    with pytest.raises(refused, match=says):
        await desk.append(3, FactRecorded(fact=msgspec.structs.replace(fact, provenance=came)), turn="")
    fine = [msgspec.structs.replace(fact, provenance=one) for one in (Provenance(session="s", turn=1), Provenance())]
    assert (await desk.append(3, *(FactRecorded(fact=one) for one in fine), turn="")).record == 4


async def test_an_agent_s_own_book_is_of_no_session(desk: Desk) -> None:
    """What it keeps of its own there comes from none; a person's fact, which may be brought in from anywhere, may."""
    book, identity = subjects.book_chain("permanent", "builder"), Identity("permanent", "builder", "note", "n")

    def stated(by: Source) -> bytes:
        fact = Assertion(identity=identity, value="x", source=by, at=1, provenance=Provenance(session="s"))
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer="p", n=1, events=(FactRecorded(fact=fact),))
        return msgspec.json.encode(request)

    with pytest.raises(Denied, match="no turn open in the session 's'"):
        await desk.worker.append(AGENT, book, stated(Source(kind="model", principal="builder")))
    assert (await desk.worker.append(PERSON, book, stated(Source(kind="person", principal="ada")))).record == 1


async def test_a_turn_s_key_is_an_id(desk: Desk) -> None:
    """It stays in the heads that follow, so it is bounded like every id."""
    with pytest.raises(Invalid, match="the turn id is 129 bytes long"):
        await desk.append(1, TurnOpened(), turn="k" * 129)


async def test_an_old_append_is_answered_however_far_back_it_is(desk: Desk) -> None:
    """Among 300 records of two producers, the first is found by its number, with few reads."""
    for n in range(1, 151):
        await desk.append(n, *whole_turn(f"p{n}"), turn=f"p{n}")
        await desk.append(n, *whole_turn(f"q{n}"), turn=f"q{n}", producer="q")

    for n in (1, 2, 75, 149):
        again = await desk.append(n, *whole_turn(f"q{n}"), turn=f"q{n}", producer="q")
        assert (again.duplicate, again.record) == (True, 2 * n)


async def test_the_head_says_how_far_a_producer_is_that_left_it(desk: Desk) -> None:
    """From the state, as the decision does."""
    await crowd(desk, 0, 70)
    await fold_state(desk)
    await crowd(desk, 70, 71)

    found = await desk.worker.head(AGENT, subjects.thread_chain("t"), HeadRequest(producer="p0"))

    assert found.n == 1


def by(kind: SourceClass, principal: str) -> Assertion:
    return Assertion(
        identity=Identity("thread", "t", "tests", "unit"),
        value="passed",
        source=Source(kind=kind, principal=principal),
        at=1,
    )


@pytest.mark.parametrize(
    ("caller", "event", "says"),
    [
        (Caller("viewer", "eve"), Usage(), "viewer may not append usage"),
        (Caller("tool", "ci"), Prompt(content="x"), "tool may not append prompt"),
        (Caller("worker", "extraction"), Prompt(content="x"), "worker may not append prompt"),
        (Caller("worker", "extraction"), TurnAborted(), "worker may not append turn.aborted"),
        (AGENT, FactRecorded(fact=by("person", "builder")), "an agent cannot state a fact as a person"),
        (AGENT, FactRecorded(fact=by("model", "reviewer")), "as 'reviewer'"),
        (PERSON, FactRecorded(fact=by("person", "bob")), "as 'bob'"),
        (PERSON, FactRecorded(fact=by("tool", "ci")), "a person cannot state a fact as a tool"),
        (PERSON, FactApproved(id="f", fact=by("caller", "app")), "a person cannot state a fact as a caller"),
        (AGENT, FactRecorded(fact=by("caller", "builder")), "an agent cannot state a fact as a caller"),
        (Caller("caller", "app"), FactRecorded(fact=by("caller", "other")), "as 'other'"),
    ],
)
async def test_nobody_appends_beyond_their_role(desk: Desk, caller: Caller, event: Usage, says: str) -> None:
    """Role and principal come from the subject; no payload can claim to be somebody else."""
    with pytest.raises(Denied, match=says):
        await desk.append(1, event, caller=caller)


async def test_a_person_carries_what_a_caller_stated(desk: Desk) -> None:
    """An import states a caller's fact in that caller's name; it stays of class caller, below the person's own."""
    reply = await desk.append(1, FactRecorded(fact=by("caller", "app")), turn="", caller=PERSON)

    record = (await records_of(desk))[-1]
    assert (reply.record, record.header.caller) == (1, PERSON)
    assert [event.fact.source for event in record.events if isinstance(event, FactRecorded)] == [
        Source(kind="caller", principal="app")
    ]


async def test_a_tool_reports_into_an_open_turn_of_an_agent(desk: Desk) -> None:
    """A trusted reporter needs no turn of its own."""
    await desk.append(1, TurnOpened(), Prompt(content="x"), ToolCall(call="c1", tool="bash", content="{}"))

    reply = await desk.append(1, ToolResult(call="c1", tool="bash", content="ok"), caller=Caller("tool", "ci"))

    assert reply.entries == (3,)
    assert reply.turn == 1


async def crowd(desk: Desk, first: int, last: int) -> None:
    for index in range(first, last):
        await desk.append(1, *whole_turn(f"{index}"), turn=f"k{index}", producer=f"p{index}")


async def fold_state(desk: Desk) -> None:
    """The thread's state document, as the facts worker keeps it."""
    state = states.new("t")
    for record in await records_of(desk):
        state = states.fold(state, record)
    await desk.store.thread.put(subjects.state_key("t"), msgspec.json.encode(state))


async def test_the_head_keeps_every_producer_until_the_state_holds_it(desk: Desk) -> None:
    """Without a state document the list grows over 64, for nothing may be forgotten."""
    await crowd(desk, 0, 70)

    head = (await records_of(desk))[-1].header
    assert (len(head.producers), head.evicted) == (70, 0)


async def test_a_producer_that_left_the_head_is_known_from_the_state(desk: Desk) -> None:
    """70 producers, all in the state: 64 stay in the head, and an append of the first is a duplicate still."""
    await crowd(desk, 0, 70)
    await fold_state(desk)
    await crowd(desk, 70, 71)

    head = (await records_of(desk))[-1].header
    assert (len(head.producers), head.evicted) == (64, 7)
    again = await desk.append(1, *whole_turn("0"), turn="k0", producer="p0")
    assert (again.duplicate, again.record) == (True, 1)


async def test_while_the_state_is_gone_an_unknown_producer_is_asked_to_wait(desk: Desk) -> None:
    """During a rebuild nobody can say whether it is new, so it is neither doubled nor refused for good."""
    await crowd(desk, 0, 70)
    await fold_state(desk)
    await crowd(desk, 70, 71)
    await desk.store.thread.delete(subjects.state_key("t"))

    with pytest.raises(Busy, match="start the facts worker and try again"):
        await desk.append(1, *whole_turn("0"), turn="k0", producer="p0")
    assert len(await records_of(desk)) == 71
