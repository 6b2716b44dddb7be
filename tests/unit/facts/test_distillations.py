"""What the facts worker answers of a thread's summary, and of what was distilled, summarised and reviewed there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from desks import AGENT, whole_turn
from drawn_events import DISTILLATION, SUMMARISING, distilled, drawn, kept, reviewed, summarised
from fact_desks import PERSON, FactDesk
from fact_workers import running
from msgspec.structs import replace

from eunoe.facts.worker import FactsWorker
from eunoe.runtime import kept as left
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.distilled_events import Compared, Decision, Effort, SetAside
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import Event, Extracted
from eunoe.schemas.requests import (
    Distillation,
    DistillationsReply,
    DistillationsRequest,
    SummaryReply,
    SummaryRequest,
)
from eunoe.schemas.subjects import Address, Caller

TURNS = 30
EXTRACTION = Caller("worker", "extraction")
OTHER = Caller("agent", "other")


@pytest.fixture
async def desk(tmp_path: Path) -> FactDesk:
    """A thread of 30 committed turns."""
    desk = FactDesk(tmp_path)
    for n in range(1, TURNS + 1):
        await desk.append(n, *whole_turn("x"), turn=f"k{n}")
    return desk


async def say(desk: FactDesk, *events: Event, caller: Caller = DISTILLATION) -> int:
    """One record of a worker; its position, which is its number in the thread too."""
    return (await desk.write("thread.t", *events, caller=caller)).position


async def summary(
    worker: FactsWorker, *, every: bool = False, after: int = 0, caller: Caller = PERSON, chain: str = "thread.t"
) -> SummaryReply:
    request = SummaryRequest(every=every, after=Watermark(log=after), wait=5.0)
    data = await worker.handlers()["summary"](Address("summary", caller, chain), msgspec.json.encode(request))
    return msgspec.json.decode(data, type=SummaryReply)


async def page(
    worker: FactsWorker, *, limit: int = 50, before: int = 0, caller: Caller = PERSON, chain: str = "thread.t"
) -> DistillationsReply:
    request = DistillationsRequest(limit=limit, before=before)
    data = await worker.handlers()["distillations"](Address("", caller, chain), msgspec.json.encode(request))
    return msgspec.json.decode(data, type=DistillationsReply)


async def test_the_version_in_force_is_shown(desk: FactDesk) -> None:
    """With its text, what it covers, and how many turns are not in it yet; the older one is there where asked for."""
    first = await say(desk, distilled(1, 3), summarised("one", 3))
    second = await say(desk, replace(summarised("two", 6, before=first), effort=Effort(model="m", calls=1)))

    async with running(desk) as worker:
        found = await summary(worker, after=second)
        every = await summary(worker, every=True)

    (current,) = found.versions
    assert (current.version, current.position, current.index, current.text) == (2, second, 0, "two")
    assert (current.last, current.turns, current.entries, current.model) == (6, ((1, 6),), ((1, 12),), "m")
    assert (found.waiting, found.kept, found.watermark.log) == (TURNS - 6, "", second)
    assert [(one.version, one.index, one.text, one.turns) for one in every.versions] == [
        (1, 1, "one", ((1, 3),)),
        (2, 0, "two", ((1, 6),)),
    ]


async def test_a_thread_without_a_summary_has_none(desk: FactDesk) -> None:
    async with running(desk) as worker:
        assert await summary(worker, after=TURNS) == SummaryReply(waiting=TURNS, watermark=(await watermark(worker)))
        assert (await summary(worker, chain="thread.none")).versions == ()


async def watermark(worker: FactsWorker) -> Watermark:
    return (await summary(worker)).watermark


async def test_why_a_summary_waits_is_said(desk: FactDesk) -> None:
    first = await say(desk, summarised("one", 3), caller=SUMMARISING)
    last = await say(desk, kept(9, "the model was silent"), caller=SUMMARISING)

    async with running(desk) as worker:
        found = await summary(worker, after=last)

    assert ([one.position for one in found.versions], found.kept) == ([first], "the model was silent")


async def test_a_version_that_was_erased_meanwhile_is_not_shown(desk: FactDesk) -> None:
    """Its document is there still, and its event is not."""
    first = await say(desk, summarised("one", 3))
    second = await say(desk, summarised("two", 6, before=first))

    async with running(desk) as worker:
        await summary(worker, after=second)
        with erased(desk, second):
            found, every = await summary(worker), await summary(worker, every=True)

    assert (found.versions, [one.text for one in every.versions]) == ((), ["one"])


@contextmanager
def erased(desk: FactDesk, position: int) -> Iterator[None]:
    """What the log reads at a position is what an erasure of the first event left there."""
    log = desk.store.log
    read = log.get

    async def get(seqs: object) -> object:
        found = await read(seqs)  # type: ignore[arg-type]
        return [left.restored(left.keep(one, {0})) if one and one.seq == position else one for one in found]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "get", get)
        yield


async def test_what_was_drawn_is_listed_newest_first(desk: FactDesk) -> None:
    """Of what other workers append nothing is; each says what it stated, what became of its summary, what it took."""
    paid = Effort(model="m", calls=1, input_tokens=5)
    whole = replace(distilled(1, 3, "odd"), dropped=2, effort=paid)
    one = await say(desk, whole, drawn("a"), drawn("b", name="n2"), summarised("s", 3))
    await say(desk, Extracted(turn=1, ordinal=1), caller=EXTRACTION)
    two = await say(desk, replace(kept(6), effort=paid), caller=SUMMARISING)
    three = await say(desk, distilled(4, 6, failed="no"), kept(6, "no"))
    four = await say(desk, reviewed(1, 3, failed="off", set_aside=(SetAside(text="x", reason="y"),)))
    late = await say(desk, replace(summarised("late", 6), by="model"), caller=SUMMARISING)

    async with running(desk) as worker:
        found = await page(worker)

    now = desk.clock.now()
    facts = tuple(ids.fact_id("thread.t", "worker/distillation/desk/1", index) for index in (1, 2))
    aside = SetAside(text="odd", reason="no kind")
    assert found.distillations == (
        Distillation(kind="summarised", record=late, position=late, time=now, turns=((1, 6),), by="model",
                     summary="not taken"),
        Distillation(kind="reviewed", record=four, position=four, time=now, turns=((1, 3),), by="model",
                     failed="off", set_aside=(SetAside(text="x", reason="y"),)),
        Distillation(kind="distilled", record=three, position=three, time=now, turns=((4, 6),), by="rules",
                     failed="no", summary="kept", reason="no"),
        Distillation(kind="summarised", record=two, position=two, time=now, turns=(), by="model", summary="kept",
                     reason="the model said nothing", effort=paid),
        Distillation(kind="distilled", record=one, position=one, time=now, turns=((1, 3),), by="rules", dropped=2,
                     facts=facts, set_aside=(aside,), summary="updated", effort=paid),
    )  # fmt: skip
    assert found.effort == Effort(model="m", calls=2, input_tokens=10)
    assert not found.more


async def test_pages_follow_one_another(desk: FactDesk) -> None:
    """Seven records of two workers, three a page: each once, and the last page says that it is the last."""
    written = [await say(desk, distilled(n, n)) if n % 3 else await say(desk, kept(n), caller=SUMMARISING)
               for n in range(1, 8)]  # fmt: skip
    listed: list[int] = []
    pages: list[tuple[int, bool]] = []

    async with running(desk) as worker:
        before = 0
        while not pages or pages[-1][1]:
            found = await page(worker, limit=3, before=before)
            listed += [one.record for one in found.distillations]
            pages.append((len(found.distillations), found.more))
            before = listed[-1]

    assert listed == written[::-1]
    assert pages == [(3, True), (3, True), (1, False)]


async def test_a_producer_that_left_the_head_is_found(desk: FactDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many others wrote since that the chain's end names it no more: the thread's state does."""
    monkeypatch.setattr(limits, "PRODUCERS_IN_HEAD", 2)
    first = await say(desk, distilled(1, 3))

    async with running(desk) as worker:
        await summary(worker, after=first)
        for n in range(3):
            reply = await desk.append(1, *whole_turn("x"), turn=f"m{n}", producer=f"q{n}")
            await summary(worker, after=reply.position)
        found = await page(worker)

    assert [one.record for one in found.distillations] == [first]


