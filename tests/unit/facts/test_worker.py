"""The worker: waits for what a caller wrote, says what is not fresh, and makes buckets again that are not its own."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import anyio
import msgspec
import pytest
from desks import AGENT
from fact_desks import PERSON, FactDesk, recorded, written
from fact_workers import facts_worker, running
from rebuilding import project

from eunoe.facts.rebuild import Rebuild
from eunoe.facts.recovery import Recovery
from eunoe.facts.worker import FactsWorker
from eunoe.runtime.settings import Settings
from eunoe.schemas import subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import Denied, Invalid, NotFound
from eunoe.schemas.requests import FactReply, FactRequest, FactsReply, FactsRequest, KindsReply
from eunoe.schemas.subjects import Address, Caller
from eunoe.testing import memory_store
from eunoe.testing.generations import MemoryGenerations


async def ask(
    worker: FactsWorker, request: FactsRequest, caller: Caller = PERSON, chain: str = "thread.t"
) -> FactsReply:
    data = await worker.handlers()["facts"](Address("facts", caller, chain), msgspec.json.encode(request))
    return msgspec.json.decode(data, type=FactsReply)


async def history(worker: FactsWorker, fact: str, caller: Caller, chain: str = "thread.t") -> FactReply:
    request = FactRequest(id=fact, wait=0.0)
    data = await worker.handlers()["fact"](Address("fact", caller, chain), msgspec.json.encode(request))
    return msgspec.json.decode(data, type=FactReply)


async def test_a_write_can_be_read_with_its_watermark(desk: FactDesk) -> None:
    """``after`` waits for the record just written, in the asked thread or in another chain."""
    async with running(desk) as worker:
        reply = await desk.write("thread.t", recorded("passed"))
        found = await ask(worker, FactsRequest(thread="t", after=Watermark(log=reply.position), wait=5.0))
        assert [fact.value for fact in found.facts] == ["passed"]
        assert found.watermark.log >= reply.position
        book = recorded("all", subject="entity", scope="permanent", owner="shared", kind="person", who="ada")
        reply = await desk.write("book.permanent.shared", book, caller=PERSON)
        found = await ask(worker, FactsRequest(thread="t", after=Watermark(log=reply.position), wait=5.0))
        assert sorted(fact.value for fact in found.facts) == ["all", "passed"]


async def test_a_record_is_done_once_any_worker_applied_it(desk: FactDesk) -> None:
    """What is asked of a record that came too often, of a worker that has handled nothing itself."""
    idle = facts_worker(desk)
    reply = await desk.write("thread.t", recorded("passed"))
    (stored,) = await desk.store.log.get([reply.position])
    assert stored is not None
    assert not await idle.done(stored)

    async with running(desk) as worker:
        await ask(worker, FactsRequest(thread="t", after=Watermark(log=reply.position), wait=5.0))

    assert await idle.done(stored)


async def test_what_is_not_fresh_is_said(desk: FactDesk) -> None:
    """A position that the log does not have yet is not waited for for ever, and the watermark is below it."""
    async with running(desk) as worker:
        await desk.write("thread.t", recorded("passed"))
        found = await ask(worker, FactsRequest(thread="t", after=Watermark(log=99), wait=0.0))
        assert found.watermark.log < 99


async def test_an_emptied_bucket_is_made_again_before_anybody_is_served(desk: FactDesk) -> None:
    """The permanent bucket is replaced by an empty one while nobody runs: the next start fills it (F114)."""
    book = recorded("all", subject="entity", scope="permanent", owner="shared", kind="person", who="ada")
    async with running(desk) as worker:
        reply = await desk.write("book.permanent.shared", book, caller=PERSON)
        await ask(worker, FactsRequest(after=Watermark(log=reply.position), wait=5.0))
    cast("MemoryGenerations", desk.store.generations).lose("permanent")
    async with running(desk) as worker:
        assert [fact.value for fact in (await ask(worker, FactsRequest())).facts] == ["all"]
        assert worker.statistics()["rebuilt"] == 1


async def test_a_bucket_ahead_of_the_log_is_made_again(desk: FactDesk) -> None:
    """The log lost its tail: facts of the lost records are not served (F112)."""
    async with running(desk) as worker:
        await desk.write("thread.t", recorded("kept", name="a"))
        reply = await desk.write("thread.t", recorded("lost", name="b"))
        await ask(worker, FactsRequest(after=Watermark(log=reply.position), wait=5.0))
    shorter = memory_store("default", clock=desk.clock)
    first = (await desk.stored())[0]
    await shorter.log.append(first.subject, first.data)
    desk.store = replace(desk.store, log=shorter.log)
    async with running(desk) as worker:
        listed = (await ask(worker, FactsRequest(scope="thread"))).facts
        assert [fact.value for fact in listed] == ["kept"]


async def test_a_fresh_space_is_not_made_again(desk: FactDesk) -> None:
    """Two starts on an empty log: one origin, no rebuild."""
    for _ in range(2):
        async with running(desk) as worker:
            await ask(worker, FactsRequest())
            assert worker.statistics()["rebuilt"] == 0
    assert await desk.store.thread.get(subjects.ORIGIN_KEY) is not None


async def test_an_agent_cannot_ask_for_another_thread_than_it_addresses(desk: FactDesk) -> None:
    """The subject, which the server guards, names the thread; the payload cannot name another."""
    async with running(desk) as worker:
        with pytest.raises(Denied):
            await ask(worker, FactsRequest(thread="u"), caller=AGENT)


@pytest.mark.parametrize("caller", [AGENT, Caller("tool", "bash")])
async def test_who_addresses_no_thread_is_not_shown_one(desk: FactDesk, caller: Caller) -> None:
    """Without a thread in the subject the payload may not name one, and a thread's fact is not there by its id."""
    async with running(desk) as worker:
        position = (await desk.write("thread.t", recorded("passed"))).position
        after = Watermark(log=position)
        with pytest.raises(Denied, match="about no thread cannot ask for 't'"):
            await ask(worker, FactsRequest(thread="t", after=after, wait=5.0), caller, chain="")
        with pytest.raises(NotFound):
            await history(worker, written("thread.t", 1), caller, chain="")
        found = await ask(worker, FactsRequest(thread="t", after=after, wait=5.0), caller)
        assert [fact.value for fact in found.facts] == ["passed"]
        assert [one.value for one in (await history(worker, written("thread.t", 1), caller)).versions] == ["passed"]


