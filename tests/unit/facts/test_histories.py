"""The history of one fact: every version and act, its body, as of any moment; and what of the log is read for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import msgspec
import pytest
from desks import AGENT, NOON
from fact_desks import EXTRACTION, PERSON, FactDesk, recorded, written

from eunoe.facts import lenient
from eunoe.facts.document import build, encode, key
from eunoe.facts.history import History
from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Log, Stored
from eunoe.schemas import subjects
from eunoe.schemas.errors import Damaged, NotFound
from eunoe.schemas.events import (
    FactApproved,
    FactDeleted,
    FactLabelled,
    FactMoved,
    FactPinned,
    FactRecorded,
    FactRetired,
    SessionEnded,
)
from eunoe.schemas.facts import Identity
from eunoe.schemas.records import Record
from eunoe.schemas.requests import FactReply, FactRequest, FactsRequest

HOUR = 3_600_000  # milliseconds


def said(value: str, **about: Any) -> FactRecorded:
    given: dict[str, Any] = {"kind": "person", "who": "ada", "subject": "note", "name": "x"}
    return recorded(value, **given | about)


async def history(desk: FactDesk, fact: str, viewer: Viewer | None = None, **asked: Any) -> FactReply:
    await desk.catch_up()
    return await desk.reading.history(FactRequest(id=fact, **asked), viewer or Viewer(PERSON))


async def test_who_did_what_when_and_why(desk: FactDesk) -> None:
    """Labels, a pin and a deletion, in order, with their times; a deleted fact is still found by its id (F61)."""
    await desk.write("thread.t", said("a"), caller=PERSON)
    fact = written("thread.t", 1, 0, PERSON)
    desk.clock.advance(ms=HOUR)
    await desk.write("thread.t", FactLabelled(id=fact, add=(3,)), FactPinned(id=fact), caller=PERSON)
    desk.clock.advance(ms=HOUR)
    await desk.write("thread.t", FactLabelled(id=fact, add=(4,), remove=(3,)), caller=PERSON)
    await desk.write("thread.t", FactDeleted(id=fact, reason="not so"), caller=PERSON)
    reply = await history(desk, fact[:7])
    assert [(act.kind, act.by, act.at, act.position, act.reason, act.labels) for act in reply.acts] == [
        ("labelled", "person ada", NOON + HOUR, 2, "", ("+#3",)),
        ("pinned", "person ada", NOON + HOUR, 2, "", ()),
        ("labelled", "person ada", NOON + 2 * HOUR, 3, "", ("+#4", "-#3")),
        ("deleted", "person ada", NOON + 2 * HOUR, 4, "not so", ()),
    ]
    assert [(version.value, version.state) for version in reply.versions] == [("a", "deleted")]
    assert (reply.current, reply.named) == ("", fact)


async def test_forty_versions_are_all_shown(desk: FactDesk) -> None:
    """The document keeps sixteen; the log has the others, and as of any moment what was in force then (F55)."""
    for number in range(40):
        await desk.write("thread.t", said(f"v{number}"), caller=PERSON)
        desk.clock.advance(ms=HOUR)
    last = written("thread.t", 40, 0, PERSON)
    reply = await history(desk, last)
    assert [version.value for version in reply.versions] == [f"v{number}" for number in range(40)]
    assert [version.version for version in reply.versions] == list(range(1, 41))
    assert reply.current == last
    then = await history(desk, last, recorded=NOON + 2 * HOUR)
    assert [(version.value, version.state) for version in then.versions] == [
        ("v0", "superseded"),
        ("v1", "superseded"),
        ("v2", "current"),
    ]


async def test_the_body_of_the_version_that_is_named(desk: FactDesk) -> None:
    """Of an assertion with a body its own, of one without that of its version, and none unless it is asked for."""
    with_body = FactRecorded(fact=msgspec.structs.replace(said("a").fact, content="the body"))
    await desk.write("thread.t", with_body, said("a"), said("b"), caller=PERSON)
    ids = [written("thread.t", 1, index, PERSON) for index in range(3)]
    assert (await history(desk, ids[0])).content == ""
    assert [(await history(desk, fact, content=True)).content for fact in ids] == ["the body", "the body", ""]
    assert [version.has_content for version in (await history(desk, ids[0])).versions] == [True, False]
    await desk.store.thread.delete(subjects.content_key("t", ids[0]))
    with pytest.raises(NotFound, match="the body of fact"):
        await history(desk, ids[0], content=True)


async def test_a_damaged_document_is_told_for_its_id_alone(desk: FactDesk) -> None:
    """One line for the one, and the other's history as ever."""
    await desk.write("thread.t", said("a"), said("b", name="y"), caller=PERSON)
    one, other = (written("thread.t", 1, index, PERSON) for index in range(2))
    await desk.catch_up()
    await desk.store.thread.put(key(Identity("thread", "t", "note", "x")), b"{")
    with pytest.raises(Damaged, match=r"\Athe document fact\.t\.note\.x cannot be read: .*makes it again\Z"):
        await desk.reading.history(FactRequest(id=one), Viewer(PERSON))
    reply = await desk.reading.history(FactRequest(id=other), Viewer(PERSON))
    assert [version.value for version in reply.versions] == ["b"]


