"""`eunoe distil`, `summarise`, `summary` and `distillations` against a fleet: by rules, and by a model that fails."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import msgspec
import pytest
from drawing import answer, fact
from model_server import ModelServer, Reply, serving
from polling import until_found
from shell import Ran, Shell

from eunoe.client import Memory
from eunoe.runtime import dead_letters
from eunoe.runtime.doors import Store, Stored
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.schemas import subjects
from eunoe.schemas.jobs import SummariseJob
from eunoe.testing import NatsServer

pytestmark = pytest.mark.anyio

SAID = (
    ("My name is Dana Cole, and the ticket is ABC-123.", "Noted."),
    ("We decided to use PostgreSQL for the database.", "Understood."),
    ("I prefer tabs over spaces.", "Tabs it is."),
)


@pytest.fixture
def eunoe(nats_server: NatsServer, space: str, tmp_path: Path) -> Shell:
    named = {"EUNOE_URL": nats_server.url, "EUNOE_SPACE": space, "EUNOE_ROLE": "person", "EUNOE_PRINCIPAL": "ada"}
    return Shell(tmp_path, named)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that answers no fact and nothing else that can be used; whoever tries it again does so at once."""
    monkeypatch.setattr("eunoe.distillation.trying.backoff", lambda *_, **__: 0.0)
    with serving("I would rather not.") as server:
        yield server


@asynccontextmanager
async def asking(settings: Settings, server: ModelServer) -> AsyncIterator[Memory]:
    """A person's memory, with a fleet that has this model distil."""
    asks = settings.model_copy(update={"model": "openai:any", "model_url": server.url})
    async with running(asks), Memory.connect(settings=asks) as memory:
        yield memory


async def ran(eunoe: Shell, *arguments: str) -> Ran:
    """A command, run in a thread: it has a loop of its own."""
    return await anyio.to_thread.run_sync(partial(eunoe, *arguments))


async def talked(memory: Memory, *said: tuple[str, str]) -> None:
    for prompt, reply in said:
        async with memory.thread("t").turn(prompt) as turn:
            await turn.reply(reply)


async def distilled(memory: Memory, turns: int) -> None:
    """Wait until so many turns are distilled, and none of them failed."""

    async def found() -> bool:
        (state,) = (await memory.threads()).threads
        return state.distilled == turns and not state.undistilled

    await until_found(found, f"{turns} turns are distilled")


async def test_a_thread_is_distilled_and_summarised_by_rules(eunoe: Shell, fleet: Fleet, memory: Memory) -> None:
    """What people plainly said becomes facts with ids, and a summary, once; each is shown in lines of 80 columns."""
    await talked(memory, *SAID)
    assert (await ran(eunoe, "summary", "t")).lines == [
        "no summary yet of 3 committed turns: it is written once 3 or more of them leave",
        "contexts, or now by `eunoe summarise THREAD`",
    ]

    done = await ran(eunoe, "distil", "t")

    assert done.code == 0, done.err
    assert done.lines[0].startswith("record ")
    assert done.lines[0].endswith("distilled turns 1-3 by rules")
    assert done.lines[-2:] == ["  summary updated", "done: 3 committed turns are distilled"]
    listed = await memory.facts(thread="t")
    assert any("PostgreSQL" in one.value for one in listed.facts)
    named = [line for line in done.lines[1:-2] if not line.startswith("    ")]  # a long value is on lines of its own
    assert {line.split()[0] for line in named} == {one.id for one in listed.facts}
    assert max(map(len, done.lines)) <= 80

    again = await ran(eunoe, "distil", "t", "--json")
    assert (again.code, again.json["reply"]["state"], again.json["facts"]) == (0, "nothing", [])
    summary = await ran(eunoe, "summary", "t")
    assert summary.lines[1] == "covers turns 1-3 (entries 1-6)"
    assert any("PostgreSQL" in line for line in summary.lines)
    pieces = await ran(eunoe, "distillations", "t", "--json")
    (piece,) = pieces.json["distillations"]
    assert (piece["kind"], piece["by"], piece["summary"]) == ("distilled", "rules", "updated")
    whole = await ran(eunoe, "distillations", "t", str(piece["record"]))
    assert whole.lines == done.lines[:-1]


async def test_turns_are_distilled_up_to_one_and_the_summary_asked_for_by_itself(
    eunoe: Shell, fleet: Fleet, memory: Memory
) -> None:
    """One turn is not enough for a summary by itself; asked for, it is written of as few as wait."""
    await talked(memory, *SAID[:2])

    assert (await ran(eunoe, "distil", "t", "--up-to", "1")).lines[-1] == "done: 1 committed turn is distilled"
    done = await ran(eunoe, "summarise", "t")

    assert done.code == 0, done.err
    assert done.lines[-2:] == ["  summary updated", "done: 2 committed turns are in the summary"]
    found = await memory.thread("t").summary(all=True)
    assert [(one.version, one.turns) for one in found.versions] == [(1, ((1, 2),))]
    assert found.waiting == 0


