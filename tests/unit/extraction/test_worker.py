"""The worker: every committed turn once and in order, whatever is delivered when; a poisoned one holds up nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import anyio
import anyio.lowlevel
import msgspec
import pytest
from desks import AGENT
from extraction_desks import ExtractionDesk, poisoned
from fact_desks import recorded
from turns import turn, used

from eunoe.composition import marks
from eunoe.extraction.rules import Turn
from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Appended, Jobs, Log, Stored
from eunoe.runtime.review_settings import Review
from eunoe.runtime.settings import Settings
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import EunoeError, Misconfigured, Unreachable
from eunoe.schemas.events import Event, Extracted, FactRecorded, Prompt, TurnAborted, TurnCommitted, TurnOpened
from eunoe.schemas.jobs import ReviewJob
from eunoe.schemas.records import Record
from eunoe.schemas.requests import DeadLetter, FactRequest, FactsRequest
from eunoe.schemas.subjects import Caller


async def test_each_committed_turn_gets_one_record(desk: ExtractionDesk) -> None:
    """Three turns, each delivered twice, to two workers: three records, in order (F20)."""
    for n, status in enumerate((1, 0, 1), start=1):
        await desk.ran(n, status)
    for worker in (desk.extractor(), desk.extractor()):
        for stored in [*await desk.happened(), *await desk.happened()]:
            await worker.handle(stored)
    found = await desk.extractions()
    assert [events[0].ordinal for events in found if isinstance(events[0], Extracted)] == [1, 2, 3]
    assert [events[1].fact.value for events in found if isinstance(events[1], FactRecorded)] == [
        "failed, exit status 1",
        "passed",
        "failed, exit status 1",
    ]


async def test_a_turn_is_done_once_any_worker_extracted_it(desk: ExtractionDesk) -> None:
    """What is asked of a record that came too often: of two turns the first is done when it is extracted, the second
    when that is, whoever did it; a record that commits no turn leaves nothing to do."""
    await desk.ran(1, 0)
    await desk.ran(2, 0)
    await desk.append(3, TurnOpened(), Prompt(content="?"), turn="k3")
    one, two, opened = await desk.happened()
    worker, other = desk.extractor(), desk.extractor()

    before = [await worker.done(stored) for stored in (one, two, opened)]
    await other.handle(one)
    between = [await worker.done(stored) for stored in (one, two)]
    await other.handle(two)

    assert before == [False, False, True]
    assert between == [True, False]
    assert await worker.done(two)


async def test_the_last_turn_brings_the_missing_ones_along(desk: ExtractionDesk) -> None:
    """Only the third commit is delivered: turns 1 and 2 are derived first (F5)."""
    for n in (1, 2, 3):
        await desk.ran(n, n)
    await desk.extractor().handle((await desk.happened())[-1])
    assert [events[0].ordinal for events in await desk.extractions() if isinstance(events[0], Extracted)] == [1, 2, 3]


class Watched:
    """A log that remembers which positions were read one by one."""

    def __init__(self, inner: Log) -> None:
        self._inner = inner
        self.read: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def get(self, seqs: Sequence[int]) -> list[Stored | None]:
        self.read.extend(seqs)
        return await self._inner.get(seqs)


async def test_of_turns_in_hand_nothing_is_read_again(desk: ExtractionDesk) -> None:
    """Four turns together, the second in two records: one record each, in order, and no read of the log."""
    await desk.ran(1, 0)
    second = turn(*used(1, "Bash", {"command": "pytest"}, "", exit_status=1))
    await desk.append(2, *second[:3], turn="k2")
    await desk.append(3, *second[3:], turn="k2")
    await desk.ran(4, 0)
    await desk.ran(5, 2)
    watched = Watched(desk.store.log)
    desk.store = replace(desk.store, log=watched)
    await desk.extractor().handle(*await desk.happened())
    assert watched.read == []
    found = [events[1] for events in await desk.extractions()]
    assert [event.fact.value for event in found if isinstance(event, FactRecorded)] == [
        "passed",
        "failed, exit status 1",
        "passed",
        "failed, exit status 2",
    ]


async def test_what_is_not_in_hand_is_read(desk: ExtractionDesk) -> None:
    """Of two turns only the second's last record is delivered: its own first record, and the first turn, are read."""
    await desk.ran(1, 0)
    second = turn(*used(1, "Bash", {"command": "pytest"}, "", exit_status=1))
    await desk.append(2, *second[:3], turn="k2")
    await desk.append(3, *second[3:], turn="k2")
    watched = Watched(desk.store.log)
    desk.store = replace(desk.store, log=watched)
    await desk.extractor().handle((await desk.happened())[-1])
    assert set(watched.read) == {1, 2}
    assert [events[0].ordinal for events in await desk.extractions() if isinstance(events[0], Extracted)] == [1, 2]


