"""`eunoe dead` against a fleet: what failed for good is listed, shown, done again and let go of."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import anyio
import msgspec
import pytest
from polling import until
from shell import Ran, Shell

from eunoe.client import Memory
from eunoe.runtime import dead_letters
from eunoe.runtime.doors import Store
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Denied
from eunoe.schemas.requests import DeadLetter
from eunoe.testing import NatsServer

pytestmark = pytest.mark.anyio


@pytest.fixture
def eunoe(nats_server: NatsServer, space: str, tmp_path: Path) -> Shell:
    named = {"EUNOE_URL": nats_server.url, "EUNOE_SPACE": space, "EUNOE_ROLE": "person", "EUNOE_PRINCIPAL": "ada"}
    return Shell(tmp_path, named)


async def ran(eunoe: Shell, *arguments: str) -> Ran:
    """A command, run in a thread: it has a loop of its own."""
    return await anyio.to_thread.run_sync(partial(eunoe, *arguments))


async def laid_aside(store: Store, worker: str, thread: str = "t") -> None:
    """Lay the newest record of a thread aside, as a worker does that failed on it."""
    filters = [subjects.chain_subject(store.space, subjects.thread_chain(thread), "log")]
    (stored,) = (await store.log.last(filters)).messages
    await dead_letters.write(store, worker, stored, limits.ATTEMPTS, "ValueError: it cannot be read", stored.time)


async def done_again(fleet: Fleet, worker: str) -> None:
    await until(lambda: fleet.statistics()[worker]["again"] == 1, f"{worker} does what it is asked for again")


async def test_letters_are_listed_shown_replayed_and_dropped(
    eunoe: Shell, fleet: Fleet, memory: Memory, store: Store
) -> None:
    """One of each worker that reads the log: the first two are done again, which changes nothing, as they were done
    before; the third is let go of."""
    async with memory.thread("t").turn("Hi") as turn:
        await turn.reply("Hello")
    for worker in ("extraction", "facts", "facts"):
        await laid_aside(store, worker)
        if worker == "facts":
            async with memory.thread("t").turn("And") as turn:
                await turn.reply("So")

    listed = await ran(eunoe, "dead", "list")
    assert [line.split(" · ")[0] for line in listed.lines[::2]][:3] == ["1", "2", "3"]
    assert listed.lines[1] == "  ValueError: it cannot be read"
    assert max(map(len, listed.lines)) <= 80
    shown = (await ran(eunoe, "dead", "show", "1", "--json")).json
    assert (shown["worker"], shown["attempts"], shown["thread"]) == ("extraction", 5, "t")
    assert "turn.committed (turn 1)" in shown["input"]
    assert (await ran(eunoe, "status")).code == 1

    replayed = await ran(eunoe, "dead", "replay", "1", "2")
    assert replayed.code == 0, replayed.err
    assert [line.split(" · ")[0] for line in replayed.lines[:2]] == ["replayed 1", "replayed 2"]
    await done_again(fleet, "extraction")
    await done_again(fleet, "facts")
    refused = await ran(eunoe, "dead", "drop", "--all", "--worker", "facts")
    assert refused.code == 2
    assert refused.complaint.startswith("eunoe: nobody can be asked here whether to drop dead letters; add --yes")
    dropped = await ran(eunoe, "dead", "drop", "--all", "--worker", "facts", "--yes", "--json")
    assert [(letter["number"], letter["done"]) for letter in dropped.json] == [(3, "dropped")]
    assert (await ran(eunoe, "dead", "list")).lines == ["no dead letters: nothing failed for good"]


BAD = (
    (("show", "7"), "there is no dead letter 7; `eunoe dead list` lists what there is"),
    (("replay",), "name dead letters by their numbers, or all of them with --all; `eunoe dead list`"),
    (("drop", "7", "--all"), "name dead letters by their numbers, or all of them with --all;"),
    (("drop", "7", "--worker", "facts"), "--worker goes with --all;"),
    (("list", "--worker", "cook"), "there is no worker 'cook'; known are audit"),
    (("list", "--worker", ""), "the worker id is empty"),
    (("show", "99999999999999999999"), "dead letters are numbered from 1"),
    (("show", "first"), "invalid value for 'NUMBER'"),
)


async def test_bad_input_is_one_line(eunoe: Shell, fleet: Fleet) -> None:
    """What is wrong, and the way out; nothing is printed."""
    for arguments, complaint in BAD:
        done = await ran(eunoe, "dead", *arguments)

        assert done.code in (1, 2)
        assert done.complaint.startswith(f"eunoe: {complaint}")


async def test_only_a_person_replays(
    eunoe: Shell, fleet: Fleet, memory: Memory, store: Store, settings: Settings
) -> None:
    """The operator looks; an agent does not even that. The letter is there until a person does."""
    async with memory.thread("t").turn("Hi") as turn:
        await turn.reply("Hello")
    await laid_aside(store, "facts")

    assert (await ran(eunoe.named("worker", "operator"), "dead", "list")).code == 0
    denied = await ran(eunoe.named("worker", "operator"), "dead", "replay", "1")
    assert denied.complaint == "eunoe: a worker may not replay dead letters; a person may"
    async with Memory.connect(settings=settings, role="agent", principal="builder") as agent:
        with pytest.raises(Denied, match="an agent may not look at dead letters; a person may"):
            await agent.dead()

    reply = await memory.replay_dead([1])
    assert [letter.done for letter in reply.letters] == ["replayed"]
    assert (await memory.dead()).letters == ()


async def test_what_has_more_letters_than_a_page_is_dropped_whole(
    eunoe: Shell, fleet: Fleet, memory: Memory, store: Store
) -> None:
    """A page and one more."""
    letter = DeadLetter(v=1, worker="facts", reason="no", attempts=5, time=1, position=1)
    async with anyio.create_task_group() as tasks:
        for _ in range(limits.LETTERS_SHOWN + 1):
            data = msgspec.json.encode(letter)
            tasks.start_soon(store.dead.append, subjects.dead(store.space, "facts"), data)

    first = await ran(eunoe, "dead", "list", "--limit", "200", "--json")
    assert (len(first.json["letters"]), first.json["total"], first.json["more"]) == (200, 201, True)
    dropped = await ran(eunoe, "dead", "drop", "--all", "--yes", "--json")
    assert len(dropped.json) == 201
    assert (await memory.dead()).total == 0