async def test_old_summaries_are_told_from_those_not_taken(desk: FactDesk) -> None:
    """Those behind the versions that are at hand: of two that went on from the same, the first was taken, also where
    the two stand on different pages."""
    first = await say(desk, summarised("1", 1), caller=SUMMARISING)
    position = await say(desk, summarised("2", 2, before=first), caller=SUMMARISING)
    lost = await say(desk, summarised("lost", 9, before=first))
    for last in range(3, 3 + limits.SUMMARY_VERSIONS):
        position = await say(desk, summarised(str(last), last, before=position), caller=SUMMARISING)

    async with running(desk) as worker:
        newest = await page(worker, limit=limits.SUMMARY_VERSIONS + 1)
        rest = await page(worker, before=lost)

    assert {one.summary for one in newest.distillations[:-1]} == {"updated"}
    assert (newest.distillations[-1].record, newest.distillations[-1].summary) == (lost, "not taken")
    assert [one.summary for one in rest.distillations] == ["updated", "updated"]


async def test_an_agent_is_told_of_no_fact_that_it_may_not_see(desk: FactDesk) -> None:
    """Records of another agent are not named to it; facts of the thread that it asks from are."""
    record = drawn("x", subject="event", who="builder", scope="permanent", owner="builder", method="inferred")
    await say(desk, distilled(1, 3), drawn("a", subject="note"))
    await say(desk, reviewed(1, 3), record)

    async with running(desk) as worker:
        counts = {
            caller.principal: [len(one.facts) for one in (await page(worker, caller=caller)).distillations]
            for caller in (PERSON, AGENT, OTHER)
        }

    assert counts == {"ada": [1, 1], "builder": [1, 1], "other": [0, 1]}