async def test_a_poisoned_turn_among_many_keeps_only_its_own_facts(
    desk: ExtractionDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of four turns in hand cannot be derived: through the pump, it is recorded as failed, in its place."""
    for n in range(1, 5):
        await desk.ran(n, 0)
    feed = Turn.feed

    def poisoned(turn: Turn, record: Record) -> None:
        if turn.ordinal == 2:
            raise RuntimeError("cannot be read")
        feed(turn, record)

    monkeypatch.setattr(Turn, "feed", poisoned)
    worker = desk.extractor()
    consumer = await desk.store.log.consumer("extraction", [subjects.happened_filter("default")])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        while await consumer.pending() != (0, 0):
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    found = [events[0] for events in await desk.extractions()]
    assert [(one.ordinal, one.facts, one.failed) for one in found if isinstance(one, Extracted)] == [
        (1, 1, ()),
        (2, 0, ("RuntimeError: cannot be read",)),
        (3, 1, ()),
        (4, 1, ()),
    ]


async def test_turns_that_interleave_are_told_apart(desk: ExtractionDesk) -> None:
    """Two open turns, their calls mixed over several records: each gets its own facts, by order of commit."""
    first = used(1, "Bash", {"command": "pytest"}, "", exit_status=0)
    second = used(1, "Bash", {"command": "tox"}, "", exit_status=1)
    steps: list[tuple[str, tuple[Event, ...]]] = [
        ("a", (TurnOpened(), Prompt(content="one"))),
        ("b", (TurnOpened(), Prompt(content="two"))),
        ("a", first[:1]),
        ("b", second[:1]),
        ("a", first[1:]),
        ("b", (*second[1:], TurnCommitted())),
        ("a", (TurnCommitted(),)),
    ]
    for n, (key, events) in enumerate(steps, start=1):
        await desk.append(n, *events, turn=key)
    worker = desk.extractor()
    for stored in await desk.happened():
        await worker.handle(stored)
    found = await desk.extractions()
    assert [(e[0].turn, e[0].ordinal) for e in found if isinstance(e[0], Extracted)] == [(2, 1), (1, 2)]
    assert [e[1].fact.identity.name for e in found if isinstance(e[1], FactRecorded)] == ["tox", "pytest"]


async def test_an_aborted_turn_gives_no_fact(desk: ExtractionDesk) -> None:
    """It stays in the log, and memory says nothing of it."""
    await desk.append(1, *turn(*used(1, "Bash", {"command": "pytest"}, "", exit_status=0))[:-1], TurnAborted())
    worker = desk.extractor()
    for stored in await desk.happened():
        await worker.handle(stored)
    assert await desk.extractions() == []


async def test_a_turn_that_cannot_be_derived_is_recorded_as_failed(desk: ExtractionDesk) -> None:
    """Five tries, then a record with the reason and no facts; the thread's state names it, later turns go on (F22)."""
    await desk.ran(1, 0)
    await desk.ran(2, 0)
    worker = desk.extractor()
    first, second = await desk.happened()

    with poisoned():
        for _ in range(limits.ATTEMPTS - 1):
            with pytest.raises(RuntimeError):
                await worker.handle(first)
        assert await desk.extractions() == []
        await worker.handle(first)
    await worker.handle(second)
    await desk.catch_up()
    state = await desk.state()
    assert (state.extracted, state.failed) == (2, ((1, "RuntimeError: cannot be read"),))
    assert (state.facts, worker.statistics()["failed"]) == (1, 1)


async def test_a_turn_that_was_laid_aside_holds_up_no_later_one(desk: ExtractionDesk) -> None:
    """Its message is a dead letter (it may kill whoever reads it): the next turn records it as failed unread (F27)."""
    await desk.ran(1, 0)
    await desk.ran(2, 0)
    first, second = await desk.happened()
    letter = DeadLetter(v=1, worker="extraction", reason="the worker ended", attempts=5, time=0, position=first.seq)
    await desk.store.dead.append(subjects.dead("default", "extraction"), msgspec.json.encode(letter))
    await desk.extractor().handle(second)
    found = await desk.extractions()
    assert found[0] == (Extracted(turn=1, ordinal=1, failed=("the worker ended",)),)
    assert [type(event).__name__ for event in found[1]] == ["Extracted", "FactRecorded"]


async def test_a_context_fed_back_twenty_times_adds_no_fact(desk: ExtractionDesk) -> None:
    """Each turn prints the composed block of what is known: the count stays what it was (F44)."""
    await desk.append(1, *turn(*used(1, "bash", {"command": "git status"}, "On branch main\n")), turn="k1")
    worker = desk.extractor()
    for n in range(2, 22):
        listed = await desk.listed(Viewer(AGENT, "t"), FactsRequest(thread="t"))
        lines = "\n".join(f"- {fact.identity.subject} {fact.identity.name}: {fact.value}" for fact in listed)
        block = marks.label("earlier", f"On branch echo-{n}\n{lines}")
        fed = [
            *used(1, "bash", {"command": "git status"}, block),
            *used(2, "memory", {"command": "recall"}, f"On branch r{n}"),
        ]
        await desk.append(n, *turn(*fed, prompt=block), turn=f"k{n}")
        for stored in await desk.happened():
            await worker.handle(stored)
        await desk.catch_up()
    every = await desk.listed(Viewer(AGENT, "t"), FactsRequest(thread="t", all=True))
    assert [(fact.identity.subject, fact.value) for fact in every] == [("branch", "main")]


async def test_failed_passed_failed_end_to_end(desk: ExtractionDesk) -> None:
    """Through audit, extraction and projector: failed is in force, with three versions."""
    worker = desk.extractor()
    for n, status in enumerate((1, 0, 1), start=1):
        await desk.ran(n, status)
    for stored in reversed(await desk.happened()):
        await worker.handle(stored)
    await desk.catch_up()
    every = await desk.listed(Viewer(AGENT, "t"), FactsRequest(thread="t", all=True))
    assert [(fact.value, fact.version, fact.state) for fact in every] == [
        ("failed, exit status 1", 1, "superseded"),
        ("passed", 2, "superseded"),
        ("failed, exit status 1", 3, "current"),
    ]


async def test_a_quoted_commit_is_no_commit(desk: ExtractionDesk) -> None:
    """A record that only mentions the word costs a look and nothing else."""
    await desk.append(1, TurnOpened(), Prompt(content='{"type":"turn.committed"}'), turn="k")
    await desk.write("thread.t", recorded("x"))
    worker = desk.extractor()
    for stored in await desk.happened():
        await worker.handle(stored)
    assert [len(events) for events in await desk.extractions()] == [1]


async def test_what_a_trusted_reporter_gave_ranks_above_what_an_agent_appended(desk: ExtractionDesk) -> None:
    """The reporter says that a command failed, and the agent, later, that it passed: both stand, the first leads.

    The reporter appends the result into the agent's open turn, in its own name.
    """
    reporter = Caller("tool", "runner")
    call, failed = used(1, "Bash", {"command": "pytest"}, "", exit_status=1, failed=True)
    await desk.append(1, TurnOpened(), Prompt(content="go on"), call, turn="k1")
    await desk.append(1, failed, turn="k1", caller=reporter)
    await desk.append(2, TurnCommitted(), turn="k1")
    await desk.ran(3, 0)
    worker = desk.extractor()
    for stored in await desk.happened():
        await worker.handle(stored)
    await desk.catch_up()
    found = [event.fact for events in await desk.extractions() for event in events if isinstance(event, FactRecorded)]
    assert [(fact.value, fact.source.agent) for fact in found] == [
        ("failed, exit status 1", ""),
        ("passed", AGENT.principal),
    ]
    (fact,) = await desk.listed(Viewer(AGENT, "t"), FactsRequest(thread="t"))
    assert (fact.value, fact.conflict, len(fact.others)) == ("failed, exit status 1", True, 1)


async def test_a_fact_has_the_body_of_the_last_result(desk: ExtractionDesk) -> None:
    """Two turns give the same value with another body: one version, said twice, with the later body."""
    rule = {"tools": ["get"], "subject": "thing", "name": "{id}", "value": "{id}", "content": True}
    desk.settings = desk.settings.model_copy(update={"mappings": (rule,)})
    for n, text in enumerate(('{"id": "a", "n": 1}', '{"id": "a", "n": 2}'), start=1):
        await desk.append(n, *turn(*used(1, "get", {}, text)), turn=f"k{n}")
    worker = desk.extractor()
    for stored in await desk.happened():
        await worker.handle(stored)
    await desk.catch_up()
    (fact,) = await desk.listed(Viewer(AGENT, "t"), FactsRequest(thread="t"))
    reply = await desk.reading.history(FactRequest(id=fact.id, content=True), Viewer(AGENT, "t"))
    assert (fact.value, fact.version, fact.supports, fact.has_content) == ("a", 1, 2, True)
    assert reply.content == '{"id":"a","n":2}'


async def test_what_a_preview_turn_learns_is_of_the_preview(desk: ExtractionDesk) -> None:
    """Its facts stand under the preview's own identity, and nobody outside of it sees them."""
    call, result = used(1, "Bash", {"command": "pytest"}, "", exit_status=0)
    await desk.append(1, TurnOpened(preview="p"), Prompt(content="try"), call, result, TurnCommitted(), turn="k1")
    worker = desk.extractor()
    for stored in await desk.happened():
        await worker.handle(stored)
    await desk.catch_up()
    found = [event.fact for events in await desk.extractions() for event in events if isinstance(event, FactRecorded)]
    assert [(fact.identity.preview, fact.value) for fact in found] == [("p", "passed")]
    assert await desk.listed(Viewer(AGENT, "t"), FactsRequest(thread="t")) == []
    assert [key for key in await desk.contents() if " preview.p.t." in key] != []


class Away:
    """A queue that refuses its first job so, and then takes jobs."""

    def __init__(self, inner: Jobs, error: EunoeError) -> None:
        self._inner = inner
        self._error: EunoeError | None = error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def submit(self, subject: str, data: bytes, *, msg_id: str = "", instead: int = 0) -> Appended:
        if self._error:
            error, self._error = self._error, None
            raise error
        return await self._inner.submit(subject, data, msg_id=msg_id, instead=instead)


async def asked(desk: ExtractionDesk) -> list[ReviewJob]:
    """The reviews that wait."""
    consumer = await desk.store.jobs.consumer("review", [subjects.jobs_filter("default", "review")])
    return [msgspec.json.decode(one.message.data, type=ReviewJob) for one in await consumer.fetch(10, 0.01)]


async def test_a_review_is_asked_for_up_to_the_last_committed_turn(desk: ExtractionDesk) -> None:
    """Two turns come together, then one: a job for each time, and the newer one stands for both."""
    desk.settings = Settings(data=desk.settings.data, review=Review(every="turn"))
    worker = desk.extractor()
    await desk.ran(1, 0)
    await desk.ran(2, 0)
    await worker.handle(*await desk.happened())
    await desk.ran(3, 0)
    await worker.handle((await desk.happened())[-1])
    await worker.handle(*await desk.happened())  # delivered again
    assert worker.statistics()["reviews_asked"] == 2
    assert await asked(desk) == [ReviewJob(thread="t", ordinal=3)]


async def test_no_review_is_asked_for_where_they_are_off_or_a_turn_was_aborted(desk: ExtractionDesk) -> None:
    """Off is the default; what did not happen is nothing to review."""
    await desk.ran(1, 0)
    await desk.extractor().handle(*await desk.happened())
    desk.settings = Settings(data=desk.settings.data, review=Review(every="turn"))
    await desk.append(2, TurnOpened(), Prompt(content="no"), TurnAborted(), turn="k2")
    await desk.extractor().handle(*await desk.happened())
    assert await asked(desk) == []


async def test_a_turn_whose_review_could_not_be_asked_for_comes_again(desk: ExtractionDesk) -> None:
    """The queue is away: nothing of the turn is recorded as extracted until the job is there."""
    desk.settings = Settings(data=desk.settings.data, review=Review(every="turn"))
    desk.store = replace(desk.store, jobs=Away(desk.store.jobs, Unreachable("away")))
    await desk.ran(1, 0)
    worker = desk.extractor()
    with pytest.raises(Unreachable):
        await worker.handle(*await desk.happened())
    assert await desk.extractions() == []
    await worker.handle(*await desk.happened())
    assert len(await desk.extractions()) == 1
    assert await asked(desk) == [ReviewJob(thread="t", ordinal=1)]


async def test_a_queue_that_takes_no_jobs_keeps_no_facts_back(desk: ExtractionDesk) -> None:
    """What does not pass by itself is counted, and the turn is extracted."""
    desk.settings = Settings(data=desk.settings.data, review=Review(every="turn"))
    desk.store = replace(desk.store, jobs=Away(desk.store.jobs, Misconfigured("not a queue")))
    await desk.ran(1, 0)
    worker = desk.extractor()
    await worker.handle(*await desk.happened())
    assert len(await desk.extractions()) == 1
    assert worker.statistics()["reviews_not_asked"] == 1