async def test_a_partly_broken_answer_is_told_by_status_and_is_nothing_wrong(
    eunoe: Shell, settings: Settings, model: ModelServer
) -> None:
    """Its one whole fact is kept; the item without a value is set aside with its text, and counted where people look
    whether all is well."""
    model.replies[:] = [Reply(answer(fact(turn=1), fact(turn=1, value=None)))]
    async with asking(settings, model) as memory:
        await talked(memory, ("We use Postgres 16 from now on.", "Good."))

        done = await ran(eunoe, "distil", "t")
        found = await ran(eunoe, "status")

        assert (done.code, found.code) == (0, 0)
        assert [one.value for one in (await memory.facts(thread="t")).facts] == ["Postgres 16"]
        assert "set aside" in done.out
        assert found.lines[-2:] == [
            "set aside: 1 item of a model's answers; `eunoe distillations THREAD RECORD` says",
            "which, and why",
        ]


async def test_what_a_model_fails_at_is_a_dead_letter_that_is_replayed(
    eunoe: Shell, settings: Settings, model: ModelServer
) -> None:
    """After five attempts the turn is passed over, with the reason; once the model answers well, a replay of the letter
    draws its facts after all."""
    async with asking(settings, model) as memory:
        await talked(memory, ("We use Postgres 16 from now on.", "Good."))

        failed = await ran(eunoe, "distil", "t")

        assert failed.code == 1
        assert any(line.startswith("  failed: ModelFailed: ") for line in failed.lines)
        assert len(model.asked) == 5
        letters = await ran(eunoe, "dead", "list")
        assert letters.lines[0].startswith("1 · ")
        assert letters.lines[0].endswith(" · distillation (distil) · thread t")
        letter = (await ran(eunoe, "dead", "show", "1", "--json")).json
        assert (letter["attempts"], '"thread":"t"' in letter["input"]) == (5, True)

        wrong = await ran(eunoe, "status", "--json")
        see = f"`eunoe --space {settings.space} dead list`"
        assert (wrong.code, wrong.json["wrong"]) == (
            1,
            [
                f"1 piece of work failed and is a dead letter; {see} says which, and why",
            ],
        )

        model.replies[:] = [Reply(answer(fact(turn=1)))]
        assert (await ran(eunoe, "dead", "replay", "1")).code == 0
        await distilled(memory, 1)
        assert (await ran(eunoe, "status")).code == 0

        assert [one.value for one in (await memory.facts(thread="t")).facts] == ["Postgres 16"]
        assert (await memory.dead()).letters == ()
        pieces = (await memory.thread("t").distillations()).distillations
        assert [(len(one.facts), bool(one.failed)) for one in pieces] == [(1, False), (0, True)]


async def test_a_summary_that_was_laid_aside_is_written_by_a_replay(
    eunoe: Shell, fleet: Fleet, memory: Memory, store: Store
) -> None:
    """Of as few turns as wait: two, which are not enough for one by itself."""
    await talked(memory, *SAID[:2])
    job = msgspec.json.encode(SummariseJob(thread="t", up_to=2, position=1))
    stored = Stored(subjects.job(store.space, "summarise", "t"), 1, job)
    await dead_letters.write(store, "summarising", stored, 5, "ModelFailed: no answer", 1)

    assert (await ran(eunoe, "dead", "replay", "--all", "--worker", "summarising")).code == 0

    async def summarised() -> bool:
        return bool((await memory.thread("t").summary()).versions)

    await until_found(summarised, "the summary is written")
    assert [one.turns for one in (await memory.thread("t").summary()).versions] == [((1, 2),)]


async def test_what_is_not_done_when_the_wait_ends_goes_on(
    eunoe: Shell, settings: Settings, model: ModelServer
) -> None:
    """The command says so, and leaves with 1; the facts come once the model has answered."""
    gate = threading.Event()
    model.replies[:] = [Reply(answer(fact(turn=1)), gate=gate)]
    async with asking(settings, model) as memory:
        await talked(memory, ("We use Postgres 16 from now on.", "Good."))

        early = await ran(eunoe, "distil", "t", "--wait", "0")

        assert early.code == 1
        assert early.lines[0].startswith("not done yet: 0 committed turns are distilled. It goes on in the")
        gate.set()
        await distilled(memory, 1)
        assert [one.value for one in (await memory.facts(thread="t")).facts] == ["Postgres 16"]


async def test_bad_input_is_one_line(eunoe: Shell, fleet: Fleet, memory: Memory) -> None:
    """What is wrong, and the way out."""
    await talked(memory, SAID[0])

    for arguments, complaint in (
        (("distil", "nobody"), "there is no thread 'nobody'; `eunoe threads` lists what there is"),
        (("summarise", "nobody"), "there is no thread 'nobody'; `eunoe threads` lists what there is"),
        (("summary", "nobody"), "there is no thread 'nobody'; `eunoe threads` lists what there is"),
        (("distillations", "nobody"), "there is no thread 'nobody'; `eunoe threads` lists what there is"),
        (("distillations", "t", "7"), "record 7 of 't' is no such work; `eunoe distillations t` lists it"),
        (("distillations", "t", "7", "--before", "9"), "--before goes with the list, and one record was named;"),
        (("distil", "t", "--wait", "nan"), "invalid value for '--wait'"),
        (("distil", "t", "--up-to", "-1"), "invalid value for '--up-to'"),
        (("distil", ""), "the thread id is empty"),
    ):
        done = await ran(eunoe, *arguments)

        assert done.code in (1, 2)
        assert done.complaint.startswith(f"eunoe: {complaint}")
