"""Bringing transcripts in: exactly once, in order, whatever is refused is named, and the rest goes in."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from desks import AGENT, Desk, whole_turn
from wires import PERSON, Wire

from eunoe.audit.export import export
from eunoe.client.importing import Progress
from eunoe.client.memory import Memory
from eunoe.schemas import limits
from eunoe.schemas.errors import Denied, Invalid, WorkerMissing
from eunoe.schemas.requests import Shown
from eunoe.schemas.subjects import Caller


def run(turns: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number in range(1, turns + 1):
        messages.append({"role": "user", "content": f"ask {number}", "timestamp": f"2026-01-01T12:00:{number:02}Z"})
        messages.append({"role": "assistant", "content": f"answer {number}"})
    return messages


def write(path: Path, value: object, name: str = "run.json") -> Path:
    file = path / name
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


async def shown(memory: Memory, thread: str) -> tuple[Shown, ...]:
    return (await memory.thread(thread).entries()).entries


async def test_an_import_is_the_thread_named_as_its_file(wire: Wire, tmp_path: Path) -> None:
    """Two turns, committed, at their own times, by the agent and in the session given."""
    async with wire.memory() as memory:
        report = await memory.import_file(write(tmp_path, run(2)), agent="builder", session="s")
        found = await shown(memory, "run")

    assert (report.threads, report.turns, report.events, report.appended, report.duplicates) == (["run"], 2, 8, 2, 0)
    assert [(one.content, one.state) for one in found] == [
        ("ask 1", "committed"),
        ("answer 1", "committed"),
        ("ask 2", "committed"),
        ("answer 2", "committed"),
    ]
    assert {(one.agent, one.session) for one in found} == {("builder", "s")}
    assert found[0].time == 1_767_268_801_000


async def test_the_same_file_twice_adds_nothing(wire: Wire, tmp_path: Path) -> None:
    """The second import sends no append at all: the log itself says how far the first one came."""
    file = write(tmp_path, run(3))
    async with wire.memory() as memory:
        await memory.import_file(file)
    sent = len(wire.appends)
    async with wire.memory() as memory:
        report = await memory.import_file(file)
        found = await shown(memory, "run")

    assert (report.appended, report.duplicates) == (0, 3)
    assert len(wire.appends) == sent == 3
    assert len(found) == 6


async def test_a_file_that_the_chain_forgot_adds_nothing(
    wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chain remembers its newest producers; of one that it does not, its records tell how far it came."""
    monkeypatch.setattr(limits, "PRODUCERS_IN_HEAD", 2)
    monkeypatch.setattr(limits, "PRODUCERS_IN_STATE", 3)
    file = write(tmp_path, run(3))
    async with wire.memory() as memory:
        await memory.import_file(file)
        for number in range(5):
            await wire.desk.append(1, *whole_turn("more"), thread="run", turn=f"k{number}", producer=f"p{number}")
            await wire.desk.fold_state("run")
        report = await memory.import_file(file)
        found = await shown(memory, "run")

    assert (report.appended, report.duplicates) == (0, 3)
    assert len(found) == 6 + 5 * 2


