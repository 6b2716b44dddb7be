"""Sessions that expired are ended once, from the moment of expiry, and never while their last write is unknown."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from desks import NOON
from fact_desks import PERSON, FactDesk, recorded

from eunoe.facts.duty import Shared
from eunoe.facts.sessions_answering import SessionsAnswering
from eunoe.facts.sweeper import Sweeper
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.errors import Busy, EunoeError, Invalid
from eunoe.schemas.events import FactRecorded, Prompt, SessionEnded, SessionStateSet, TurnOpened
from eunoe.schemas.requests import AppendReply, AppendRequest, SessionReply, SessionRequest
from eunoe.schemas.subjects import Address, Caller

BOOK = subjects.book_chain("session", "s")
DAY = limits.SESSION_SECONDS
FACTS = Caller("worker", "facts")


def stated(value: str, *, session: str = "s") -> FactRecorded:
    return recorded(value, subject="service", name="web", scope="session", owner=session, kind="person", who="ada")


class Space(FactDesk):
    """A desk whose facts worker's duties can be asked."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.shared = Shared.of(self.store, self.auditor(FACTS), self.settings, self.clock)
        self.shared.ready.set()

    def sweeper(self) -> Sweeper:
        return Sweeper(Shared.of(self.store, self.auditor(FACTS), self.settings, self.clock))

    async def projected(self) -> None:
        """Apply what the log has, as the worker does: nothing waits at its consumer any more."""
        consumer = await self.store.log.consumer("facts", subjects.log_subjects("default"))
        while batch := await consumer.fetch(64, 0.0):
            for delivery in batch:
                await self.shared.projector.apply(delivery.message)
                await delivery.ack()

    async def ask(self, session: str, caller: Caller = PERSON) -> SessionReply:
        handler = SessionsAnswering(self.shared).handlers()["session"]
        data = await handler(Address("session", caller, ""), msgspec.json.encode(SessionRequest(session=session)))
        return msgspec.json.decode(data, type=SessionReply)

    async def ends(self) -> list[SessionEnded]:
        return [
            event
            for stored in await self.stored()
            for event in records.read(stored.seq, stored.data).events
            if isinstance(event, SessionEnded)
        ]


@pytest.fixture
def space(tmp_path: Path) -> Space:
    return Space(tmp_path)


async def test_an_expired_session_is_ended_once_by_all_replicas(space: Space) -> None:
    """Two looks find it expired; the second ends it from its expiry on, and nobody ends it again."""
    await space.write(BOOK, stated("up"), caller=PERSON)
    await space.projected()
    one, other = space.sweeper(), space.sweeper()
    space.clock.advance(seconds=DAY + 1)

    for _ in range(3):
        await one.sweep()
        await other.sweep()
    await space.projected()
    for _ in range(2):
        await one.sweep()

    assert [(event.at, event.reason) for event in await space.ends()] == [(NOON + 1000 * DAY, "expired")]
    assert [key async for key in space.store.session.scan(["fact.>"])] == []
    assert (await space.ask("s")).status == "ended"


async def test_a_session_that_lasts_is_left_alone(space: Space) -> None:
    """A moment before it expires nothing is done."""
    await space.write(BOOK, stated("up"), caller=PERSON)
    await space.projected()
    sweeper = space.sweeper()
    space.clock.advance(seconds=DAY - 1)

    await sweeper.sweep()
    await sweeper.sweep()

    assert await space.ends() == []


async def test_nothing_is_ended_while_records_wait_to_be_projected(space: Space) -> None:
    """A write that nobody projected yet may keep the session alive."""
    await space.append(1, TurnOpened(session="s"))
    await space.projected()
    space.clock.advance(seconds=DAY - 60)
    await space.append(2, Prompt(content="still here"))
    space.clock.advance(seconds=120)
    sweeper = space.sweeper()

    await sweeper.sweep()
    await sweeper.sweep()
    await space.projected()
    await sweeper.sweep()
    await sweeper.sweep()

    assert await space.ends() == []
    assert (await space.ask("s")).status == "open"


