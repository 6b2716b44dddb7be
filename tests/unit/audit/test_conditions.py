"""What an append needs to be so of facts is decided when it comes to the end of its chain, and refused in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import msgspec
import pytest
from desks import AGENT, whole_turn
from fact_desks import PERSON, FactDesk, recorded, written

from eunoe.audit import conditions
from eunoe.facts.distilled import PERSONS
from eunoe.schemas import ids, limits, records, subjects
from eunoe.schemas.errors import Busy, Denied, DoesNotFit, EunoeError, Invalid, NotFound, Stale
from eunoe.schemas.events import (
    Event,
    FactApproved,
    FactDeleted,
    FactLabelled,
    FactMoved,
    FactPinned,
    FactRecorded,
    FactRetired,
    Prompt,
    SessionStateSet,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.facts import Provenance, Scope, SourceClass
from eunoe.schemas.requests import AppendReply, AppendRequest
from eunoe.schemas.subjects import Caller, Role

HERE = "thread.t"
BOOK = subjects.book_chain("permanent", "shared")
BOB = Caller("person", "bob")
MALLORY = Caller("agent", "mallory")
UNKNOWN = "fzzzzzzzzzz"


@pytest.fixture
def desk(tmp_path: Path) -> FactDesk:
    return FactDesk(tmp_path)


def decision(
    value: str, /, *, caller: Caller = PERSON, name: str = "colour", expected: str | None = None, **changes: Any
) -> FactRecorded:
    """A shared decision of a person."""
    fact = recorded(
        value, subject="decision", name=name, scope="permanent", owner="shared", kind="person", who=caller.principal
    ).fact
    return FactRecorded(fact=msgspec.structs.replace(fact, **changes), expected=expected)


async def decided(desk: FactDesk, value: str, *, name: str = "colour", expected: str | None = None) -> str:
    reply = await desk.write(BOOK, decision(value, name=name, expected=expected), caller=PERSON)
    return ids.fact_id(BOOK, reply.origin, 0)


async def events_of(desk: FactDesk) -> list[Event]:
    return [event for stored in await desk.stored() for event in records.read(stored.seq, stored.data).events]


async def refused(desk: FactDesk, chain: str, *events: Event, caller: Caller = PERSON) -> EunoeError:
    """Why an append is refused; nothing of it is in the log."""
    before = len(await desk.stored())
    with pytest.raises(EunoeError) as found:
        await desk.write(chain, *events, caller=caller)
    assert len(await desk.stored()) == before
    assert "\n" not in str(found.value)
    return found.value


# What its writer saw


async def test_an_edit_of_what_its_writer_saw_goes_through_and_is_logged_unconditionally(desk: FactDesk) -> None:
    """First there was nothing, then green; neither event keeps its condition."""
    green = await decided(desk, "green", expected="")
    await decided(desk, "blue", expected=green)

    assert [event.expected for event in await events_of(desk) if isinstance(event, FactRecorded)] == [None, None]


@pytest.mark.parametrize("expected", ["", UNKNOWN])
async def test_a_stale_edit_is_refused_with_what_is_there_now(desk: FactDesk, expected: str) -> None:
    """Its id and its value, in words and for programs."""
    green = await decided(desk, "green")

    error = await refused(desk, BOOK, decision("blue", expected=expected))

    assert isinstance(error, Stale)
    assert error.detail == {"current": green, "value": "green"}
    assert f"decision colour is now 'green' ({green}), and you saw {expected or 'nothing'}" in str(error)


async def test_an_edit_of_what_is_gone_is_refused(desk: FactDesk) -> None:
    """Somebody deleted it meanwhile."""
    green = await decided(desk, "green")
    await desk.write(BOOK, FactDeleted(id=green), caller=BOB)

    error = await refused(desk, BOOK, decision("blue", expected=green))

    assert isinstance(error, Stale)
    assert error.detail == {"current": "", "value": ""}


async def test_a_conditional_edit_is_decided_at_the_home_of_its_fact_alone(desk: FactDesk) -> None:
    """A fact of a session may be stated in a thread too: an edit of what was seen is not, else two of them could
    both be taken, one at the end of each chain."""
    book = subjects.book_chain("session", "s")

    def said(value: str, expected: str) -> FactRecorded:
        about: dict[str, Any] = {"subject": "service", "scope": "session", "owner": "s", "kind": "person", "who": "ada"}
        return FactRecorded(fact=recorded(value, **about).fact, expected=expected)

    await desk.write(book, said("up", ""), caller=PERSON)
    up = written(book, 1, 0, PERSON)
    await desk.write(book, said("down", up), caller=PERSON)
    error = await refused(desk, HERE, said("gone", up))

    assert isinstance(error, Invalid)
    assert "is decided in book session s, not in thread t" in str(error)


async def test_names_that_their_kind_writes_alike_are_one_fact(desk: FactDesk) -> None:
    """A decision's name has no case: the condition looks where the fact will be."""
    green = await decided(desk, "green", name="Colour")

    await decided(desk, "blue", name="  COLOUR.", expected=green)
    error = await refused(desk, BOOK, decision("red", name="colour", expected=green))

    assert error.detail["value"] == "blue"