async def test_an_import_goes_on_where_it_was_cut(wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import that lost its worker after one turn is finished by the next one."""
    monkeypatch.setattr("eunoe.client.delivery.PATIENCE_SECONDS", 0.0)
    file = write(tmp_path, run(3))
    wire.faults = ["", "missing"]
    async with wire.memory() as memory:
        with pytest.raises(WorkerMissing):
            await memory.import_file(file)
        report = await memory.import_file(file)
        found = await shown(memory, "run")

    assert (report.appended, report.duplicates) == (2, 1)
    assert [one.content for one in found] == ["ask 1", "answer 1", "ask 2", "answer 2", "ask 3", "answer 3"]


async def test_an_answer_that_was_lost_is_no_second_append(wire: Wire, tmp_path: Path) -> None:
    """The append is asked for again with the same bytes and counted as a duplicate."""
    wire.faults = ["deaf"]
    async with wire.memory() as memory:
        report = await memory.import_file(write(tmp_path, run(1)))
        found = await shown(memory, "run")

    assert (report.appended, report.duplicates) == (0, 1)
    assert len(found) == 2


async def test_runs_go_to_threads_of_their_own(wire: Wire, tmp_path: Path) -> None:
    """Twenty runs of a file are twenty threads, in order within each."""
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(json.dumps({"messages": run(2)}) for _ in range(20)), encoding="utf-8")
    async with wire.memory() as memory:
        report = await memory.import_file(file)
        found = await shown(memory, "runs.20")

    assert report.threads == [f"runs.{number}" for number in range(1, 21)]
    assert (report.turns, report.appended) == (40, 40)
    assert [one.content for one in found] == ["ask 1", "answer 1", "ask 2", "answer 2"]


async def test_a_turn_that_no_record_holds_is_split(wire: Wire, tmp_path: Path) -> None:
    """2,001 messages of one turn are three appends of one committed turn."""
    messages = [{"role": "user", "content": "go"}, *({"role": "assistant", "content": "x"} for _ in range(2_000))]
    async with wire.memory() as memory:
        report = await memory.import_file(write(tmp_path, messages))
        head = await memory.thread("run").head()

    assert (report.turns, report.appended) == (1, 3)
    assert (head.entries, head.turns, head.committed, head.open) == (2_001, 1, 1, ())


async def test_large_content_is_read_back_whole(wire: Wire, tmp_path: Path) -> None:
    """A megabyte of text goes in pieces, and NUL and line separators come back as they were."""
    content = "\x00\u2028é" * 200_000
    async with wire.memory() as memory:
        await memory.import_file(write(tmp_path, [{"role": "user", "content": content}]))

        assert (await memory.thread("run").show(1)).content == content


async def test_content_over_the_limit_is_named_and_the_rest_goes_in(wire: Wire, tmp_path: Path) -> None:
    """One message of more than 64 MiB is left out of its turn."""
    messages = [*run(1), {"role": "assistant", "content": "a" * (limits.CONTENT_BYTES + 1)}, *run(1)]
    async with wire.memory() as memory:
        report = await memory.import_file(write(tmp_path, messages))
        found = await shown(memory, "run")

    assert ["64 MiB" in problem.reason for problem in report.problems] == [True]
    assert len(found) == 4


async def test_a_refusal_stops_its_thread_and_no_other(wire: Wire, tmp_path: Path) -> None:
    """The key of one run's turn is taken already; the report says where it stopped, and the other run goes in."""
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(json.dumps({"messages": run(1)}) for _ in range(2)), encoding="utf-8")
    key = f"{hashlib.sha256(file.read_bytes()).hexdigest()[:12]}.1"
    async with wire.memory() as memory:
        with pytest.raises(RuntimeError):
            async with memory.thread("runs.1").turn("in the way", key=key):
                raise RuntimeError
        report = await memory.import_file(file)

    assert [problem.reason.split(":")[0] for problem in report.problems] == ["runs.1 stops here"]
    assert report.appended == 1


async def test_a_viewer_may_not_import(wire: Wire, tmp_path: Path) -> None:
    """What this caller may never append is an error, not a problem of the file."""
    async with wire.memory(Caller("viewer", "eve")) as memory:
        with pytest.raises(Denied):
            await memory.import_file(write(tmp_path, run(1)))


async def test_no_worker_is_said_before_anything_is_read(wire: Wire, tmp_path: Path) -> None:
    """The first question goes unanswered, so the import ends at once."""
    wire.down = True
    async with wire.memory() as memory:
        with pytest.raises(WorkerMissing):
            await memory.import_file(write(tmp_path, run(1)))


async def test_progress_ends_at_the_files_size(wire: Wire, tmp_path: Path) -> None:
    """Bytes read and turns are told as they grow."""
    told: list[Progress] = []
    file = write(tmp_path, run(2))
    async with wire.memory() as memory:
        await memory.import_file(file, progress=told.append)

    assert told[-1] == Progress(file.stat().st_size, file.stat().st_size, 2)


async def test_a_name_that_cannot_be_a_thread(wire: Wire, tmp_path: Path) -> None:
    """A file whose name is too long for an id wants a thread to be named; ids are never cut."""
    file = write(tmp_path, run(1), f"{'x' * 140}.json")
    async with wire.memory() as memory:
        with pytest.raises(Invalid, match="the limit is 128"):
            await memory.import_file(file)

        assert (await memory.import_file(file, thread="short")).threads == ["short"]


async def test_an_export_comes_back_as_it_was(wire: Wire, tmp_path: Path) -> None:
    """Threads keep their ids, turns their order and state, entries their times; memory is derived again."""
    file = tmp_path / "export.jsonl"
    async with wire.memory() as memory:
        await memory.import_file(write(tmp_path, run(2)), thread="a b.c", agent="builder", session="s")
        with pytest.raises(RuntimeError):
            async with memory.thread("a b.c").turn("never mind"):
                raise RuntimeError
        before = await shown(memory, "a b.c")
        file.write_bytes(b"".join([line async for line in memory.thread("a b.c").export()]))

    (tmp_path / "other").mkdir()
    other = Wire(Desk(tmp_path / "other"))
    async with other.memory() as memory:
        report = await memory.import_file(file)
        again = await memory.import_file(file)
        after = await shown(memory, "a b.c")

    assert report.problems == again.problems == []
    assert (again.appended, again.duplicates) == (0, report.appended)
    keep = ("entry", "turn", "kind", "time", "content", "state", "agent", "session")
    assert [[getattr(one, name) for name in keep] for one in after] == [
        [getattr(one, name) for name in keep] for one in before
    ]