async def test_what_a_review_decided_is_told_to_its_agent_and_to_people(desk: FactDesk) -> None:
    """Of the reviews of two agents in one record each sees its own, and what was set aside in it; what was compared
    stays in the log."""
    near = (Compared(id="faaaaaaaaaa", likeness=93),)
    skipped = Decision(action="skipped", text="Ports are busy.", reason="there is one", compared=near)
    retired = Decision(action="retired", text="Dana leads.", about="faaaaaaaaaa")
    own, others = SetAside(text="Ports", reason="no kind"), SetAside(text="Dana", reason="no kind")
    await say(
        desk,
        reviewed(1, 3, decisions=(skipped,), set_aside=(own,)),
        reviewed(1, 3, agent="third", decisions=(retired,), set_aside=(others,)),
    )

    async with running(desk) as worker:
        pieces = {
            caller.principal: (await page(worker, caller=caller)).distillations[0] for caller in (PERSON, AGENT, OTHER)
        }
    told = {who: (one.decisions, one.set_aside) for who, one in pieces.items()}

    mine = replace(skipped, compared=())
    assert told == {"ada": ((mine, retired), (own, others)), "builder": ((mine,), (own,)), "other": ((), ())}


@pytest.mark.parametrize("limit", [0, -1, 51])
async def test_a_page_has_something_on_it_and_not_too_much(desk: FactDesk, limit: int) -> None:
    async with running(desk) as worker:
        with pytest.raises(Invalid, match="1 to 50 distillations"):
            await page(worker, limit=limit)


@pytest.mark.parametrize("verb", ["summary", "distillations"])
async def test_a_request_about_no_thread_is_refused(desk: FactDesk, verb: str) -> None:
    async with running(desk) as worker:
        with pytest.raises(Invalid, match="name the thread"):
            await worker.handlers()[verb](Address(verb, PERSON, ""), b"{}")


async def test_a_thread_that_is_not_there_has_none(desk: FactDesk) -> None:
    async with running(desk) as worker:
        assert await page(worker, chain=subjects.thread_chain("none")) == DistillationsReply()