async def test_two_edits_of_one_sight_in_one_append_are_not_both_taken(desk: FactDesk) -> None:
    """The second sees what the first makes of the fact: a client may send them together."""
    green = await decided(desk, "green")
    events = (decision("blue", expected=green), decision("red", expected=green))

    error = await refused(desk, BOOK, *events)

    assert isinstance(error, Stale)
    assert error.detail == {"current": written(BOOK, 2, 0, PERSON), "value": "blue"}


async def test_a_retry_is_answered_though_what_it_saw_is_gone_by_then(desk: FactDesk) -> None:
    """It was decided once; its number says so before any condition is looked at."""
    green = await decided(desk, "green")
    await desk.catch_up()
    request = AppendRequest(v=1, producer="key", n=1, events=(decision("blue", expected=green),))
    first = await desk.auditor(PERSON).append(BOOK, request)
    again = await desk.auditor(PERSON).append(BOOK, request)

    assert (again.duplicate, again.position) == (True, first.position)


async def test_a_worker_that_lost_the_race_decides_again(desk: FactDesk) -> None:
    """It remembers an older end of the chain, where the edit was fine; at the real end it is stale."""
    green = await decided(desk, "green")
    await desk.catch_up()
    other = desk.new_worker()
    request = AppendRequest(v=1, producer="other", n=1, events=(decision("blue", expected=green),))
    await other.append(PERSON, BOOK, msgspec.json.encode(request))
    await desk.catch_up()

    error = await refused(desk, BOOK, decision("red", expected=green))

    assert error.detail["value"] == "blue"


