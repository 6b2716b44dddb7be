"""Commands that bring their own server, or find none, or find a store that is not whole."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from anyio import to_thread
from folders import unwritable
from shell import Shell

from eunoe.runtime.embedded import embedded
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import START
from eunoe.testing import NatsServer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def eunoe(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_every_command_runs_embedded(eunoe: Shell) -> None:
    """With --embedded, nothing has to run beside: what one command writes, the next one finds."""
    imported = eunoe("import", "--embedded", EXAMPLES / "reviewer.json")
    assert imported.code == 0, imported.err

    for arguments in (
        ["threads"],
        ["show", "reviewer"],
        ["context", "reviewer", "--prompt", "Go on."],
        ["context", "reviewer", "turns"],
        ["facts", "--thread", "reviewer"],
        ["audit", "tail"],
        ["audit", "verify"],
        ["audit", "anchor"],
        ["audit", "export"],
        ["status"],
    ):
        done = eunoe(*arguments, "--embedded")
        assert (done.code, done.err) == (0, ""), arguments
        assert done.out, arguments
        assert "\x1b" not in done.out, arguments


def test_facts_are_there_when_an_embedded_import_ends(eunoe: Shell) -> None:
    """The command drains extraction before it leaves."""
    eunoe("import", "--embedded", EXAMPLES / "reviewer.json")

    (state,) = eunoe("threads", "--embedded", "--json").json["threads"]
    assert state["extracted"] == state["committed"] == 6


@pytest.mark.parametrize(
    "arguments",
    [
        ["threads"],
        ["show", "t"],
        ["context", "t"],
        ["facts"],
        ["fact", "history", "fabcde"],
        ["audit", "tail"],
        ["audit", "verify"],
        ["audit", "anchor"],
        ["audit", "export"],
    ],
)
def test_without_a_server_each_says_how_to_get_one(eunoe: Shell, arguments: list[str]) -> None:
    """One line with the way out, and exit code 3."""
    done = eunoe(*arguments)

    assert done.complaint == (f"eunoe: no server runs on {eunoe.data}. {START}")
    assert done.code == 3


def test_an_import_without_a_server_loses_nothing(eunoe: Shell) -> None:
    """The file is not touched, and the message says what to do."""
    before = (EXAMPLES / "reviewer.json").read_bytes()

    done = eunoe("import", EXAMPLES / "reviewer.json")

    assert done.complaint.startswith("eunoe: no server runs on ")
    assert done.code == 3
    assert (EXAMPLES / "reviewer.json").read_bytes() == before


def test_a_missing_worker_is_named(eunoe: Shell, nats_server: NatsServer) -> None:
    """A server without workers: what is asked for has nobody who serves it; exit code 3."""
    done = eunoe("threads", "--url", nats_server.url, "--space", "nobody")

    assert done.complaint == (
        "eunoe: no facts worker serves the space nobody, so no facts, threads, sessions or summaries can be shown; "
        "start the workers of that space with `eunoe --space nobody serve all`"
    )
    assert done.code == 3


@pytest.mark.parametrize("arguments", [["status"], ["audit", "tail"], ["audit", "verify"], ["audit", "export"]])
def test_a_space_that_is_not_there_is_named(eunoe: Shell, nats_server: NatsServer, arguments: list[str]) -> None:
    """What needs no worker says that the space was never made, and how it is; exit code 1, nothing on stdout."""
    done = eunoe(*arguments, "--url", nats_server.url, "--space", "unmade")

    assert done.complaint == (
        "eunoe: there is no space unmade on this server yet; `eunoe --space unmade serve all` makes and serves it"
    )
    assert done.code == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["demo", "--data", "x"], "--data means nothing to `eunoe demo`"),
        (["--url", "nats://127.0.0.1:1", "demo"], "--url means nothing to `eunoe demo`"),
        (["up", "--url", "nats://127.0.0.1:1"], "--url means nothing to `eunoe up`"),
        (["ops", "permissions", "--embedded"], "--embedded means nothing to `eunoe ops permissions`"),
        (["threads", "--embedded", "--url", "nats://127.0.0.1:1"], "--embedded runs a server of its own"),
        (["--space", "", "threads"], "the setting space '' (--space) is not valid"),
    ],
)
def test_options_that_mean_nothing_are_refused(eunoe: Shell, arguments: list[str], complaint: str) -> None:
    """Nothing that was asked for is left out silently; one line, exit code 2."""
    done = eunoe(*arguments)

    assert done.complaint.startswith(f"eunoe: {complaint}")
    assert done.code == 2


def test_options_that_mean_nothing_are_not_in_the_help(eunoe: Shell) -> None:
    """`demo` has a folder of its own, so it offers none."""
    shown = eunoe("demo", "-h").out

    assert "--json" in shown
    assert [name for name in ("--data", "--url", "--embedded", "--space") if name in shown] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["facts", "--thread", ""],
        ["facts", "--session", ""],
        ["facts", "--agent", ""],
        ["facts", "--scope", ""],
        ["audit", "export", ""],
        ["audit", "tail", ""],
        ["audit", "verify", "--thread", ""],
    ],
)
def test_an_empty_filter_is_not_everything(eunoe: Shell, arguments: list[str]) -> None:
    """A variable that a script left empty is a mistake: refused before anything is read."""
    done = eunoe(*arguments)

    assert done.complaint.startswith("eunoe: ")
    assert done.code == 2


@pytest.mark.parametrize("group", ["audit", "fact", "ops"])
def test_a_group_alone_lists_its_commands(eunoe: Shell, group: str) -> None:
    """As --help does."""
    alone, asked = eunoe(group), eunoe(group, "-h")

    assert (alone.code, alone.out) == (0, asked.out)
    assert "Commands:" in alone.lines


def test_a_folder_that_cannot_be_used_is_named(eunoe: Shell, tmp_path: Path) -> None:
    """A file where the folder should be: one line, exit code 2, and the file is as it was."""
    taken = tmp_path / "taken"
    taken.write_text("mine")

    done = eunoe("threads", "--embedded", "--data", taken)

    assert done.complaint == f"eunoe: the data folder {taken} cannot be used: it is a file; give another with --data"
    assert done.code == 2
    assert taken.read_text() == "mine"


def test_a_folder_that_is_read_only_is_named(eunoe: Shell, tmp_path: Path) -> None:
    """One line with the reason, exit code 2, and nothing is written."""
    with unwritable(tmp_path / "closed") as closed:
        done = eunoe("threads", "--embedded", "--data", closed)

    why = "Permission denied" if os.geteuid() else "Read-only file system"
    assert done.complaint.startswith(f"eunoe: the data folder {closed} cannot be used: {why}")
    assert done.code == 2
    assert list(closed.iterdir()) == []


async def test_a_flipped_byte_in_the_store_is_found(eunoe: Shell) -> None:
    """The server drops what it cannot read any more, and the check, which needs no worker, says what is missing."""
    await to_thread.run_sync(eunoe, "import", "--embedded", EXAMPLES / "reviewer.json")
    (block,) = (eunoe.data / "jetstream").rglob("streams/eunoe_default_log/msgs/*.blk")
    data = bytearray(block.read_bytes())
    data[len(data) // 2] ^= 1
    block.write_bytes(data)

    async with embedded(Settings(data=eunoe.data)):
        done = await to_thread.run_sync(eunoe, "audit", "verify")

    assert done.code == 1
    assert re.match(r"thread reviewer: (records? .+ missing|ends at \d+, .+ says \d+)$", done.lines[0])
    assert re.fullmatch(r"not whole: \d+ problems?", done.lines[-1])


def test_an_export_to_a_place_that_cannot_be_written_leaves_nothing(eunoe: Shell, tmp_path: Path) -> None:
    """The reason in one line; no half file."""
    eunoe("import", "--embedded", EXAMPLES / "reviewer.json")
    folder = tmp_path / "folder"
    (folder / "log.jsonl").mkdir(parents=True)

    done = eunoe("audit", "export", "--embedded", "--out", folder / "log.jsonl")

    assert done.complaint.startswith(f"eunoe: {folder / 'log.jsonl'} cannot be written: ")
    assert done.code == 2
    assert [path.name for path in folder.iterdir()] == ["log.jsonl"]


def test_an_export_is_written_into_a_pipe_that_is_there(eunoe: Shell, tmp_path: Path) -> None:
    """What is no plain file is never replaced: its reader gets the whole export."""
    eunoe("import", "--embedded", EXAMPLES / "reviewer.json")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        done = eunoe("audit", "export", "--embedded", "--out", pipe)
        read, _ = reader.communicate()

    assert done.code == 0
    assert pipe.is_fifo()
    assert read.startswith(b'{"eunoe_export":')


def test_the_demo_shows_everything_and_leaves_nothing(eunoe: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every scene within 80 columns, a whole log, a forged one found out, and no folder left behind."""
    monkeypatch.setattr("tempfile.tempdir", str(eunoe.home))

    done = eunoe("demo")

    assert (done.code, done.err) == (0, "")
    assert sum(line.startswith("── ") for line in done.lines) == 12
    assert max(map(len, done.lines)) <= 80
    for shown in (
        "builder.json: thread builder, 6 turns, 83 events; added",
        "distilled turns 1-6 by rules",
        "version 1 by rules",
        "decision exit status of --dry-run",
        "- service port 8787: python listening on 127.0.0.1 — from tool bash",
        "failed, exit status 2",
        "hides it; nothing is in force",
        "records: whole, nothing was changed",
        "does not have its digest",
    ):
        assert shown in done.out
    assert list(eunoe.home.glob("eunoe-demo-*")) == []
    assert not eunoe.data.exists()


def test_the_demo_as_json_is_its_scenes(eunoe: Shell) -> None:
    """One document: each scene with its title, its words, its command and its data."""
    scenes = json.loads(eunoe("demo", "--json").raw)

    assert len(scenes) == 11
    assert all(scene["title"] and scene["told"] and scene["command"].startswith("eunoe ") for scene in scenes)
    assert [verdict["problems"] == [] for verdict in scenes[-1]["data"]] == [True, False]
