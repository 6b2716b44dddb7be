"""Faults by which memory systems lost things and said that all was well, and what holds here.

F22 extraction that failed where nobody saw it · F23 a worker that never ran · F29 a configuration that broke
the first write · F33 acknowledgements that never came.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import msgspec
import pytest
from fields import LISTENING, known, options, state, told, used
from proxy import Lost, proxy
from shell import Shell

from eunoe.client import Memory
from eunoe.runtime.doors import Store
from eunoe.runtime.session import session
from eunoe.runtime.settings import Settings
from eunoe.runtime.status import status
from eunoe.runtime.workers import running
from eunoe.schemas import records, subjects
from eunoe.schemas.errors import Misconfigured, OutcomeUnknown, WorkerMissing
from eunoe.schemas.events import Prompt, Response, ToolCall, ToolResult, TurnCommitted, TurnOpened
from eunoe.schemas.requests import AppendRequest
from eunoe.testing import NatsServer

WORKERS = ("audit", "extraction", "facts", "composition")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


# Failures of extraction (F22)


async def test_an_extractor_that_fails_is_named_in_the_threads_and_in_the_status(
    settings: Settings, shell: Shell
) -> None:
    """A result that cannot be mapped: the turn says which extractor failed and why, its other facts are kept,
    later turns are extracted, and the status is not well."""
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        async with memory.thread("t").turn("Search.") as turn:
            await used(turn, "c1", "search", '{"hits": [', query="x")
            await used(turn, "c2", "bash", LISTENING, exit_status=0, command="ss -ltn")
            await turn.reply("Found.")
        await told(memory, "t", "a.py")
        found, facts = await state(memory, fleet, "t"), await known(memory, fleet, "t")
        listed = await anyio.to_thread.run_sync(shell, "threads", "--json", *options(settings))
        told_of = await anyio.to_thread.run_sync(shell, "status", *options(settings))
        machine = await anyio.to_thread.run_sync(shell, "status", "--json", *options(settings))

    assert (found.committed, found.extracted) == (2, 2)
    assert found.failed == ((1, "mapping of note: ValueError: the result is not JSON: Input data was truncated"),)
    assert facts == {
        ("service", "port 8080"): "listening on 127.0.0.1",
        ("file", "a.py"): "read lines 1-1, to the end, 8 bytes",
    }
    assert listed.json["threads"][0]["failed"] == [
        [1, "mapping of note: ValueError: the result is not JSON: Input data was truncated"]
    ]
    assert (told_of.code, machine.code) == (1, 1)
    complaint = (
        f"1 extraction failed; `eunoe --space {settings.space} threads --json` says of which turns, and why (failed)"
    )
    assert [worker["failed"] for worker in machine.json["workers"]] == [0, 1, 0, 0, 0, 0]
    assert machine.json["wrong"] == [complaint]
    assert any(line.startswith("wrong: 1 extraction failed;") for line in told_of.lines)


async def test_a_turn_that_cannot_be_read_fails_with_its_reason_and_holds_up_no_other(
    settings: Settings, store: Store
) -> None:
    """A record of a newer version in the log: its turn is failed, the next turn of the thread has its facts."""
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        await told(memory, "t", "a.py")
        await _commit_unreadable(store, "t")
        await told(memory, "t", "b.py")
        found, facts = await state(memory, fleet, "t"), await known(memory, fleet, "t")

    assert (found.committed, found.extracted) == (3, 3)
    assert [ordinal for ordinal, _ in found.failed] == [2]
    assert "Damaged: an event of record" in found.failed[0][1]
    assert sorted(name for _, name in facts) == ["a.py", "b.py"]


async def _commit_unreadable(store: Store, thread: str) -> None:
    """Put a whole turn into the log in one record of which one event cannot be read."""
    chain = subjects.thread_chain(thread)
    last = (await store.log.last([subjects.chain_filter(store.space, chain)])).messages[-1]
    before = records.read(last.seq, last.data)
    number = before.header.turns + 1
    header = msgspec.structs.replace(
        before.header,
        record=before.header.record + 1,
        prev=before.hash,
        turns=number,
        committed=before.header.committed + 1,
        back=(last.seq, *before.header.back),
        producer="elsewhere",
        n=1,
    )
    events = (
        TurnOpened(turn=number, key="newer"),
        ToolCall(turn=number, call="c", tool="bash"),
        ToolResult(turn=number, call="c", content="x"),
        TurnCommitted(turn=number, ordinal=header.committed),
    )
    data, _ = records.seal(header, events)
    subject = subjects.chain_subject(store.space, chain, "log")
    await store.log.append(subject, data.replace(b'"tool.result"', b'"tool.newest"'))


# Workers that do not run (F23)


@pytest.mark.parametrize("missing", WORKERS)
async def test_the_status_names_the_worker_that_does_not_run_and_what_waits_for_it(
    settings: Settings, shell: Shell, missing: str
) -> None:
    """Without one of the six: its name, its backlog and the command that starts it, and exit code 1."""
    waits = {"extraction": ", and 6 records wait for it", "facts": ", and 8 records wait for it"}
    async with running(settings, ["audit", "extraction"] if missing == "facts" else ["audit"]) as fleet:
        async with Memory.connect(settings=settings) as memory:
            for number in (1, 2):
                async with memory.thread(f"t{number}").turn("Hello.", key="k") as turn:
                    await turn.reply("Hello.")
        assert await fleet.settle()
    others = [name for name in WORKERS if name not in (missing, "extraction")]
    async with running(settings, others if missing == "audit" else [name for name in WORKERS if name != missing]):
        done = await anyio.to_thread.run_sync(shell, "status", "--json", *options(settings))
        told_of = await anyio.to_thread.run_sync(shell, "status", *options(settings))

    assert (done.code, told_of.code) == (1, 1)
    command = f"eunoe --space {settings.space} serve {missing}"
    said = f"{missing} does not run{waits.get(missing, '')}; start it with `{command}`"
    assert said in done.json["wrong"]
    assert f"wrong: {missing} does not run" in told_of.out


async def test_a_write_without_extraction_is_kept_and_its_facts_come_later(settings: Settings) -> None:
    """The turn is in the log and says that it is not extracted; once the worker runs, the fact is there."""
    async with (
        running(settings, ["audit", "facts", "composition"]) as fleet,
        Memory.connect(settings=settings) as memory,
    ):
        await told(memory, "t", "a.py")
        before = await state(memory, fleet, "t")
        assert await known(memory, fleet, "t") == {}
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        after = await state(memory, fleet, "t")
        facts = await known(memory, fleet, "t")

    assert (before.committed, before.extracted) == (1, 0)
    assert (after.committed, after.extracted) == (1, 1)
    assert list(facts) == [("file", "a.py")]


@pytest.mark.parametrize(("verb", "missing"), [("append", "audit"), ("facts", "facts"), ("compose", "composition")])
async def test_a_request_that_nobody_serves_names_the_verb_at_once(settings: Settings, verb: str, missing: str) -> None:
    """An append, a list of facts, a context: refused with what is missing, and never with an empty answer."""
    async with (
        running(settings, [name for name in WORKERS if name != missing]),
        Memory.connect(settings=settings) as memory,
    ):
        asked: dict[str, Callable[[], Awaitable[object]]] = {
            "append": lambda: memory.gate.append("thread.t", b"{}"),
            "facts": memory.facts,
            "compose": memory.thread("t").context,
        }
        with pytest.raises(WorkerMissing, match=f"no worker serves {verb}"):
            await asked[verb]()


# Broken configurations (F29)

BROKEN = {
    "mapping without tools": (
        '[[mappings]]\nsubject = "x"\nname = "a"\nvalue = "b"\n',
        "mappings.0.tools: Field required",
    ),
    "mapping with an unknown field": (
        '[[mappings]]\ntools = ["t"]\nsubject = "x"\nname = "a"\nvalue = "b"\nhow = "so"\n',
        "mappings.0.how: Extra inputs are not permitted",
    ),
    "kind without a class": ('[kinds.mine]\ndescription = "x"\n', "kinds.mine.fact_class: a new kind needs it"),
    "kind of no class": ('[kinds.mine]\nfact_class = "odd"\ndescription = "x"\n', "kinds.mine.fact_class: "),
    "setting that there is not": ("windwo = 5\n", "there is no setting windwo"),
    "window too small": ("window = 5\n", "the setting window 5"),
    "space with a dot": ('space = "a.b"\n', "the setting space 'a.b'"),
    "no TOML": ("window = \n", "the configuration file"),
    "no UTF-8": ("\udcff", "the configuration file"),
}


@pytest.mark.parametrize(("text", "complaint"), BROKEN.values(), ids=BROKEN.keys())
def test_the_first_write_with_a_broken_configuration_says_what_is_wrong(
    shell: Shell, tmp_path: Path, text: str, complaint: str
) -> None:
    """One line on standard error that names the setting, exit code 2, and nothing was started or written."""
    file = tmp_path / "said.json"
    file.write_text(json.dumps([{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]))
    config = shell.home / "config" / "eunoe" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(text, errors="surrogateescape")

    done = shell("--embedded", "import", file)
    assert done.complaint.startswith(f"eunoe: {complaint}")
    assert done.code == 2

    config.unlink()
    assert shell("--embedded", "import", file).code == 0
    assert shell("--embedded", "threads", "--json").json["threads"][0]["extracted"] == 1


@pytest.mark.parametrize("where", ["a file", "no permission", "no server"])
def test_the_first_write_to_a_place_that_cannot_be_used_says_so(shell: Shell, tmp_path: Path, where: str) -> None:
    """A data folder that is a file, one that may not be made, a server that is not there: one line, not zero."""
    file = tmp_path / "said.json"
    file.write_text(json.dumps([{"role": "user", "content": "hello"}]))
    place = tmp_path / "place"
    place.write_text("x")
    if where == "no server":
        done = shell("import", file, "--url", "nats://127.0.0.1:1")
    else:
        done = shell("--embedded", "--data", str(place if where == "a file" else Path("/proc/nowhere")), "import", file)

    assert done.complaint.startswith("eunoe: ")
    assert done.code in (1, 2, 3)
    assert "Traceback" not in done.err


async def test_a_client_with_a_broken_configuration_fails_with_its_reason(tmp_path: Path) -> None:
    """In a program too: one error that names the setting, not a group of errors and not a silent worker."""
    settings = Settings(data=tmp_path, mappings=({"tools": []},))
    with pytest.raises(Misconfigured, match=r"mappings\.0\.tools"):
        async with Memory.connect(settings=settings, embedded=True) as memory:
            await told(memory, "t", "a.py")


# Acknowledgements that never come (F33)


def _acknowledgement(stream: str) -> Lost:
    """Loses the first acknowledgement of the stream whose name ends so."""
    gone: list[bytes] = []

    def lost(line: bytes, data: bytes) -> bool:
        name = data.partition(b'"stream":"')[2].partition(b'"')[0]
        if gone or b'"seq":' not in data or not name.endswith(stream.encode()):
            return False
        gone.append(data)
        return True

    return lost


async def test_an_append_whose_acknowledgement_is_lost_is_unknown_and_is_there_once(settings: Settings) -> None:
    """The one who asks hears that the outcome is unknown; sent again under its key it is a duplicate of itself."""
    async with proxy(settings.url) as way, running(settings.model_copy(update={"url": way.url}), ["audit"]):
        way.lose_answered = _acknowledgement("_log")
        async with session(settings) as opened, Memory.connect(settings=settings) as memory:
            request = AppendRequest(v=1, producer="p", n=1, turn="k", events=(TurnOpened(), Prompt(content="once")))
            subject = subjects.append(settings.space, settings.caller, "thread.t")
            data = msgspec.json.encode(request)
            with pytest.raises(OutcomeUnknown, match="may or may not have been"):
                await opened.requester.request(subject, data)
            again = msgspec.json.decode(await opened.requester.request(subject, data))
            stored = [one async for one in opened.store.log.scan()]
            entries = (await memory.thread("t").entries()).entries

    assert len(way.lost) == 1
    assert (again["record"], again["duplicate"]) == (1, True)
    assert len(stored) == 1
    assert [entry.content for entry in entries] == ["once"]


async def test_an_append_that_is_lost_on_its_way_is_sent_again_under_the_same_id(settings: Settings) -> None:
    """The client retries by itself: the log's server is sent the same Nats-Msg-Id twice, and keeps one record."""
    lost: list[bytes] = []

    def once(line: bytes, data: bytes) -> bool:
        gone = b".thread.t.log " in line and not lost
        if gone:
            lost.append(line)
        return gone

    async with proxy(settings.url) as way, running(settings.model_copy(update={"url": way.url}), ["audit"]):
        way.lose_sent = once
        async with Memory.connect(settings=settings) as memory:
            receipt = await memory.thread("t").append(TurnOpened(), Prompt(content="once"), turn="k")
            entries = (await memory.thread("t").entries()).entries

    ids = way.ids(subjects.chain_subject(settings.space, "thread.t", "log"))
    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert (receipt.record, receipt.kept) == (1, False)
    assert [entry.content for entry in entries] == ["once"]