async def test_while_facts_are_behind_nothing_is_decided(desk: FactDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a facts worker an edit that is conditional is asked to wait; one that is not goes through."""
    monkeypatch.setattr(conditions, "WAIT_SECONDS", 0.03)
    await decided(desk, "green")
    request = AppendRequest(v=1, producer="key", n=1, events=(decision("blue", expected=""),))

    with pytest.raises(Busy, match="the facts of book permanent shared are behind"):
        await desk.auditor(PERSON).append(BOOK, request)
    await decided(desk, "red")


async def test_who_waits_for_facts_holds_up_nobody(desk: FactDesk) -> None:
    """An edit waits until its fact is known; what others append to the chain meanwhile is in the log before it."""
    await decided(desk, "green", name="other")
    request = AppendRequest(v=1, producer="key", n=1, events=(decision("blue", expected=""),))
    replies: list[AppendReply] = []
    meanwhile: list[AppendReply] = []

    async def edit() -> None:
        replies.append(await desk.auditor(PERSON).append(BOOK, request))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(edit)
        await anyio.lowlevel.checkpoint()
        meanwhile = [await desk.write(BOOK, decision("x", name="third"), caller=PERSON), *replies]
        await desk.catch_up()

    assert [reply.record for reply in replies] == [3]
    assert [reply.record for reply in meanwhile] == [2]


# What acts are about


@pytest.mark.parametrize("event", [FactRetired, FactDeleted, FactPinned, FactApproved, FactMoved])
async def test_an_act_on_no_fact_is_refused(desk: FactDesk, event: type[Event]) -> None:
    """It would look like done, and nothing would come of it."""
    fields: dict[str, Any] = {"id": UNKNOWN}
    if event in (FactApproved, FactMoved):
        fields["fact"] = decision("x").fact

    error = await refused(desk, BOOK, event(**fields))

    assert isinstance(error, NotFound)
    assert str(error) == f"there is no fact {UNKNOWN} here; `eunoe facts` lists those there are"


@pytest.mark.parametrize("fact", ["f", "", "f>", "*", "f" * 12, "faaaaaaaaaé", "f" * 100_000])
async def test_what_can_be_no_id_is_refused_before_anything_is_looked_up(desk: FactDesk, fact: str) -> None:
    """F72, F93: neither a wildcard nor a megabyte reaches a key."""
    error = await refused(desk, BOOK, FactDeleted(id=fact))

    assert isinstance(error, Invalid)
    assert len(str(error)) < 200


async def test_a_fact_of_another_agent_is_not_there_or_not_its_own(desk: FactDesk) -> None:
    """F83: from its own thread it is not to be seen; where it is seen, only its author acts on it."""
    await desk.write(HERE, recorded("mine"))
    mine = written(HERE, 1)

    for act in (FactRetired(id=mine), FactPinned(id=mine), FactLabelled(id=mine, add=(1,))):
        assert isinstance(await refused(desk, "thread.other", act, caller=MALLORY), NotFound)
        error = await refused(desk, HERE, act, caller=MALLORY)
        assert isinstance(error, Denied)
        assert f"{mine} is what model builder stated" in str(error)


async def test_a_person_takes_back_only_what_it_said_itself(desk: FactDesk) -> None:
    """What another said it may delete."""
    await desk.write(HERE, recorded("mine"))

    error = await refused(desk, HERE, FactRetired(id=written(HERE, 1)))

    assert isinstance(error, Denied)
    assert "only its author takes it back; a person may delete it" in str(error)


async def test_an_act_goes_to_the_home_of_its_fact(desk: FactDesk) -> None:
    """Where edits of the fact meet it; the refusal says where that is."""
    await desk.write(HERE, recorded("mine"))

    error = await refused(desk, BOOK, FactDeleted(id=written(HERE, 1)))

    assert isinstance(error, Invalid)
    assert "is a fact of thread 't'; what is done to it goes to thread t" in str(error)


async def test_a_distilled_fact_that_is_no_proposal_is_told_by_what_and_who_said_it(desk: FactDesk) -> None:
    """As everywhere else it is shown."""
    said = Provenance(thread="t", turn=1, entries=(1,), model="rules", detail="the person said")
    fact = msgspec.structs.replace(recorded("x", who=PERSONS).fact, method="distilled", provenance=said)
    await desk.plant(HERE, FactRecorded(fact=fact))
    drawn = written(HERE, 1)

    assert str(await refused(desk, BOOK, FactApproved(id=drawn, fact=decision("uv").fact))) == (
        f"{drawn} is no proposal: it is from rules: the person said, for thread 't', and in force; "
        f"`eunoe fact scope {drawn} permanent` makes it hold for everyone"
    )


async def test_only_a_proposal_is_approved(desk: FactDesk) -> None:
    """A note of a thread is none, nor is what a person stated, in force or not; the refusal says what it is."""
    green, blue = await decided(desk, "green"), await decided(desk, "blue")
    await desk.write(HERE, recorded("x", subject="note"))
    note = written(HERE, 1)
    approved = decision("uv").fact

    assert str(await refused(desk, BOOK, FactApproved(id=note, fact=approved))) == (
        f"{note} is no proposal: it is what model builder stated for thread 't', and in force; "
        f"`eunoe fact scope {note} permanent` makes it hold for everyone"
    )
    for who in (PERSON, BOB):
        fact = decision("uv", caller=who).fact
        assert str(await refused(desk, BOOK, FactApproved(id=blue, fact=fact), caller=who)) == (
            f"{blue} is no proposal: it is what person ada stated for everyone, and in force"
        )
        error = await refused(desk, BOOK, FactApproved(id=green, fact=fact), caller=who)
        assert isinstance(error, Invalid)
        assert str(error) == (
            f"{green} is no proposal: it is what person ada stated for everyone, and superseded by {blue} ('blue')"
        )


async def test_a_proposal_is_approved_once(desk: FactDesk) -> None:
    """The refusal names the fact that it became; one that was taken back or deleted is none any more either."""
    await desk.write(HERE, *(recorded("uv", subject="decision", name=name) for name in ("a", "b", "c")))
    first, second, third = (written(HERE, 1, index) for index in range(3))
    fact = decision("uv", name="a").fact
    reply = await desk.write(BOOK, FactApproved(id=first, fact=fact), caller=PERSON)
    await desk.write(HERE, FactRetired(id=second))
    await desk.write(HERE, FactDeleted(id=third), caller=PERSON)

    for proposal, stands in (
        (first, f"approved already; see {ids.fact_id(BOOK, reply.origin, 0)}"),
        (second, "retired"),
        (third, "deleted"),
    ):
        assert str(await refused(desk, BOOK, FactApproved(id=proposal, fact=fact))) == (
            f"{proposal} is no proposal any more: it is {stands}"
        )


async def test_an_approval_goes_to_no_other_thread(desk: FactDesk) -> None:
    """The history of a thread's fact is its own and the books'."""
    await desk.write(HERE, recorded("uv", subject="decision"))
    proposal = written(HERE, 1)
    there = recorded("uv", subject="decision", owner="u", kind="person", who="ada").fact

    error = await refused(desk, "thread.u", FactApproved(id=proposal, fact=there))

    assert str(error) == f"{proposal} is a fact of thread 't', and does not go to another thread"


async def test_what_others_stated_is_refused_in_the_words_of_who_asks(desk: FactDesk) -> None:
    """Each learns who stated it and who may do what was asked."""
    shared = await decided(desk, "green")
    tool = recorded("9", kind="tool", who="bash").fact
    await desk.write(HERE, FactRecorded(fact=tool), caller=Caller("worker", "extraction"))
    result = written(HERE, 1, caller=Caller("worker", "extraction"))
    stated = f"{shared} is what person ada stated"

    for act, says in (
        (FactRetired(id=shared), f"{stated}, and only its author takes it back"),
        (FactPinned(id=shared), f"{stated}, and only its author or a person pins it"),
        (FactLabelled(id=shared, add=(1,)), f"{stated}, and only its author or a person labels it"),
    ):
        assert str(await refused(desk, BOOK, act, caller=AGENT)) == says
    assert str(await refused(desk, BOOK, FactRetired(id=shared), caller=BOB)) == (
        f"{stated}, and only its author takes it back; a person may delete it (`eunoe fact delete {shared}`)"
    )
    assert str(await refused(desk, HERE, FactRetired(id=result), caller=MALLORY)) == (
        f"{result} is what tool bash stated, and only its author takes it back"
    )
    await desk.append(1, TurnOpened(session="s"), Prompt(content="x"), caller=MALLORY)
    note = recorded("9", subject="note", name="colour", scope="permanent", owner="shared", kind="person", who="ada")
    fact = ids.fact_id(BOOK, (await desk.write(BOOK, note, caller=PERSON)).origin, 0)
    there = recorded("9", subject="note", name="colour", scope="session", owner="s", who="mallory").fact
    assert str(
        await refused(desk, subjects.book_chain("session", "s"), FactMoved(id=fact, fact=there), caller=MALLORY)
    ) == (f"{fact} is what person ada stated, and only its author or a person moves it")
    there = recorded("9", scope="session", owner="s", who="mallory").fact
    move = FactMoved(id=result, fact=there)
    assert str(await refused(desk, subjects.book_chain("session", "s"), move, caller=MALLORY)) == (
        f"there is no fact {result} here; `eunoe facts` lists those there are"
    )


async def test_what_a_preview_says_stays_in_it(desk: FactDesk) -> None:
    """Nothing applies a preview: neither an approval nor a move takes a fact out of one, or into one."""
    live = await decided(desk, "green")
    note = recorded("x", subject="note").fact
    tried = msgspec.structs.replace(note.identity, preview="trial")
    await desk.append(1, TurnOpened(preview="trial"), Prompt(content="x"))
    await desk.write(HERE, FactRecorded(fact=msgspec.structs.replace(note, identity=tried)))
    own = written(HERE, 1)

    assert str(await refused(desk, BOOK, moved(own, "x", "permanent", "shared"))) == (
        f"{own} is of the preview 'trial' and stays in it; state live what is to hold (`eunoe fact set`)"
    )
    there = moved(live, "green", "session", "s", subject="decision").fact
    there = msgspec.structs.replace(there, identity=msgspec.structs.replace(there.identity, preview="trial"))
    error = await refused(desk, subjects.book_chain("session", "s"), FactMoved(id=live, fact=there))
    assert str(error) == (
        f"{live} is live, and stays so; state a fact in the preview 'trial' that replaces or removes it"
    )


async def test_a_proposal_that_was_taken_back_is_not_approved(desk: FactDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent was told that it is: until facts reflect that in its thread, the approval waits."""
    monkeypatch.setattr(conditions, "WAIT_SECONDS", 0.03)
    await desk.write(HERE, recorded("uv", subject="decision", name="colour"))
    proposal = written(HERE, 1)
    approval = FactApproved(id=proposal, fact=decision("uv").fact)
    await desk.write(HERE, FactRetired(id=proposal))

    with pytest.raises(Busy, match="the facts of thread t are behind"):
        await desk.auditor(PERSON).append(BOOK, AppendRequest(v=1, producer="key", n=1, events=(approval,)))
    assert str(await refused(desk, BOOK, approval)) == f"{proposal} is no proposal any more: it is retired"


async def test_an_approval_is_of_what_was_proposed(desk: FactDesk) -> None:
    """Its value under its name: another one is a statement of the person's, and no approval."""
    await desk.write(HERE, recorded("uv", subject="decision", name="colour"))
    proposal = written(HERE, 1)

    other = await refused(desk, BOOK, FactApproved(id=proposal, fact=decision("pip").fact))
    elsewhere = await refused(desk, BOOK, FactApproved(id=proposal, fact=decision("uv", name="size").fact))

    assert f"{proposal} says 'uv'; only its scope can change" in str(other)
    assert f"{proposal} is about decision 'colour'; only its scope can change" in str(elsewhere)
    await desk.write(BOOK, FactApproved(id=proposal, fact=decision("UV").fact), caller=PERSON)


async def test_an_agent_proposes_permanent_kinds_in_a_thread(desk: FactDesk) -> None:
    """In the book of a session there is nobody to propose to: it would become no fact, so it is refused."""
    await desk.append(1, TurnOpened(session="s"), Prompt(content="x"))
    await desk.catch_up()
    proposal = recorded("uv", subject="decision", scope="session", owner="s")

    error = await refused(desk, subjects.book_chain("session", "s"), proposal, caller=AGENT)

    assert "proposes facts of the kind 'decision', in a thread" in str(error)


async def test_a_turn_of_a_preview_changes_nothing_live(desk: FactDesk) -> None:
    """Not even what its agent stated itself; it says what to do instead."""
    await desk.write(HERE, recorded("mine"))
    mine = written(HERE, 1)
    await desk.append(1, TurnOpened(preview="trial"), Prompt(content="x"))
    await desk.catch_up()

    with pytest.raises(Denied) as error:
        await desk.append(2, FactRetired(id=mine))

    assert str(error.value) == (
        "turn 1 is of the preview 'trial', so it changes nothing outside of it; "
        f"state a fact in it that replaces or removes {mine}"
    )


# Moves


def moved(fact: str, value: str, scope: Scope, owner: str, *, subject: str = "note") -> FactMoved:
    """By a person."""
    there = recorded(value, subject=subject, scope=scope, owner=owner, kind="person", who="ada").fact
    return FactMoved(id=fact, fact=there)


async def test_a_fact_is_moved_once_and_to_another_place(desk: FactDesk) -> None:
    """Not to where it is, not from thread to thread, not under another name or value, and not when it is gone."""
    await desk.write(HERE, recorded("mine", subject="note"))
    mine = written(HERE, 1)

    assert "is a fact of thread 't' already" in str(await refused(desk, HERE, moved(mine, "mine", "thread", "t")))
    error = await refused(desk, "thread.u", moved(mine, "mine", "thread", "u"))
    assert "does not go to another thread" in str(error)
    error = await refused(desk, BOOK, moved(mine, "mine", "permanent", "shared", subject="decision"))
    assert "only its scope can change" in str(error)
    error = await refused(desk, BOOK, moved(mine, "yours", "permanent", "shared"))
    assert f"{mine} says 'mine'; only its scope can change" in str(error)
    await desk.write(BOOK, moved(mine, "mine", "permanent", "shared"), caller=PERSON)
    error = await refused(desk, BOOK, moved(mine, "mine", "permanent", "shared"))
    there = written(BOOK, 1, caller=PERSON)
    assert str(error) == f"{mine} is moved already; see {there}; only what is in force is moved"


async def test_an_agent_moves_its_own_to_a_session_that_it_takes_part_in(desk: FactDesk) -> None:
    """Its turn is open there, as the record of the session tells; in another session it has none."""
    await desk.append(1, TurnOpened(session="s"), Prompt(content="x"))
    await desk.write(HERE, recorded("mine", subject="note"))
    there = recorded("mine", subject="note", scope="session", owner="s").fact

    await desk.write(subjects.book_chain("session", "s"), FactMoved(id=written(HERE, 1), fact=there), caller=AGENT)

    assert [event.id for event in await events_of(desk) if isinstance(event, FactMoved)] == [written(HERE, 1)]


async def test_an_agent_without_a_turn_in_a_session_writes_nothing_there(
    desk: FactDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither facts nor its state; and no more once its turn is over."""
    monkeypatch.setattr(conditions, "JOIN_SECONDS", 0.03)
    await desk.append(1, *whole_turn("x"))
    await desk.append(2, TurnOpened(session="s"), TurnCommitted(), turn="over")
    await desk.catch_up()
    book = subjects.book_chain("session", "s")

    for event in (recorded("up", subject="note", scope="session", owner="s"), SessionStateSet(state="1")):
        error = await refused(desk, book, event, caller=AGENT)
        assert isinstance(error, Denied)
        assert str(error) == "the agent 'builder' has no turn open in the session 's'"


async def test_the_state_of_a_session_is_set_from_what_was_seen(desk: FactDesk) -> None:
    """As facts: the id of the event that set it before, empty for none."""
    book = subjects.book_chain("session", "s")
    reply = await desk.write(book, SessionStateSet(state="1", expected=""), caller=PERSON)
    first = ids.fact_id(book, reply.origin, 0)

    error = await refused(desk, book, SessionStateSet(state="2", expected=""))
    await desk.write(book, SessionStateSet(state="3", expected=first), caller=PERSON)

    assert isinstance(error, Stale)
    assert error.detail == {"current": first, "value": "1"}
    assert [event.expected for event in await events_of(desk) if isinstance(event, SessionStateSet)] == [None, None]


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("{", "JSON"),
        ("", "JSON"),
        ('"' + "x" * limits.SESSION_STATE_BYTES + '"', "is 16,386 bytes; the limit is 16,384"),
        ("[" * 5_000 + "]" * 5_000, "JSON"),
    ],
)
async def test_the_state_of_a_session_is_bounded_json(desk: FactDesk, state: str, says: str) -> None:
    """The next turn sees it whole."""
    error = await refused(desk, subjects.book_chain("session", "s"), SessionStateSet(state=state))

    assert isinstance(error, Invalid)
    assert says in str(error)


@pytest.mark.parametrize(
    ("keepers", "allowed"), [(("*",), True), (("builder", "b?t*"), True), (("builder",), False), ((), False)]
)
async def test_the_configuration_names_the_agents_that_keep_permanent_facts(
    tmp_path: Path, keepers: tuple[str, ...], allowed: bool
) -> None:
    """The agent ``bot`` states a decision of its own; a person states one for it wherever."""
    desk = FactDesk(tmp_path)
    desk.settings = desk.settings.model_copy(update={"permanent_agents": keepers})
    desk.worker = desk.new_worker()
    chain, bot = subjects.book_chain("permanent", "bot"), Caller("agent", "bot")
    about: dict[str, Any] = {"subject": "decision", "name": "colour", "scope": "permanent", "owner": "bot"}
    stated = recorded("red", **about, kind="model", who="bot")

    if allowed:
        await desk.write(chain, stated, caller=bot)
    else:
        error = await refused(desk, chain, stated, caller=bot)
        assert isinstance(error, Denied)
        assert "`permanent_agents` in the configuration names no agent like it" in str(error)
    await desk.write(chain, recorded("blue", **about, kind="person", who=PERSON.principal), caller=PERSON)


# Pins and labels


@pytest.fixture
def small(tmp_path: Path) -> FactDesk:
    """A desk where the pins of an owner may have ten tokens."""
    desk = FactDesk(tmp_path)
    desk.settings = desk.settings.model_copy(update={"pinned_tokens": 10})
    desk.worker = desk.new_worker()
    return desk


async def test_pins_stay_within_their_budget(small: FactDesk) -> None:
    """Thirteen bytes are four tokens: two pins are eight, a third would be two over; unpinned, there is room again."""
    facts = [await decided(small, f"{number}: and so on.", name=f"n{number}") for number in range(3)]
    for fact in facts[:2]:
        await small.write(BOOK, FactPinned(id=fact), caller=PERSON)

    error = await refused(small, BOOK, FactPinned(id=facts[2]))

    assert isinstance(error, DoesNotFit)
    assert "would be 12 tokens, 2 over the limit of 10; unpin some" in str(error)
    assert error.detail == {"over": 2, "pins": dict.fromkeys(facts, 4)}
    assert all(f"{fact} (4)" in str(error) for fact in facts)
    await small.write(BOOK, FactPinned(id=facts[0], pinned=False), FactPinned(id=facts[2]), caller=PERSON)
    await small.write(BOOK, FactPinned(id=facts[1]), caller=PERSON)  # again, which adds nothing


async def test_each_owner_has_a_budget_of_its_own(small: FactDesk) -> None:
    """What is pinned in a thread does not count for what is shared."""
    shared = await decided(small, "x" * 40)
    await small.write(BOOK, FactPinned(id=shared), caller=PERSON)
    await small.write(HERE, recorded("y" * 40))

    await small.write(HERE, FactPinned(id=written(HERE, 1)))


async def test_pins_of_one_append_count_together(small: FactDesk) -> None:
    """Three at once are refused as the third alone would be."""
    facts = [await decided(small, f"{number}: and so on.", name=f"n{number}") for number in range(3)]

    assert isinstance(await refused(small, BOOK, *(FactPinned(id=fact) for fact in facts)), DoesNotFit)


async def test_a_pin_that_left_its_document_counts(small: FactDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds today was said before more exceptions for other days than a document keeps."""
    monkeypatch.setattr(limits, "INLINE_DATED", 2)
    always = await decided(small, "x" * 40)
    await small.write(BOOK, FactPinned(id=always), caller=PERSON)
    for day in range(1, 5):
        await small.write(BOOK, decision(f"day {day}", valid_from=day, valid_to=day + 1), caller=PERSON)
    other = await decided(small, "y", name="other")

    error = await refused(small, BOOK, FactPinned(id=other))

    assert error.detail == {"over": 1, "pins": {always: 10, other: 1}}


async def test_what_is_not_in_force_is_not_pinned(desk: FactDesk) -> None:
    """A version that was superseded."""
    green, blue = await decided(desk, "green"), await decided(desk, "blue")

    assert str(await refused(desk, BOOK, FactPinned(id=green))) == (
        f"{green} is superseded by {blue} ('blue'); only what is in force is pinned"
    )


async def test_what_holds_at_another_time_is_not_pinned(desk: FactDesk) -> None:
    """The refusal says from when or until when it holds."""
    day = 86_400_000
    later = await desk.write(BOOK, decision("blue", name="a", valid_from=47_482 * day), caller=PERSON)
    before = await desk.write(BOOK, decision("red", name="b", valid_to=day), caller=PERSON)

    for reply, stands in ((later, "not in force before 2100-01-01"), (before, "not in force since 1970-01-02")):
        fact = ids.fact_id(BOOK, reply.origin, 0)
        assert str(await refused(desk, BOOK, FactPinned(id=fact))) == (
            f"{fact} is {stands}; only what is in force is pinned"
        )


async def test_the_pins_of_a_preview_have_a_budget_of_their_own(small: FactDesk) -> None:
    """The refusal names the preview."""
    fact = decision("x" * 60).fact
    tried = msgspec.structs.replace(fact, identity=msgspec.structs.replace(fact.identity, preview="trial"))
    reply = await small.write(BOOK, FactRecorded(fact=tried), caller=PERSON)

    error = await refused(small, BOOK, FactPinned(id=ids.fact_id(BOOK, reply.origin, 0)))

    assert str(error).startswith("the pins of permanent 'shared' in the preview 'trial' would be 15 tokens, 5 over")


async def test_a_fact_has_so_many_labels(desk: FactDesk) -> None:
    """64 fit, one more does not, and one for another does."""
    green = await decided(desk, "green")
    await desk.write(BOOK, FactLabelled(id=green, add=tuple(range(1, 65))), caller=PERSON)

    error = await refused(desk, BOOK, FactLabelled(id=green, add=(65,)))

    assert str(error) == f"{green} would have 65 labels; the limit is 64"
    await desk.write(BOOK, FactLabelled(id=green, add=(65,), remove=(1,)), caller=PERSON)


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (FactLabelled(id=UNKNOWN), "no label is named"),
        (FactLabelled(id=UNKNOWN, add=(0,)), "0 is no label's number"),
        (FactLabelled(id=UNKNOWN, remove=(1024,)), "1024 is no label's number"),
        (FactLabelled(id=UNKNOWN, add=(1,), remove=(1,)), "label 1 is to be put on and taken off at once"),
        (FactLabelled(id=UNKNOWN, add=tuple(range(1, 10_001))), "at most 64 labels, not 10000"),
        (FactDeleted(id=UNKNOWN, reason="x" * 501), "the reason is 501 characters long"),
        (FactDeleted(id=UNKNOWN, reason="two\nlines"), "the reason is one line"),
    ],
)
async def test_acts_are_bounded(desk: FactDesk, labels: Event, says: str) -> None:
    """F93: before anything is looked up."""
    error = await refused(desk, BOOK, labels)

    assert isinstance(error, Invalid)
    assert says in str(error)


