"""Transcripts that are imported again after they have grown, are older, or are of another conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from desks import Desk
from wires import PERSON, Wire

from eunoe.audit.export import export
from eunoe.client.memory import Memory
from eunoe.schemas.errors import Damaged, OutcomeUnknown, WorkerMissing
from eunoe.schemas.subjects import Caller

BOB = Caller("person", "bob")
SAID = [
    ("user", "Run the tests."),
    ("assistant", "They pass."),
    ("user", "And the linter?"),
    ("assistant", "I run it."),
    ("assistant", "It is clean."),
    ("user", "Thanks."),
    ("assistant", "You are welcome."),
]


def line(role: str, content: str) -> str:
    message = {"role": role, "content": content}
    return json.dumps({"type": role, "sessionId": "s1", "timestamp": "2026-01-01T12:00:00Z", "message": message}) + "\n"


def session(path: Path, *said: tuple[str, str], name: str = "chat.jsonl") -> Path:
    """A session file as Claude Code writes it, a line a message."""
    file = path / name
    file.write_text("".join(line(*one) for one in said), encoding="utf-8")
    return file


async def shown(memory: Memory, thread: str = "chat") -> list[str]:
    return [one.content for one in (await memory.thread(thread).entries()).entries]


async def test_only_what_is_new_goes_in(wire: Wire, tmp_path: Path) -> None:
    """A file of one turn that has grown by a turn adds that turn, and nothing when it is imported once more."""
    async with wire.memory() as memory:
        await memory.import_file(session(tmp_path, *SAID[:2]))
        grown = session(tmp_path, *SAID[:5])
        report, again = await memory.import_file(grown), await memory.import_file(grown)
        found = await shown(memory)

    assert found == [text for _, text in SAID[:5]]
    assert (report.turns, report.events, report.new_turns, report.new_events, report.here_events) == (2, 9, 1, 5, 4)
    assert (again.new_events, again.here_events, again.older, again.problems) == (0, 9, [], [])


@pytest.mark.parametrize("cut", range(1, 7))
async def test_a_file_may_grow_anywhere(wire: Wire, tmp_path: Path, cut: int) -> None:
    """Whichever line was the last one, every message is there once, in order, in committed turns of one session."""
    async with wire.memory() as memory:
        await memory.import_file(session(tmp_path, *SAID[:cut]))
        await memory.import_file(session(tmp_path, *SAID))
        entries = (await memory.thread("chat").entries()).entries
        head = await memory.thread("chat").head()

    assert [one.content for one in entries] == [text for _, text in SAID]
    assert {(one.state, one.session) for one in entries} == {("committed", "s1")}
    assert head.turns == (3 if cut in (2, 5) else 4)


async def test_a_file_that_grows_line_by_line_is_never_doubled(wire: Wire, tmp_path: Path) -> None:
    """Imported after each line, and by two people in turns, it is the conversation."""
    for cut in range(1, len(SAID) + 1):
        async with wire.memory(BOB if cut % 2 else PERSON) as memory:
            await memory.import_file(session(tmp_path, *SAID[:cut]))
            found = await shown(memory)
        assert found == [text for _, text in SAID[:cut]]


async def test_an_older_copy_adds_nothing_and_says_so(wire: Wire, tmp_path: Path) -> None:
    """A copy that was never imported itself is known by its content."""
    async with wire.memory() as memory:
        await memory.import_file(session(tmp_path, *SAID))
        report = await memory.import_file(session(tmp_path, *SAID[:3]))
        found = await shown(memory)

    assert found == [text for _, text in SAID]
    assert (report.older, report.new_events, report.problems) == (["chat"], 0, [])


async def test_another_conversation_is_refused(wire: Wire, tmp_path: Path) -> None:
    """The thread is as it was, and the problem says from where on they differ and what to do."""
    async with wire.memory() as memory:
        await memory.import_file(session(tmp_path, *SAID))
        report = await memory.import_file(session(tmp_path, *SAID[:1], ("assistant", "They fail.")))
        found = await shown(memory)

    assert found == [text for _, text in SAID]
    assert [problem.reason for problem in report.problems] == [
        "thread chat holds another conversation already (it differs from entry 2 on); "
        "import this one under another name with --thread"
    ]
    assert (report.refused, report.new_events) == (["chat"], 0)


async def test_a_thread_that_was_named_takes_another_conversation(wire: Wire, tmp_path: Path) -> None:
    """It is asked for, so all of the file goes in after what is there, once, however often it is said."""
    other = [SAID[0], ("assistant", "They fail."), ("user", "Mend them.")]
    async with wire.memory() as memory:
        await memory.import_file(session(tmp_path, *SAID[:2]))
        file = session(tmp_path, *other)
        report = await memory.import_file(file, thread="chat")
        await memory.import_file(file, thread="chat")
        unnamed = await memory.import_file(file)
        found = await shown(memory)

    assert found == [text for _, text in (*SAID[:2], *other)]
    assert (report.new_turns, report.events, report.new_events, report.here_events) == (2, 7, 7, 0)
    assert (unnamed.refused, unnamed.new_events, unnamed.here_events) == ([], 0, 7)


@pytest.mark.parametrize("faults", [["missing"], ["", "missing"], ["deaf"]])
async def test_a_grown_file_goes_on_where_its_import_was_cut(
    wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: list[str]
) -> None:
    """The worker goes away before, between and after the appends of the rest; the next import finishes it."""
    monkeypatch.setattr("eunoe.client.delivery.PATIENCE_SECONDS", 0.0)
    more = [*SAID, ("user", "One more."), ("assistant", "Sure.")]
    async with wire.memory() as memory:
        await memory.import_file(session(tmp_path, *SAID[:4]))
        file = session(tmp_path, *more)
        wire.faults = faults
        with pytest.raises((WorkerMissing, OutcomeUnknown)):
            await memory.import_file(file)
        wire.faults = []
        await memory.import_file(file)
        found = await shown(memory)

    assert found == [text for _, text in more]


async def test_what_a_client_recorded_live_is_known_too(wire: Wire, tmp_path: Path) -> None:
    """A transcript of turns that were appended as they happened adds what came after them."""
    async with wire.memory() as memory:
        async with memory.thread("chat").turn("Run the tests.") as turn:
            await turn.reply("They pass.")
        async with memory.thread("chat").turn("Not committed, so it does not count.") as turn:
            await turn.abort("changed my mind")
        await memory.import_file(session(tmp_path, *SAID[:5]))
        found = [one for one in (await memory.thread("chat").entries()).entries if one.state == "committed"]

    assert [one.content for one in found] == [text for _, text in SAID[:5]]


async def test_a_newer_export_adds_what_is_new(wire: Wire, desk: Desk, tmp_path: Path) -> None:
    """Turns and facts that an earlier export brought are not brought again, though records and numbers differ."""
    file = tmp_path / "space.jsonl"
    (tmp_path / "other").mkdir()
    other = Wire(Desk(tmp_path / "other"))
    async with wire.memory() as memory, other.memory(BOB) as elsewhere:
        async with memory.thread("a").turn("first") as turn:
            await turn.reply("of a")
        await memory.state_fact("decision", "colour", "green")
        file.write_bytes(b"".join([row async for row in export(desk.store, 1)]))
        await elsewhere.import_file(file)
        async with memory.thread("a").turn("second") as turn:
            await turn.reply("of a, too")
        await memory.state_fact("decision", "shape", "round")
        file.write_bytes(b"".join([row async for row in export(desk.store, 2)]))
        report, again = await elsewhere.import_file(file), await elsewhere.import_file(file)
        found = await shown(elsewhere, "a")

    assert found == ["first", "of a", "second", "of a, too"]
    # opened with prompt, reply, committed; and one fact
    assert (report.new_turns, report.new_events, report.problems) == (1, 5, [])
    assert again.new_events == 0


async def test_what_was_stated_waits_until_the_thread_is_known(wire: Wire, tmp_path: Path) -> None:
    """A fact between two turns goes in with an export whose beginning is here, and not with another conversation."""
    file = tmp_path / "export.jsonl"
    async with wire.memory() as memory:
        await memory.import_file(session(tmp_path, *SAID[:2]))
        await memory.state_fact("decision", "colour", "green", thread="chat")
        await memory.import_file(session(tmp_path, *SAID))
        file.write_bytes(b"".join([row async for row in memory.thread("chat").export()]))

    found = {}
    for name, last in (("same", "It is clean."), ("other", "It is not.")):
        (tmp_path / name).mkdir()
        async with Wire(Desk(tmp_path / name)).memory() as memory:
            await memory.import_file(session(tmp_path, *SAID[:4], ("assistant", last)))
            reports = [await memory.import_file(file), await memory.import_file(file)]
            rows = [json.loads(row) async for row in memory.thread("chat").export()][1:-1]
        facts = sum("fact" in event for row in rows for event in json.loads(row["data"])["events"])
        found[name] = ([report.new_events for report in reports], facts, [report.refused for report in reports])

    # the third turn (opened, prompt, reply, committed) and the fact
    assert found == {"same": ([5, 0], 1, [[], []]), "other": ([0, 0], 0, [["chat"], ["chat"]])}


async def test_a_forged_export_is_refused_whole(wire: Wire, tmp_path: Path) -> None:
    """One changed word is one event without its digest: nothing goes in, and the message says how to look."""
    file = tmp_path / "export.jsonl"
    async with wire.memory() as memory:
        await memory.import_file(session(tmp_path, *SAID))
        rows = b"".join([row async for row in memory.thread("chat").export()])
    file.write_bytes(rows.replace(b"They pass.", b"They fail."))
    (tmp_path / "other").mkdir()
    async with Wire(Desk(tmp_path / "other")).memory() as memory:
        with pytest.raises(Damaged) as caught:
            await memory.import_file(file)
        assert (await memory.thread("chat").head()).record == 0

    assert str(caught.value) == (
        f"{file} is not as it was exported (1 problem); nothing of it goes in; "
        f"`eunoe audit verify {file}` says what is wrong"
    )


async def test_an_export_whose_end_is_missing_goes_in_as_far_as_it_goes(wire: Wire, tmp_path: Path) -> None:
    """Cut in the middle of a line, it is no forgery: the whole records go in, and the rest is said to be missing."""
    file = tmp_path / "export.jsonl"
    async with wire.memory() as memory:
        await memory.import_file(session(tmp_path, *SAID))
        rows = [row async for row in memory.thread("chat").export()]
    file.write_bytes(b"".join(rows[:3]) + rows[3][:200])  # opening, two turns, half of the third
    (tmp_path / "other").mkdir()
    async with Wire(Desk(tmp_path / "other")).memory() as memory:
        report = await memory.import_file(file)
        found = await shown(memory)

    assert found == [text for _, text in SAID[:5]]
    assert [(problem.line, problem.kept) for problem in report.problems] == [(4, False), (0, True)]
    assert report.problems[1].reason == (
        "the export was cut short (it has no anchor at its end); what is there goes in, the rest is missing"
    )


async def test_what_a_caller_stated_is_carried_in_its_name(wire: Wire, tmp_path: Path) -> None:
    """A person carries it below their own rank; a caller carries what anybody stated as its own, and says whose."""
    file = tmp_path / "export.jsonl"
    async with wire.memory(Caller("caller", "app")) as memory:
        await memory.state_fact("decision", "colour", "green", thread="chat")
    async with wire.memory() as memory:
        await memory.state_fact("decision", "shape", "round", thread="chat")
        file.write_bytes(b"".join([row async for row in memory.thread("chat").export()]))

    found = {}
    for caller in (BOB, Caller("caller", "cli"), PERSON):
        (tmp_path / caller.principal).mkdir()
        async with Wire(Desk(tmp_path / caller.principal)).memory(caller) as memory:
            report = await memory.import_file(file)
            rows = [json.loads(row) async for row in memory.thread("chat").export()][1:-1]
        facts = [event["fact"] for row in rows for event in json.loads(row["data"])["events"]]
        found[caller.principal] = [(*fact["source"].values(), fact.get("provenance", {})) for fact in facts]
        assert report.problems == []

    of_app, of_ada = {"detail": "stated by caller app, imported"}, {"detail": "stated by person ada, imported"}
    assert found == {
        "bob": [("caller", "app", of_app), ("person", "bob", of_ada)],
        "cli": [("caller", "cli", of_app), ("caller", "cli", of_ada)],
        "ada": [("caller", "app", of_app), ("person", "ada", {})],
    }


async def test_a_result_without_its_call_is_named(wire: Wire, tmp_path: Path) -> None:
    """It goes in, and the problem says which message of the file's one value it was."""
    file = tmp_path / "one.json"
    messages = [{"role": "user", "content": "Look."}, {"role": "tool", "tool_call_id": "c9", "content": "seen"}]
    file.write_text(json.dumps(messages), encoding="utf-8")
    async with wire.memory() as memory:
        report = await memory.import_file(file)
        found = await shown(memory, "one")

    assert found == ["Look.", "seen"]
    assert [(problem.line, problem.message, problem.kept, problem.reason) for problem in report.problems] == [
        (0, 2, True, "the tool result answers 'c9', and no call of that id waits for one")
    ]