async def test_every_worker_survives_the_loss_of_an_acknowledgement(settings: Settings) -> None:
    """The first acknowledgement of the bucket of threads is lost: the fact is there once, and nothing failed."""
    async with proxy(settings.url) as way:
        way.lose_answered = _acknowledgement(f"KV_eunoe_{settings.space}_thread")
        async with running(settings.model_copy(update={"url": way.url})) as fleet:
            async with Memory.connect(settings=settings) as memory:
                await told(memory, "t", "a.py")
                found = await state(memory, fleet, "t")
                facts = await known(memory, fleet, "t")
            async with session(settings) as opened:
                health = await status(opened.requester, opened.store)

    assert (found.committed, found.extracted, found.facts, found.failed) == (1, 1, 1, ())
    assert list(facts) == [("file", "a.py")]
    assert health.wrong == ()
    assert len(way.lost) == 1


async def test_a_server_that_falls_silent_leaves_the_outcome_unknown_and_loses_nothing(
    own_server: NatsServer, tmp_path: Path
) -> None:
    """It is stopped without closing a connection: the append says unknown, and is there once when it goes on."""
    settings = Settings(url=own_server.url, data=tmp_path, role="person", principal="ada")
    async with running(settings, ["audit"]), Memory.connect(settings=settings) as memory:
        memory.patience = 0.5
        await memory.thread("t").append(TurnOpened(), Prompt(content="before"), turn="k")
        own_server.freeze()
        try:
            with pytest.raises(OutcomeUnknown) as raised:
                await memory.thread("t").append(Response(content="meanwhile"), turn="k")
        finally:
            own_server.thaw()
        assert await memory.flush(60.0) == 0
        entries = (await memory.thread("t").entries()).entries

    assert raised.value.detail["kept"] is True
    assert [entry.content for entry in entries] == ["before", "meanwhile"]