# What is stated


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"value": ""}, "the value of a fact is empty"),
        ({"value": "two\nlines"}, "the value of a fact is one line"),
        ({"value": "x" * 201}, "201 characters long; the limit is 200"),
        ({"value": "a\x00b"}, "the value holds the control character U+0000; remove it"),
        ({"content": "x" * 65_537}, "at most 64 KiB"),
        ({"valid_from": 5, "valid_to": 5}, "would never hold"),
        ({"valid_from": -1}, "not within the years 1970 to 9999"),
        ({"cites": UNKNOWN}, "only an approval or a move cites"),
        ({"replaces": UNKNOWN}, "only a fact of a preview"),
    ],
)
async def test_what_a_person_states_is_taken_as_it_is_or_not_at_all(
    desk: FactDesk, changes: dict[str, Any], says: str
) -> None:
    """F86, F91, F93: nothing is cut, mended or guessed, and the line says what is wrong."""
    error = await refused(desk, BOOK, decision("green", **changes))

    assert isinstance(error, Invalid)
    assert says in str(error)


@pytest.mark.parametrize(("where", "blank"), [("owner", ""), ("owner", " "), ("subject", ""), ("name", "\t")])
async def test_a_blank_name_is_refused_and_never_everything(desk: FactDesk, where: str, blank: str) -> None:
    """F82: in the place of an owner, a kind or a name."""
    event = decision("green")
    identity = msgspec.structs.replace(event.fact.identity, **{where: blank})
    chain = subjects.home_chain(identity.scope, identity.owner)

    error = await refused(desk, chain, FactRecorded(fact=msgspec.structs.replace(event.fact, identity=identity)))

    assert isinstance(error, Invalid)
    assert "is empty" in str(error)