async def test_nothing_of_an_ended_session_is_in_a_history(desk: FactDesk) -> None:
    """What is from before its end is gone with its ids; what came later is there alone."""
    about = {"scope": "session", "owner": "s", "subject": "service"}
    await desk.write("book.session.s", said("before", **about), caller=PERSON)
    desk.clock.advance(ms=HOUR)
    await desk.write("book.session.s", SessionEnded(reason="done"), caller=PERSON)
    desk.clock.advance(ms=HOUR)
    await desk.write("book.session.s", said("after", **about), caller=PERSON)
    with pytest.raises(NotFound):
        await history(desk, written("book.session.s", 1, 0, PERSON))
    reply = await history(desk, written("book.session.s", 3, 0, PERSON))
    assert [version.value for version in reply.versions] == ["after"]


async def test_a_history_as_a_preview_sees_it(desk: FactDesk) -> None:
    """The preview's own value leads for its viewer, and for nobody else; its id is not there for others."""
    await desk.write("thread.t", said("live"), caller=PERSON)
    live = written("thread.t", 1, 0, PERSON)
    fact = said("new").fact
    identity = msgspec.structs.replace(fact.identity, preview="p")
    own = FactRecorded(fact=msgspec.structs.replace(fact, identity=identity, replaces=live))
    await desk.write("thread.t", own, caller=PERSON)
    added = written("thread.t", 2, 0, PERSON)
    assert (await history(desk, live)).current == live
    assert (await history(desk, live, Viewer(PERSON, preview="p"), preview="p")).current == added
    assert [one.value for one in (await history(desk, added, Viewer(PERSON, preview="p"))).versions] == ["new"]
    with pytest.raises(NotFound):
        await history(desk, added)


# What is read of the log