async def test_facts_that_people_stated_are_stated_by_who_imports(wire: Wire, tmp_path: Path) -> None:
    """A person carries them; an agent does not, and the report says so."""
    file = tmp_path / "export.jsonl"
    async with wire.memory(PERSON) as memory:
        await memory.import_file(write(tmp_path, run(1)), thread="t")
        await memory.state_fact("decision", "colour", "green", thread="t")
        file.write_bytes(b"".join([line async for line in memory.thread("t").export()]))

    (tmp_path / "other").mkdir()
    other = Wire(Desk(tmp_path / "other"))
    async with other.memory(Caller("person", "bob")) as memory:
        report = await memory.import_file(file)
        records = [json.loads(line) async for line in memory.thread("t").export()]
    (tmp_path / "third").mkdir()
    async with Wire(Desk(tmp_path / "third")).memory(AGENT) as memory:
        second = await memory.import_file(file)

    assert report.problems == []
    (fact,) = [event["fact"] for row in records[1:-1] for event in json.loads(row["data"])["events"] if "fact" in event]
    assert (fact["value"], fact["source"]) == ("green", {"kind": "person", "principal": "bob"})
    assert fact["provenance"] == {"detail": "stated by person ada, imported"}
    assert ["only when a person or a caller imports" in problem.reason for problem in second.problems] == [True]


async def test_facts_of_a_kind_that_only_the_exporting_space_declares_come_in(desk: Desk, tmp_path: Path) -> None:
    """They were stated there by its rules; here nobody can state one anew."""
    file = tmp_path / "export.jsonl"
    desk.settings = desk.settings.model_copy(
        update={"kinds": {"incident": {"fact_class": "dynamic", "description": "What went wrong, and when."}}}
    )
    desk.worker = desk.new_worker()
    async with Wire(desk).memory(PERSON) as memory:
        await memory.state_fact("incident", "disk", "full", thread="t")
        file.write_bytes(b"".join([line async for line in memory.thread("t").export()]))

    (tmp_path / "other").mkdir()
    async with Wire(Desk(tmp_path / "other")).memory(PERSON) as memory:
        report = await memory.import_file(file)
        with pytest.raises(Invalid, match="there is no kind 'incident'"):
            await memory.state_fact("incident", "disk", "empty", thread="t")
        records = [json.loads(line) async for line in memory.thread("t").export()]

    stated = [event["fact"] for row in records[1:-1] for event in json.loads(row["data"])["events"] if "fact" in event]
    assert report.problems == []
    assert [(fact["identity"]["subject"], fact["value"]) for fact in stated] == [("incident", "full")]


async def test_an_export_that_was_cut_short_is_named(wire: Wire, tmp_path: Path) -> None:
    """Without its anchor an export may miss its end: what is there goes in, and the report says so."""
    file = tmp_path / "export.jsonl"
    async with wire.memory() as memory:
        await memory.import_file(write(tmp_path, run(1)), thread="t")
        lines = [line async for line in memory.thread("t").export()]
        file.write_bytes(b"".join(lines[:-1]))
    (tmp_path / "other").mkdir()
    async with Wire(Desk(tmp_path / "other")).memory() as memory:
        report = await memory.import_file(file)

    assert [(problem.kept, "no anchor" in problem.reason) for problem in report.problems] == [(True, True)]
    assert report.turns == 1


async def test_a_whole_space_is_exported_and_comes_back(wire: Wire, desk: Desk, tmp_path: Path) -> None:
    """Two threads whose turns interleave, and a book: the threads are as they were, the fact is stated again."""
    file = tmp_path / "space.jsonl"
    async with wire.memory(PERSON) as memory:
        async with memory.thread("a").turn("first") as one, memory.thread("b").turn("second") as two:
            await two.reply("of b")
            await one.reply("of a")
        await memory.state_fact("decision", "colour", "green")
        file.write_bytes(b"".join([line async for line in export(desk.store, 1_767_268_800_000)]))
    (tmp_path / "other").mkdir()
    other = Wire(Desk(tmp_path / "other"))
    async with other.memory(PERSON) as memory:
        report = await memory.import_file(file)
        found = {name: [(one.content, one.state) for one in await shown(memory, name)] for name in "ab"}

    assert report.problems == []
    assert (report.threads, report.turns) == (["a", "b", "book.permanent.shared"], 2)
    assert found == {
        "a": [("first", "committed"), ("of a", "committed")],
        "b": [("second", "committed"), ("of b", "committed")],
    }


async def test_an_export_keeps_its_names(wire: Wire, tmp_path: Path) -> None:
    """A thread cannot be given for an export, which names its own."""
    file = tmp_path / "export.jsonl"
    async with wire.memory() as memory:
        await memory.import_file(write(tmp_path, run(1)), thread="t")
        file.write_bytes(b"".join([line async for line in memory.thread("t").export()]))
        with pytest.raises(Invalid, match="names its threads itself"):
            await memory.import_file(file, thread="other")
