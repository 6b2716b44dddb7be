"""The receipt of a deletion: every derived thing of a fact with what became of it, and what is in force now."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import msgspec
import pytest
from desks import AGENT
from fact_desks import EXTRACTION, PERSON, FactDesk, recorded, written
from turns import turn

from eunoe.facts.document import key
from eunoe.facts.lookup import Lookup
from eunoe.facts.traces import Traces
from eunoe.facts.trails import Trails
from eunoe.facts.viewing import Viewing
from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Log
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Invalid, NotFound
from eunoe.schemas.events import FactApproved, FactDeleted, FactMoved, FactRecorded, MemoryUsed
from eunoe.schemas.facts import Identity, Provenance
from eunoe.schemas.requests import TracesReply, TracesRequest
from eunoe.schemas.subjects import Caller

COMPOSITION = Caller("worker", "composition")
NOTE = Identity("thread", "t", "note", "version")


async def ask(desk: FactDesk, *facts: str, viewer: Viewer | None = None, log: Log | None = None) -> TracesReply:
    await desk.catch_up()
    store = dataclasses.replace(desk.store, log=log or desk.store.log)
    lookup = Lookup(store, desk.kinds, desk.clock)
    traces = Traces(lookup, Viewing(lookup, desk.kinds, desk.clock), Trails(store.log, store.space, desk.kinds))
    return await traces.answer(TracesRequest(ids=facts), viewer or Viewer(PERSON))


def derived(value: str, *, content: str = "", **about: Any) -> FactRecorded:
    given: dict[str, Any] = {"kind": "tool", "who": "bash", "subject": "note", "name": "version"} | about
    fact = recorded(value, **given).fact
    came = Provenance(thread="t", turn=1, entries=(3,), positions=(1,), tool="bash")
    return FactRecorded(fact=msgspec.structs.replace(fact, provenance=came, content=content))


def lines(reply: TracesReply) -> list[tuple[str, str, str]]:
    return [(trace.kind, trace.where, trace.fate) for trace in reply.traces]


async def test_everything_that_a_deleted_fact_left(desk: FactDesk) -> None:
    """Document, index, body, source, a second source, the context that showed it, a preview that names it."""
    await desk.append(1, *turn())
    await desk.write("thread.t", derived("1.2.3", content="body"), derived("1.2.3"), caller=EXTRACTION)
    fact, second = (written("thread.t", 1, index, EXTRACTION) for index in range(2))
    await desk.write("thread.t", MemoryUsed(context="c1", turn=1, facts=(fact,)), caller=COMPOSITION)
    identity = msgspec.structs.replace(NOTE, preview="p")
    other = recorded("2", kind="person", who="ada", subject="note", name="version").fact
    own = FactRecorded(fact=msgspec.structs.replace(other, identity=identity, replaces=fact))
    await desk.write("thread.t", own, caller=PERSON)
    before = await ask(desk, fact)
    assert lines(before)[0] == ("document", f"thread {key(NOTE)}", "shows it")
    assert [view.value for view in before.remaining] == ["1.2.3"]

    await desk.write("thread.t", FactDeleted(id=fact), caller=PERSON)
    reply = await ask(desk, fact)
    assert lines(reply) == [
        ("document", f"thread {key(NOTE)}", "hides it; nothing is in force"),
        ("index", f"thread {subjects.index_key(fact)}", "stays, so that its history can be looked up"),
        ("content", f"thread {subjects.content_key('t', fact)}", "is hidden with it, and stays until it is erased"),
        ("source", "thread t, turn 1, entry 3", "stays in the log until it is erased"),
        ("support", f"{second}, tool bash, turn 1, entry 3", "is deleted with it"),
        ("source", "thread t, turn 1, entry 3", "stays in the log until it is erased"),
        ("context", "context c1 of turn 1 of thread t", "keeps what it showed"),
        ("preview", f"{written('thread.t', 1, 0, PERSON)}, preview p, thread t", "is in force"),
    ]
    assert {trace.fact for trace in reply.traces} == {fact}
    assert reply.remaining == ()


async def test_what_another_source_says_is_in_force_then(desk: FactDesk) -> None:
    """A person's value is deleted; the tool's, which it outranked, leads and is in the receipt."""
    await desk.write("thread.t", derived("failed"), caller=EXTRACTION)
    said = recorded("passed", kind="person", who="ada", subject="note", name="version")
    await desk.write("thread.t", said, caller=PERSON)
    fact, left = written("thread.t", 1, 0, PERSON), written("thread.t", 1, 0, EXTRACTION)
    await desk.write("thread.t", FactDeleted(id=fact), caller=PERSON)
    reply = await ask(desk, fact)
    assert reply.traces[0].fate == f"hides it; {left} is in force: failed"
    assert [(view.id, view.value) for view in reply.remaining] == [(left, "failed")]


async def test_approvals_and_copies_that_cite_it(desk: FactDesk) -> None:
    """A proposal that was approved, and a fact that went to a session: each with what its successor is now."""
    await desk.write("thread.t", recorded("uv", subject="decision", name="tool"))
    proposal = written("thread.t", 1)
    own = recorded("uv", subject="decision", name="tool", scope="permanent", owner="shared", kind="person", who="ada")
    await desk.write("book.permanent.shared", FactApproved(id=proposal, fact=own.fact), caller=PERSON)
    said = recorded("x", subject="note", name="version", kind="person", who="ada")
    await desk.write("thread.t", said, caller=PERSON)
    moved = written("thread.t", 1, 0, PERSON)
    copy = recorded("x", subject="note", name="version", scope="session", owner="s", kind="person", who="ada")
    await desk.write("book.session.s", FactMoved(id=moved, fact=copy.fact), caller=PERSON)
    copied = written("book.session.s", 1, 0, PERSON)
    await desk.write("book.session.s", FactDeleted(id=copied), caller=PERSON)
    reply = await ask(desk, proposal, moved)
    citing = [line for line in lines(reply) if line[0] in ("approval", "copy")]
    assert citing == [
        ("approval", f"{written('book.permanent.shared', 1, 0, PERSON)}, permanent shared", "is in force"),
        ("copy", f"{copied}, session s", "is deleted"),
    ]


async def test_an_agent_is_told_of_what_it_sees_alone(desk: FactDesk) -> None:
    """A preview and a session to which its thread's fact went are others' business; a person is told of both."""
    await desk.write("thread.t", recorded("x", subject="note", name="version"))
    fact = written("thread.t", 1)
    other = recorded("y", subject="note", name="version", kind="person", who="ada").fact
    hidden = msgspec.structs.replace(other, identity=msgspec.structs.replace(NOTE, preview="p"), replaces=fact)
    copy = recorded("x", subject="note", name="version", scope="session", owner="s", kind="person", who="ada").fact
    await desk.write("thread.t", FactRecorded(fact=hidden), caller=PERSON)
    await desk.write("thread.t", FactMoved(id=fact, fact=copy), caller=PERSON)

    async def told(viewer: Viewer) -> list[str]:
        return [kind for kind, _, _ in lines(await ask(desk, fact, viewer=viewer)) if kind in ("preview", "copy")]

    assert await told(Viewer(AGENT, "t")) == []
    assert await told(Viewer(AGENT, "t", "s")) == ["copy"]
    assert await told(Viewer(PERSON)) == ["preview", "copy"]


class Passes:
    """A log that counts how often it is read through."""

    def __init__(self, inner: Log) -> None:
        self._inner = inner
        self.scans = 0

    def __getattr__(self, name: str) -> Any:
        self.scans += name == "scan"
        return getattr(self._inner, name)


async def test_a_thousand_facts_cost_one_pass(desk: FactDesk) -> None:
    """A scope of 1,000 facts, each shown in two contexts: one look through the log, the newest context of each."""
    names = [f"n{number}" for number in range(limits.PAGE_FACTS)]
    facts = [written("thread.t", 1, index, EXTRACTION) for index in range(len(names))]
    await desk.write("thread.t", *(derived(name, name=name) for name in names), caller=EXTRACTION)
    for number in (1, 2):
        used = MemoryUsed(context=f"c{number}", turn=number, facts=tuple(facts))
        await desk.append(number, *turn(), turn=f"k{number}")
        await desk.write("thread.t", used, caller=COMPOSITION)
    await desk.write("thread.t", *(FactDeleted(id=fact) for fact in facts), caller=PERSON)
    log = Passes(desk.store.log)
    reply = await ask(desk, *facts, log=cast("Log", log))
    assert log.scans == 1
    contexts = [(trace.fact, trace.where) for trace in reply.traces if trace.kind == "context"]
    assert contexts[:2] == [(facts[0], "context c2 of turn 2 of thread t"), (facts[0], "1 earlier context")]
    assert len(contexts) == 2 * len(facts)
    assert reply.remaining == ()


async def test_what_a_document_does_not_keep_any_more_is_read_from_the_log(desk: FactDesk) -> None:
    """Forty values: the first has left its document, and is traced all the same."""
    for number in range(40):
        await desk.write("thread.t", derived(f"v{number}"), caller=EXTRACTION)
    fact, last = written("thread.t", 1, 0, EXTRACTION), written("thread.t", 40, 0, EXTRACTION)
    reply = await ask(desk, fact)
    assert [trace.kind for trace in reply.traces] == ["document", "index", "source"]
    assert reply.traces[0].fate == f"hides it; {last} is in force: v39"


async def test_ids_that_cannot_be_traced(desk: FactDesk) -> None:
    """None, too many, unknown ones, and those of others are refused in one line."""
    await desk.write("thread.t", recorded("x"))
    with pytest.raises(Invalid, match="1 to 1,000 facts at once, not 0"):
        await ask(desk)
    with pytest.raises(Invalid, match="not 1,001"):
        await ask(desk, *(f"f{number:010}" for number in range(1_001)))
    with pytest.raises(NotFound, match="no fact faaaaaaaaaa here"):
        await ask(desk, written("thread.t", 1), "faaaaaaaaaa")
    with pytest.raises(NotFound):
        await ask(desk, written("thread.t", 1), viewer=Viewer(AGENT, "u"))


async def test_a_log_too_long_for_one_answer_is_in_the_receipt(desk: FactDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not looked through is named, so that the receipt never seems to be whole."""
    await desk.write("thread.t", recorded("x"))
    monkeypatch.setattr(limits, "TRAIL_SECONDS", -1.0)
    reply = await ask(desk, written("thread.t", 1))
    assert reply.unread == 1
    assert reply.traces[-1].where == "the log from position 1 on"
