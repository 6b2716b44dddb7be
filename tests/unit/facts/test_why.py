"""Why a fact is known: the bytes that it came from, what it cites, by which rule it stands, whom it reached."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import pytest
from desks import AGENT
from fact_desks import EXTRACTION, PERSON, FactDesk, recorded, written
from turns import turn, used

from eunoe.facts.evidence import Evidences
from eunoe.facts.lookup import Lookup
from eunoe.facts.trails import Trails
from eunoe.facts.viewing import Viewing
from eunoe.facts.visibility import Viewer
from eunoe.facts.why import Why
from eunoe.runtime import kept
from eunoe.schemas import blobs, limits, subjects
from eunoe.schemas.errors import NotFound
from eunoe.schemas.events import Event, FactApproved, FactDeleted, FactRecorded, MemoryUsed, ToolResult
from eunoe.schemas.facts import Provenance
from eunoe.schemas.requests import WhyReply, WhyRequest
from eunoe.schemas.subjects import Caller
from eunoe.testing import memory_store

COMPOSITION = Caller("worker", "composition")
OTHER = Caller("agent", "other")


async def ask(desk: FactDesk, fact: str, viewer: Viewer | None = None) -> WhyReply:
    await desk.catch_up()
    lookup = Lookup(desk.store, desk.kinds, desk.clock)
    trails = Trails(desk.store.log, desk.store.space, desk.kinds)
    why = Why(lookup, Viewing(lookup, desk.kinds, desk.clock), Evidences(desk.store), trails)
    return await why.answer(WhyRequest(id=fact), viewer or Viewer(PERSON))


async def looked(desk: FactDesk, text: str) -> None:
    """A turn (entries 1 to 3) in which a tool returned ``text`` as entry 3."""
    await desk.append(1, *turn(*used(1, "bash", {"command": "version"}, text, exit_status=0)))


def derived(value: str, *, entry: int = 3, position: int = 1, **about: Any) -> FactRecorded:
    """A fact that a tool's result gave, as extraction records it."""
    fact = recorded(value, kind="tool", who="bash", subject="note", name="version", **about).fact
    positions = (position,) if position else ()
    came = Provenance(thread="t", turn=1, entries=(entry,), positions=positions, tool="bash")
    return FactRecorded(fact=msgspec.structs.replace(fact, provenance=came))


async def test_the_entry_and_the_bytes_that_hold_the_value(desk: FactDesk) -> None:
    """The value is at bytes 8 to 13 of the tool's result, which is short enough to be quoted whole."""
    await looked(desk, "version 1.2.3\n")
    await desk.write("thread.t", derived("1.2.3"), caller=EXTRACTION)
    reply = await ask(desk, written("thread.t", 1, 0, EXTRACTION))
    (found,) = reply.evidence
    assert (found.thread, found.turn, found.entry, found.kind, found.tool) == ("t", 1, 3, "tool.result", "bash")
    assert (found.position, found.start, found.end, found.size) == (1, 0, 14, 14)
    assert (found.text, found.literal, found.value, found.missing) == ("version 1.2.3\n", True, (8, 13), "")
    assert reply.fact.value == "1.2.3"
    assert "bash" in reply.because
    assert (reply.cited, reply.used, reply.uses) == ((), (), 0)


async def test_a_value_that_was_made_of_what_is_said_shows_the_beginning(desk: FactDesk) -> None:
    """``passed`` is nowhere in the output: its first 400 bytes are shown, and that the value is not in them."""
    await looked(desk, "x" * 900)
    await desk.write("thread.t", derived("passed"), caller=EXTRACTION)
    (found,) = (await ask(desk, written("thread.t", 1, 0, EXTRACTION))).evidence
    assert (found.literal, found.start, found.end, found.size) == (False, 0, limits.EVIDENCE_BYTES, 900)