class Filtered:
    """A log that notes what is scanned, and which records are handed out."""

    def __init__(self, inner: Log) -> None:
        self._inner = inner
        self.filters: list[Sequence[str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def scan(self, filters: Sequence[str] = (), *, start: int = 1) -> AsyncIterator[Stored]:
        self.filters.append(filters)
        return self._inner.scan(filters, start=start)


async def busy(desk: FactDesk) -> None:
    """Facts of two threads, a session and everyone, with every kind of act on them."""
    of_session = said("service", subject="service", scope="session", owner="s")
    await desk.write("thread.t", said("a"), of_session, caller=PERSON)
    proposal = recorded("uv", subject="decision", name="tool")
    await desk.write("thread.t", proposal, recorded("own", subject="note", name="x"))
    await desk.write("thread.u", said("u", owner="u"), caller=PERSON)
    await desk.write("thread.t", FactRetired(id=written("thread.t", 1, 1)))
    everyones = said("uv", subject="decision", name="tool", scope="permanent", owner="shared")
    approved = FactApproved(id=written("thread.t", 1), fact=everyones.fact)
    await desk.write("book.permanent.shared", approved, caller=PERSON)
    moved = said("a", scope="session", owner="s")
    await desk.write("book.session.s", FactMoved(id=written("thread.t", 1, 0, PERSON), fact=moved.fact), caller=PERSON)
    await desk.write("thread.t", said("b"), caller=PERSON)
    fact = written("thread.t", 2, 0, PERSON)
    await desk.write("thread.t", FactLabelled(id=fact, add=(1,)), FactPinned(id=fact), caller=PERSON)
    await desk.write("thread.u", FactDeleted(id=written("thread.u", 1, 0, PERSON)), caller=PERSON)
    await desk.catch_up()


async def test_every_document_is_made_again_from_the_log_to_the_byte(desk: FactDesk) -> None:
    """Each alone, and all in one pass, from what is read of the log for it."""
    await busy(desk)
    stored = {name.split(" ", 1)[1]: value for name, value in (await desk.contents()).items() if " fact." in name}
    reader = History(desk.store.log, desk.store.space, desk.kinds)
    identities = [msgspec.json.decode(value, type=_Named).identity for value in stored.values()]
    assert len(identities) == 6
    together = await reader.all(identities)
    for identity in identities:
        alone = build(identity, await reader.events(identity))
        assert encode(alone) == stored[key(identity)] == encode(build(identity, together[identity]))


class _Named(msgspec.Struct):
    identity: Identity


async def test_of_a_threads_facts_the_thread_and_the_books_are_read(desk: FactDesk) -> None:
    """Not what other threads did, however much that is; of a session's facts, what memory did anywhere."""
    await busy(desk)
    log = Filtered(desk.store.log)
    reader = History(cast("Log", log), "default", desk.kinds)
    await reader.events(Identity("thread", "t", "note", "x"))
    await reader.events(Identity("session", "s", "note", "x"))
    own = [subjects.chain_subject("default", "thread.t", "memory"), subjects.books_filter("default")]
    assert log.filters == [own, subjects.memory_filters("default")]
    log.filters.clear()
    await reader.all([Identity("thread", f"t{number}", "note", "x") for number in range(100)])
    assert log.filters == [subjects.memory_filters("default")]


async def test_only_records_that_can_matter_are_decoded(desk: FactDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred records of the thread about other subjects none is; of these two, both."""
    for number in range(100):
        await desk.write("thread.t", recorded(f"v{number}", subject="tests", name=f"n{number}"), caller=EXTRACTION)
    await desk.write("thread.t", said("a"), caller=PERSON)
    await desk.write("thread.t", FactDeleted(id=written("thread.t", 1, 0, PERSON)), caller=PERSON)
    read: list[int] = []

    whole = lenient.read_any

    def noted(stored: Stored) -> Record | None:
        read.append(stored.seq)
        return whole(stored)

    monkeypatch.setattr(lenient, "read_any", noted)
    events = await History(desk.store.log, "default", desk.kinds).events(Identity("thread", "t", "note", "x"))
    assert (len(events), read) == (2, [101, 102])
    read.clear()
    fact = written("thread.t", 50, 0, EXTRACTION)
    assert set(await History(desk.store.log, "default", desk.kinds).locate({fact}, before=102)) == {fact}
    assert read == [50]


async def test_a_person_and_an_agent_are_not_shown_more_than_the_list_shows(desk: FactDesk) -> None:
    """Histories go by the same predicate: another agent's, another thread's and another session's are not there."""
    await busy(desk)
    listed = await desk.listed(Viewer(AGENT, "u"), FactsRequest(thread="u", all=True))
    for chain, n, caller in (("thread.t", 1, PERSON), ("thread.u", 1, PERSON), ("book.permanent.shared", 1, PERSON)):
        fact = written(chain, n, 0, caller)
        shown = fact in {one.id for one in listed}
        try:
            await desk.reading.history(FactRequest(id=fact), Viewer(AGENT, "u"))
        except NotFound:
            assert not shown
        else:
            assert shown