async def test_what_is_written_after_the_expiry_survives_its_end(space: Space) -> None:
    """The end that a sweep appends late takes only what was there when the session expired."""
    await space.write(BOOK, stated("old"), caller=PERSON)
    await space.projected()
    sweeper = space.sweeper()
    space.clock.advance(seconds=DAY + 1)
    await sweeper.sweep()
    await sweeper.sweep()
    space.clock.advance(seconds=1)
    await space.write(BOOK, stated("new"), caller=PERSON)

    await space.projected()

    (document,) = [entry async for entry in space.store.session.scan(["fact.>"])]
    assert b'"new"' in document.value
    assert b'"old"' not in document.value
    assert (await space.ask("s")).status == "open"


async def test_a_session_says_how_it_stands(space: Space) -> None:
    """Unknown, open with its state and facts, expired with none of them, ended."""
    before = await space.ask("s")
    await space.write(BOOK, stated("up"), SessionStateSet(state='{"a":1}'), caller=PERSON)
    await space.projected()
    opened = await space.ask("s")
    space.clock.advance(seconds=DAY)
    expired = await space.ask("s")
    await space.write(BOOK, SessionEnded(reason="over"), caller=PERSON)
    await space.projected()
    ended = await space.ask("s")

    assert (before.record, before.status) == (None, "unknown")
    assert opened.record is not None
    assert (opened.status, opened.facts, opened.record.state) == ("open", 1, '{"a":1}')
    assert (expired.status, expired.facts) == ("expired", 0)
    assert ended.record is not None
    assert (ended.status, ended.facts, ended.record.reason, ended.record.ended_by) == ("ended", 0, "over", "person ada")


@pytest.mark.parametrize("session", ["", "  ", "\x00", "s" * 129])
async def test_a_blank_or_impossible_session_is_refused(space: Space, session: str) -> None:
    """F82: no session is asked for by nothing."""
    with pytest.raises(Invalid) as refused:
        await space.ask(session, Caller("agent", "builder"))

    assert isinstance(refused.value, EunoeError)
    assert "\n" not in str(refused.value)


async def test_what_several_say_is_one_fact_of_a_session(tmp_path: Path) -> None:
    """Of a kind whose values stand side by side each value counts once, whoever says it."""
    space = Space(tmp_path)
    settings = space.settings.model_copy(update={"kinds": {"service": {"single": False}}})
    space.shared = Shared.of(space.store, space.auditor(FACTS), settings, space.clock)
    space.shared.ready.set()
    for who, value in (("bob", "down"), ("cy", "down"), ("ada", "up")):
        about = recorded(value, subject="service", name="web", scope="session", owner="s", kind="person", who=who)
        await space.write(BOOK, about, caller=Caller("person", who))
    await space.projected()

    assert (await space.ask("s")).facts == 2


async def test_one_session_that_cannot_be_ended_keeps_no_other_from_being(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record of one is damaged, the book of another is too busy: the third is ended, and the second when it can."""
    await space.store.session.put(subjects.session_key("damaged"), b"{")
    for session in ("a", "s"):
        await space.write(subjects.book_chain("session", session), stated("up", session=session), caller=PERSON)
    await space.projected()
    sweeper = space.sweeper()
    append, busy = sweeper._shared.auditor.append, True

    async def appending(chain: str, request: AppendRequest) -> AppendReply:
        if busy and chain == subjects.book_chain("session", "a"):
            raise Busy("others are first")
        return await append(chain, request)

    monkeypatch.setattr(sweeper._shared.auditor, "append", appending)
    space.clock.advance(seconds=DAY + 1)

    await sweeper.sweep()
    await sweeper.sweep()
    first = len(await space.ends())
    busy = False
    await space.projected()
    await sweeper.sweep()

    assert (first, len(await space.ends())) == (1, 2)