async def test_a_value_in_large_content_is_found_in_its_pieces(desk: FactDesk) -> None:
    """900,000 bytes in four pieces, the value over the border of the second and the third; then a piece is gone."""
    text = "x" * (2 * limits.PIECE_BYTES - 3) + "needle" + "y" * 400_000
    blob, pieces = blobs.split(text)
    for digest, piece in zip(blob.pieces, pieces, strict=True):
        await desk.store.blobs.append(subjects.piece("default", "t", digest), piece)
    call = used(1, "bash", {"command": "version"}, "")
    result = ToolResult(call="call-1", blob=blob)
    await desk.append(1, *turn(call[0], result))
    await desk.write("thread.t", derived("needle"), caller=EXTRACTION)
    fact = written("thread.t", 1, 0, EXTRACTION)
    (found,) = (await ask(desk, fact)).evidence
    assert found.value == (2 * limits.PIECE_BYTES - 3, 2 * limits.PIECE_BYTES + 3)
    assert (found.literal, found.size) == (True, len(text))
    stored = (await desk.store.blobs.last([subjects.piece("default", "t", blob.pieces[1])])).messages[0]
    await desk.store.blobs.erase(stored.seq)
    (found,) = (await ask(desk, fact)).evidence
    assert (found.missing, found.text) == ("piece 2 of the 4 of its content is missing", "")


async def test_an_entry_is_found_without_its_position(desk: FactDesk) -> None:
    """A provenance that names entries alone: the record is found by the entry's number."""
    await looked(desk, "version 1.2.3")
    await desk.write("thread.t", derived("1.2.3", position=0), derived("x", entry=9, position=0), caller=EXTRACTION)
    (found,) = (await ask(desk, written("thread.t", 1, 0, EXTRACTION))).evidence
    assert (found.entry, found.position, found.literal) == (3, 1, True)
    (found,) = (await ask(desk, written("thread.t", 1, 1, EXTRACTION))).evidence
    assert found.missing == "the thread 't' has no entry 9"


async def test_a_provenance_that_names_another_place_shows_nothing_of_it(desk: FactDesk) -> None:
    """The record at that position is another thread's, or holds another entry: neither is quoted."""
    await desk.append(1, *turn(*used(1, "bash", {}, "secret of u")), thread="u")
    await desk.write("thread.t", derived("secret of u", position=1), caller=EXTRACTION)
    (found,) = (await ask(desk, written("thread.t", 1, 0, EXTRACTION))).evidence
    assert (found.text, found.missing) == ("", "position 1 of the log does not hold entry 3 of the thread 't'")


async def test_an_agent_reads_no_entry_of_a_thread_it_is_not_in(desk: FactDesk) -> None:
    """A fact of its own that claims to come from thread ``u`` says where that is, and quotes nothing."""
    await desk.append(1, *turn(*used(1, "bash", {}, "secret of u")), thread="u")
    fact = recorded("secret", subject="entity", scope="permanent", owner="builder").fact
    came = Provenance(thread="u", turn=1, entries=(3,), positions=(1,))
    await desk.write("book.permanent.builder", FactRecorded(fact=msgspec.structs.replace(fact, provenance=came)))
    own = written("book.permanent.builder", 1)
    (found,) = (await ask(desk, own, Viewer(AGENT, "t"))).evidence
    assert (found.text, found.missing) == ("", "it is in the thread 'u'; ask there")
    (found,) = (await ask(desk, own, Viewer(AGENT, "u"))).evidence
    assert found.text == "secret of u"
    with pytest.raises(NotFound):
        await ask(desk, own, Viewer(OTHER, "u"))


async def test_what_a_person_stated_is_its_own_evidence(desk: FactDesk) -> None:
    """No entry: the assertion's position in the log, and that it was stated."""
    fact = recorded("uv", subject="decision", name="tool", kind="person", who="ada").fact
    said = FactRecorded(fact=msgspec.structs.replace(fact, method="stated"))
    await desk.write("thread.t", said, caller=PERSON)
    reply = await ask(desk, written("thread.t", 1, 0, PERSON))
    assert [(one.kind, one.position, one.entry) for one in reply.evidence] == [("stated", 1, 0)]


async def test_every_source_of_a_value_is_evidence_the_one_asked_about_first(desk: FactDesk) -> None:
    """Twenty assertions of one value: that which is named, then the newest, sixteen in all."""
    await looked(desk, "version 1.2.3")
    for _ in range(20):
        await desk.write("thread.t", derived("1.2.3"), caller=EXTRACTION)
    reply = await ask(desk, written("thread.t", 3, 0, EXTRACTION))
    assert [one.id for one in reply.evidence][:2] == [
        written("thread.t", 3, 0, EXTRACTION),
        written("thread.t", 20, 0, EXTRACTION),
    ]
    assert len(reply.evidence) == 16
    assert (reply.fact.id, reply.fact.supports) == (written("thread.t", 1, 0, EXTRACTION), 20)


