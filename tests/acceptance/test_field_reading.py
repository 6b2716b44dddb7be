"""Faults of what memory systems answered, and what holds here.

F55 an old value beside the new one · F57 a changed value that takes no effect · F59 deleting one owner's facts
that takes another's · F61 deleted facts that are still found · F62 a bulk delete that ends at its first error ·
F71 an owner whose name begins another's · F93 requests without a bound.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from fields import known, used

from eunoe.client import Memory
from eunoe.runtime.doors import Store
from eunoe.runtime.session import session
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Context
from eunoe.schemas.errors import EunoeError, Invalid, NotFound
from eunoe.schemas.requests import FactView, TracesRequest


def text(context: Context) -> str:
    return json.dumps(context.messages, ensure_ascii=False) + context.system


async def looked(memory: Memory, version: str) -> None:
    """A turn that read the file of a version, and said so."""
    async with memory.thread("t").turn("Which version is it?") as turn:
        await turn.context()
        await used(turn, "c", "read_file", f"version = {version}\n", path="setup.cfg")
        await turn.reply(f"It is {version}.")


async def pages(memory: Memory, **asked: Any) -> list[FactView]:
    """A whole list, two facts a page."""
    found: list[FactView] = []
    cursor, more = "", True
    while more:
        page = await memory.facts(limit=2, cursor=cursor, **asked)
        found += page.facts
        cursor, more = page.cursor, bool(page.cursor)
    return found


async def test_a_changed_value_is_the_one_that_is_known(memory: Memory, fleet: Fleet) -> None:
    """F55, F57: was a programmer, then, in another spelling, the same, then a student: now there is one, and it has a
    history of two."""
    for value in ("a programmer", "A  Programmer", "a student"):
        await memory.state_fact("entity", "ada's job", value)

    now = await memory.facts()
    assert [(fact.value, fact.version) for fact in now.facts] == [("a student", 2)]
    history = await memory.fact(now.facts[0].id)
    assert [(one.value, one.state, one.supports) for one in history.versions] == [
        ("a programmer", "superseded", 2),
        ("a student", "current", 1),
    ]
    assert history.current == now.facts[0].id
    then = await memory.facts(recorded=history.versions[1].recorded - 1)
    assert [fact.value for fact in then.facts] == ["a programmer"]


async def test_what_is_deleted_is_nowhere_but_where_it_is_asked_for(memory: Memory, fleet: Fleet) -> None:
    """F61: not in a context, a list, its pages, or by subject, now and as of now; by its id, in its history, in what
    changed and in the list of everything it is, and an earlier moment knows it."""
    stated = await memory.state_fact("decision", "database", "use sqlite xyzzy")
    await memory.state_fact("decision", "language", "python")
    thread = memory.thread("t")
    async with thread.turn("Which database?") as turn:
        assert "sqlite xyzzy" in text(await turn.context())
        await turn.reply("That one.")
    before = await memory.fact(stated.id)

    done = await memory.delete_fact(stated.id, "obsolete")

    async with thread.turn("And now?") as turn:
        assert "sqlite xyzzy" not in text(await turn.context())
        await turn.reply("None.")
    asked: list[dict[str, Any]] = [{}, {"thread": "t"}, {"subject": "decision"}, {"agent": "ada"}]
    for filters in asked:
        assert [fact.value for fact in await pages(memory, **filters)] == ["python"]
    assert [fact.value for fact in await pages(memory, recorded=4_000_000_000_000)] == ["python"]
    everything = {fact.id: fact.state for fact in await pages(memory, all=True)}
    changed = {fact.id: fact.state for fact in await pages(memory, since=before.versions[0].position)}
    assert everything[stated.id] == changed[stated.id] == "deleted"
    assert (await memory.fact(stated.id)).versions[0].state == "deleted"
    assert (await memory.why(stated.id)).fact.state == "deleted"
    then = await memory.facts(recorded=before.versions[0].recorded)
    assert [fact.value for fact in then.facts] == ["use sqlite xyzzy"]
    kinds = {trace.kind for trace in done.traces}
    assert {"document", "index", "context"} <= kinds
    assert done.remaining == ()


async def test_why_names_the_bytes_and_the_requests(memory: Memory, fleet: Fleet) -> None:
    """A mapped value is found where the tool said it, and of a stated one the request that it reached is named."""
    async with memory.thread("t").turn("Search.") as turn:
        await used(turn, "c", "search", '{"hits": [{"title": "city", "text": "Reykjavík"}]}')
        await turn.reply("Found.")
    assert await known(memory, fleet, "t") == {("note", "city"): "Reykjavík"}
    mapped = (await memory.facts(thread="t", subject="note")).facts[0]
    stated = await memory.state_fact("decision", "database", "sqlite")
    async with memory.thread("t").turn("Where?") as turn:
        composed = await turn.context()
        await turn.reply("There.")

    (evidence,) = (await memory.why(mapped.id)).evidence
    said = (await memory.thread("t").show(evidence.entry)).content.encode()
    start, end = evidence.value
    assert said[start:end].decode() == "Reykjavík"
    reply = await memory.why(stated.id)
    assert [(use.thread, use.turn, use.context) for use in reply.used] == [("t", 2, composed.id)]
    assert "person ada" in reply.because


async def test_deleting_an_owners_facts_leaves_every_other_document_alone(
    settings: Settings, store: Store, memory: Memory, fleet: Fleet
) -> None:
    """F59, F71: of the owners `a.b`, `a.bc`, `1` and `10`, deleting one changes no byte of the others; it does so
    though one of its facts is gone already, and again it finds nothing (F62)."""
    for owner in ("a.b", "a.bc", "1", "10"):
        for number in range(3):
            await memory.state_fact("entity", f"e{number}", f"of {owner}", owner=owner)
    own = (await memory.facts(agent="a.b")).facts
    mine = {fact.id for fact in own if fact.identity.owner == "a.b"}
    assert len(mine) == 3

    async def others() -> dict[str, bytes]:
        found = await store.permanent.find(["fact.>", "id.>"])
        gone = subjects.fact_key("a.b", "entity", "e").removesuffix(".e")
        return {one.key: one.value for one in found.entries if not one.key.startswith(gone)}

    before = await others()
    await memory.delete_fact(next(iter(mine)))
    counted = await memory.delete_scope("permanent", "a.b", dry_run=True)
    done = await memory.delete_scope("permanent", "a.b")
    again = await memory.delete_scope("permanent", "a.b")

    assert (counted.facts, done.facts, done.failed, again.facts) == (2, 2, (), 0)
    assert await others() == before
    left = [fact.identity.owner for fact in (await memory.facts()).facts]
    assert sorted(left) == ["1"] * 3 + ["10"] * 3 + ["a.bc"] * 3


async def test_a_deletion_goes_on_over_what_cannot_be_deleted(
    memory: Memory, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F62: in the midst of five facts is one that nobody knows: the five go, the answer lists the one with the
    reason, and doing it again has nothing left to do."""
    for number in range(5):
        await memory.state_fact("entity", f"e{number}", "old", owner="team")
    facts = list((await memory.facts(agent="team")).facts)
    unknown = msgspec.structs.replace(facts[2], id="faaaaaaaaaa")

    async def listed(*_: object) -> list[FactView]:
        return [*facts[:2], unknown, *facts[2:]]

    with monkeypatch.context() as patched:
        patched.setattr(memory, "_all_of", listed)
        done = await memory.delete_scope("permanent", "team")

    assert [one.fact.id for one in done.failed] == [unknown.id]
    assert "faaaaaaaaaa" in done.failed[0].reason
    assert (await memory.facts(agent="team")).facts == ()
    again = await memory.delete_scope("permanent", "team")
    assert (again.facts, again.failed) == (0, ())


async def test_requests_without_a_bound_are_refused_in_one_line(settings: Settings, memory: Memory) -> None:
    """F93: a subject of a megabyte, ten thousand labels, two thousand ids, a page of a million; the worker goes on."""
    with pytest.raises(EunoeError) as refused:
        await memory.facts(subject="x" * limits.MIB)
    assert "the limit is" in str(refused.value)
    with pytest.raises(Invalid, match="no label"):
        await memory.facts(labels=[f"l{number}" for number in range(10_000)])
    with pytest.raises(Invalid, match="a page has"):
        await memory.facts(limit=1_000_000)
    with pytest.raises(NotFound):
        await memory.fact("f" + "a" * 10)
    async with session(settings) as opened:
        ids = tuple(f"f{number:010}" for number in range(2_000))
        subject = subjects.request(settings.space, "traces", settings.caller)
        with pytest.raises(Invalid, match="1 to 1,000 facts at once"):
            await opened.requester.request(subject, msgspec.json.encode(TracesRequest(ids=ids)))
    assert (await memory.facts()).facts == ()
