"""`eunoe import` of transcripts that have grown, on a real server, and stopped in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from importer import import_file
from nursery import nursery
from polling import until_found
from shell import EUNOE, Shell

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.testing import NatsServer

TURNS = 400


@pytest.fixture(scope="module")
def eunoe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    shell = Shell(tmp_path_factory.mktemp("home"))
    with shell.up():
        yield shell


def said(turns: int, *, first: str = "ask 1") -> list[tuple[str, str]]:
    """Turns of a prompt and two replies."""
    found = [("user", first), ("assistant", "answer 1"), ("assistant", "more 1")]
    for number in range(2, turns + 1):
        found += [("user", f"ask {number}"), ("assistant", f"answer {number}"), ("assistant", f"more {number}")]
    return found


def session(file: Path, messages: list[tuple[str, str]]) -> Path:
    """A session file as Claude Code writes it."""
    rows = [
        {
            "type": role,
            "sessionId": "s",
            "timestamp": "2026-01-01T12:00:00Z",
            "message": {"role": role, "content": text},
        }
        for role, text in messages
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def contents(eunoe: Shell, thread: str) -> list[str]:
    return [entry["content"] for entry in eunoe("show", thread, "--json").json["entries"]]


def test_a_file_that_grew_adds_what_is_new(eunoe: Shell, tmp_path: Path) -> None:
    """By whole turns, then inside a turn; each line counts in turns, and the third time nothing is new."""
    file = tmp_path / "grows.jsonl"

    eunoe("import", session(file, said(2)))
    turn = eunoe("import", session(file, said(4)[:10]))
    inside = eunoe("import", session(file, said(4)))
    again = eunoe("import", file)

    # a turn has 5 events: opened, prompt, two replies, committed
    assert turn.lines == [f"{file}: thread grows, 4 turns, 18 events; 2 turns new, the rest was here"]
    assert inside.lines == [f"{file}: thread grows, 4 turns, 20 events; 1 turn new, the rest was here"]
    assert again.lines == [f"{file}: thread grows, 4 turns, 20 events; already here, nothing added"]
    assert contents(eunoe, "grows") == [text for _, text in said(4)]
    assert [done.err for done in (turn, inside, again)] == ["", "", ""]


def test_an_older_copy_adds_nothing(eunoe: Shell, tmp_path: Path) -> None:
    """A backup of a transcript, imported after the transcript itself, is known by its content."""
    file = tmp_path / "older.jsonl"
    eunoe("import", session(file, said(3)))

    done = eunoe("import", session(file, said(2)), "--agent", "builder")

    assert done.lines == [
        f"{file}: thread older, 2 turns, 10 events; an older copy of what is here, nothing added; "
        "what is here keeps the agent and session it came with"
    ]
    assert (done.code, contents(eunoe, "older")) == (0, [text for _, text in said(3)])


def test_another_conversation_under_the_same_name_is_refused(eunoe: Shell, tmp_path: Path) -> None:
    """Two files of one name in one command: the first goes in, the other says why not, and where it can go."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = session(tmp_path / "a" / "same.jsonl", said(1))
    other = session(tmp_path / "b" / "same.jsonl", said(1, first="something else"))

    done, named = eunoe("import", one, other), eunoe("import", other, "--thread", "same-2")
    into = eunoe("import", session(other, said(1, first="a third")), "--thread", "same")

    assert done.lines[0] == f"{one}: thread same, 1 turn, 5 events; added"
    assert done.err == (
        f"{other}: thread same holds another conversation already (it differs from entry 1 on); "
        "import this one under another name with --thread\n"
    )
    assert (done.code, named.code, into.code) == (1, 0, 0)
    assert contents(eunoe, "same-2") == ["something else", "answer 1", "more 1"]
    assert contents(eunoe, "same") == ["ask 1", "answer 1", "more 1", "a third", "answer 1", "more 1"]


def test_a_forged_export_adds_nothing(eunoe: Shell, tmp_path: Path) -> None:
    """One line on stderr and exit code 1, in a space that stays empty."""
    file = tmp_path / "export.jsonl"
    eunoe("import", session(tmp_path / "true.jsonl", said(2)))
    eunoe("audit", "export", "true", "--out", file)
    file.write_bytes(file.read_bytes().replace(b"answer 2", b"answer 3"))

    done = eunoe("import", "--embedded", "--space", "forged", file)

    assert done.complaint == (
        f"eunoe: {file} is not as it was exported (1 problem); nothing of it goes in; "
        f"`eunoe audit verify {file}` says what is wrong"
    )
    assert done.code == 1
    assert eunoe("show", "--embedded", "--space", "forged", "true").code == 1


def test_a_message_of_one_json_value_is_named_by_its_number(eunoe: Shell, tmp_path: Path) -> None:
    """FILE: message N: reason, for a file in which lines mean nothing; a broken line says its column once."""
    value = tmp_path / "value.json"
    value.write_text(json.dumps([{"role": "user", "content": "one"}, {"role": "wizard", "content": "two"}], indent=1))
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"role":"user","content":"one"}\n{"role":"user","content":"a\tb"}\n')

    found, broken = eunoe("import", value), eunoe("import", lines)

    assert found.err.startswith(f"{value}: message 2: the message has the role 'wizard'")
    assert broken.err == f"{lines}:2: not JSON: Invalid control character at column 28\n"


def test_an_import_that_is_stopped_says_how_to_go_on(eunoe: Shell, tmp_path: Path) -> None:
    """Ctrl-C: one line and exit code 130; the same command then adds the rest, once."""
    file = session(tmp_path / "stopped.jsonl", said(3000))
    command, pipe = [EUNOE, "import", str(file)], subprocess.PIPE
    with subprocess.Popen(command, env=eunoe.environment(), text=True, stdout=pipe, stderr=pipe) as stopped:
        assert any(eunoe("show", "stopped", "1").code == 0 for _ in range(100)), "the import has not begun"
        os.kill(stopped.pid, signal.SIGINT)
        out, err = stopped.communicate(timeout=30)
    done = eunoe("import", file)

    assert (stopped.returncode, out) == (130, "")
    assert err == "eunoe: stopped; what went in stays, and the same command goes on from there\n"
    assert done.code == 0
    assert done.lines[0].endswith("turns new, the rest was here")


async def test_a_grown_file_killed_in_the_middle_is_completed(
    nats_server: NatsServer, space: str, tmp_path: Path
) -> None:
    """The rest is being written, from inside a turn on, when the process is killed; the next import completes it."""
    file = tmp_path / "killed.jsonl"
    settings = Settings(url=nats_server.url, space=space, data=tmp_path, role="person", principal="ada")
    async with running(settings, ["audit"]), Memory.connect(settings=settings) as memory:
        thread = memory.thread("killed")
        await memory.import_file(session(file, said(2)[:5]))
        before = (await thread.head()).record
        session(file, said(TURNS))

        async def begun() -> bool:
            return (await thread.head()).record > before

        with nursery(tmp_path / "logs") as processes:
            child = processes.start("importer", import_file, settings.url, space, settings.data, file)
            await until_found(begun, "some of the rest is in")
            child.kill()
        report = await memory.import_file(file)
        again = await memory.import_file(file)
        found = [shown async for shown in _all(memory)]

    assert found == [text for _, text in said(TURNS)]
    assert (report.problems, again.new_events) == ([], 0)


async def _all(memory: Memory) -> AsyncIterator[str]:
    after, more = 0, True
    while more:
        page = await memory.thread("killed").entries(after=after)
        for shown in page.entries:
            yield shown.content
        after, more = page.entries[-1].entry, page.more