async def test_an_approval_shows_what_it_admitted(desk: FactDesk) -> None:
    """The permanent fact cites the proposal of the thread, whose evidence is one question further."""
    await desk.write("thread.t", recorded("uv", subject="decision", name="tool"))
    proposal = written("thread.t", 1)
    own = recorded("uv", subject="decision", name="tool", scope="permanent", owner="shared", kind="person", who="ada")
    await desk.write("book.permanent.shared", FactApproved(id=proposal, fact=own.fact), caller=PERSON)
    reply = await ask(desk, written("book.permanent.shared", 1, 0, PERSON))
    assert [(one.id, one.state) for one in reply.cited] == [(proposal, "approved")]
    assert (await ask(desk, written("book.permanent.shared", 1, 0, PERSON), Viewer(OTHER, "u"))).cited == ()


def shown(context: str, number: int, *facts: str) -> Event:
    return MemoryUsed(context=context, turn=number, facts=facts)


async def test_the_requests_that_it_reached_newest_first(desk: FactDesk) -> None:
    """120 requests of two threads: all are counted, the last hundred named; an agent is told of its thread's."""
    said = recorded("all", subject="entity", name="x", scope="permanent", owner="shared", kind="person", who="ada")
    await desk.write("book.permanent.shared", said, caller=PERSON)
    fact = written("book.permanent.shared", 1, 0, PERSON)
    for thread, first, last in (("t", 1, 100), ("u", 101, 120)):
        await desk.append(1, *turn(), thread=thread)
        some = [shown(f"c{number}", 1, fact, "faaaaaaaaaa") for number in range(first, last + 1)]
        await desk.write(f"thread.{thread}", *some, shown("none", 1, "faaaaaaaaaa"), caller=COMPOSITION)
    reply = await ask(desk, fact)
    assert (reply.uses, len(reply.used)) == (120, limits.USES_SHOWN)
    assert [(use.thread, use.context) for use in reply.used[:2]] == [("u", "c120"), ("u", "c119")]
    assert reply.used[-1].context == "c21"
    own = await ask(desk, fact, Viewer(OTHER, "u"))
    assert (own.uses, {use.thread for use in own.used}) == (20, {"u"})
    assert (await ask(desk, fact, Viewer(OTHER))).uses == 0


async def test_the_rule_is_said_in_words(desk: FactDesk) -> None:
    """Of a deleted fact: who deleted it."""
    await desk.write("thread.t", recorded("wrong", subject="note"))
    fact = written("thread.t", 1)
    await desk.write("thread.t", FactDeleted(id=fact, reason="not so"), caller=PERSON)
    reply = await ask(desk, fact)
    assert reply.fact.state == "deleted"
    assert "person ada" in reply.because
    assert "not so" in reply.because


async def test_a_log_too_long_for_one_answer_says_where_it_was_left(
    desk: FactDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No time at all: nothing is counted, and the position of the first record that was not looked at is named."""
    await desk.write("thread.t", recorded("x", subject="note"))
    await desk.append(1, *turn())
    await desk.write("thread.t", shown("c", 1, written("thread.t", 1)), caller=COMPOSITION)
    assert (await ask(desk, written("thread.t", 1))).unread == 0
    monkeypatch.setattr(limits, "TRAIL_SECONDS", -1.0)
    reply = await ask(desk, written("thread.t", 1))
    assert (reply.uses, reply.unread) == (0, 1)


async def test_evidence_that_is_gone_says_so(desk: FactDesk) -> None:
    """An entry that was erased keeps its place, and a record that is missing is named with what to run."""
    await looked(desk, "version 1.2.3")
    await desk.write("thread.t", derived("1.2.3"), caller=EXTRACTION)
    fact = written("thread.t", 1, 0, EXTRACTION)
    whole, facts = await desk.stored()
    log = memory_store("default", clock=desk.clock).log
    for stored in (kept.restored(kept.keep(whole, {3})), facts):
        await log.append(stored.subject, stored.data)
    desk.store = dataclasses.replace(desk.store, log=log)
    (found,) = (await ask(desk, fact)).evidence
    assert (found.entry, found.kind, found.text, found.missing) == (3, "tool.result", "", "it was erased")
    await desk.store.log.erase(1)
    (found,) = (await ask(desk, fact)).evidence
    assert found.missing == "the record at position 1 of the log is missing; run `eunoe audit verify`"