async def test_a_request_that_cannot_be_read_is_refused(desk: FactDesk) -> None:
    """Not JSON, or a number where a text belongs: one line of what is wrong."""
    async with running(desk) as worker:
        for data in (b"\x00", b'{"thread": 2147483648}'):
            with pytest.raises(Invalid, match="cannot be read"):
                await worker.handlers()["facts"](Address("facts", PERSON, ""), data)


async def test_kinds_and_labels_are_told_as_the_worker_has_them(desk: FactDesk) -> None:
    """A kind that the configuration changed, one that it added, one as shipped, and the labels by number."""
    changed = {"note": {"single": False}, "ticket": {"fact_class": "dynamic", "description": "What is asked for."}}
    desk.settings = Settings(data=desk.settings.data, kinds=changed, labels={"urgent": 7, "old": 2})
    async with running(desk) as worker:
        data = await worker.handlers()["kinds"](Address("kinds", AGENT, ""), b"{}")
    reply = msgspec.json.decode(data, type=KindsReply)
    kinds = {kind.name: (kind.origin, kind.fields) for kind in reply.kinds}
    assert kinds["note"] == ("changed", ("single",))
    assert kinds["ticket"][0] == "added"
    assert kinds["file"] == ("shipped", ())
    assert list(reply.labels.items()) == [("old", 2), ("urgent", 7)]


async def test_a_watermark_names_buckets_that_hold_what_it_says_of_the_log(desk: FactDesk) -> None:
    """A record is projected while the answer is on its way: the revision that is named has its documents."""
    async with running(desk) as worker:
        for number in range(20):
            reply = await desk.write("thread.t", recorded(f"v{number}"))
            found = await ask(worker, FactsRequest(thread="t", after=Watermark(log=reply.position), wait=5.0))
            entry = await desk.store.thread.get(subjects.fact_key("t", "tests", "pytest"))
            assert entry is not None
            assert found.watermark.thread >= entry.revision


@pytest.mark.parametrize("what", ["thread", "session", "agent", "subject", "preview"])
async def test_a_name_that_cannot_be_one_is_refused_before_anything_is_read(desk: FactDesk, what: str) -> None:
    """A megabyte, or a line break, in any field that narrows a list (F93)."""
    async with running(desk) as worker:
        for name, said in (("x" * 2**20, "the limit is 128"), ("a\nb", "control character")):
            data = msgspec.json.encode({what: name})
            with pytest.raises(Invalid, match=f"the {what} id .*{said}"):
                await worker.handlers()["facts"](Address("facts", PERSON, ""), data)


@pytest.mark.parametrize("new", [True, False])
async def test_what_was_read_before_the_facts_were_made_again_is_not_written_after(
    desk: FactDesk, monkeypatch: pytest.MonkeyPatch, new: bool
) -> None:
    """A slow worker has a record in hand while what it says is erased and the facts are made again without that; also
    where it just fills buckets that are ``new``."""
    if not new:
        await Recovery(desk.store).settle()
    put, reached, go = desk.store.thread.put, anyio.Event(), anyio.Event()

    async def slow(key: str, value: bytes, *, expect: int | None = None) -> int:
        if subjects.is_fact_key(key) and not go.is_set():
            reached.set()
            await go.wait()
        return await put(key, value, expect=expect)

    monkeypatch.setattr(desk.store.thread, "put", slow)
    async with running(desk) as worker:
        erased = await desk.write("thread.t", recorded("secret"))
        await reached.wait()
        last = await desk.write("thread.t", recorded("passed", name="other"))
        await desk.store.log.erase(erased.position)
        await Rebuild(desk.store, project, desk.clock).swap("a test")
        go.set()
        await anyio.wait_all_tasks_blocked()
        found = await ask(worker, FactsRequest(thread="t", after=Watermark(log=last.position), wait=5.0))

    assert [fact.value for fact in found.facts] == ["passed"]
    assert not [key for key, value in (await desk.contents()).items() if b"secret" in value]