def slip(kind: SourceClass, who: str, **changes: Any) -> FactRecorded:
    """A fact of a thread, of a kind that nobody declared."""
    fact = recorded("green", subject="decsion", kind=kind, who=who).fact
    return FactRecorded(fact=msgspec.structs.replace(fact, **changes))


@pytest.mark.parametrize(
    ("role", "kind"), [("person", "person"), ("caller", "caller"), ("agent", "model"), ("tool", "tool")]
)
async def test_a_kind_that_nobody_declared_is_nobody_s_to_state(desk: FactDesk, role: Role, kind: SourceClass) -> None:
    """A slip of the pen would make one for ever, by whichever way it comes."""
    error = await refused(desk, HERE, slip(kind, "dana"), caller=Caller(role, "dana"))

    assert isinstance(error, Invalid)
    assert str(error).startswith("there is no kind 'decsion'; the kinds are branch, decision, entity, ")
    assert str(error).endswith(". `eunoe kinds` says how to add one")


async def test_facts_of_a_kind_that_is_not_declared_any_more_are_kept_and_acted_on(desk: FactDesk) -> None:
    """What a worker derived of it, and what an import brings with the time at which it was stated, go in; a preview
    takes one away, a person has one hold for everyone, and an agent takes its own back."""
    drawn = await desk.write(HERE, slip("tool", "make"), caller=Caller("worker", "extraction"))
    brought = await desk.write(HERE, slip("model", AGENT.principal, at=1, value="blue"))
    first, second = (ids.fact_id(HERE, reply.origin, 0) for reply in (drawn, brought))
    fact = slip("person", "ada").fact
    tried = msgspec.structs.replace(fact.identity, preview="trial")
    shared = msgspec.structs.replace(fact.identity, scope="permanent", owner="shared")

    await desk.write(HERE, slip("person", "ada", identity=tried, value="", replaces=first, removes=True), caller=PERSON)
    moved = slip("person", "ada", identity=shared, cites=first, fact_class="permanent").fact
    await desk.write(BOOK, FactMoved(id=first, fact=moved), caller=PERSON)
    await desk.write(HERE, FactRetired(id=second))

    assert [type(event) for event in await events_of(desk)] == [
        FactRecorded, FactRecorded, FactRecorded, FactMoved, FactRetired,
    ]  # fmt: skip


async def test_half_of_a_surrogate_pair_and_two_megabytes_are_refused(desk: FactDesk) -> None:
    """F91, F93: as they come over the wire, and the worker lives."""
    data = msgspec.json.encode(AppendRequest(v=1, producer="p", n=1, events=(decision("VALUE"),)))

    with pytest.raises(Invalid, match="cannot be read"):
        await desk.worker.append(PERSON, BOOK, data.replace(b"VALUE", rb"\ud800"))
    with pytest.raises(Invalid, match="2000000 characters long; the limit is 200"):
        await desk.worker.append(PERSON, BOOK, data.replace(b"VALUE", b"x" * 2_000_000))
    await desk.worker.append(PERSON, BOOK, data)
