"""`eunoe import`, with what people really have: files that are missing, empty, binary, half, or partly bad."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell import Shell

GOOD = '{"role":"user","content":"one"}\n{"role":"assistant","content":"two"}\n'
BUILDER = Path(__file__).resolve().parents[2] / "examples/builder.json"
BAD_LINE = GOOD + '{bad\n{"role":"user","content":"three"}\n'


@pytest.fixture(scope="module")
def eunoe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    shell = Shell(tmp_path_factory.mktemp("home"))
    with shell.up():
        yield shell


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_file_goes_in_once(eunoe: Shell, tmp_path: Path) -> None:
    """The second time it is here already, and nothing is added."""
    file = write(tmp_path / "once.jsonl", GOOD)

    first, second = eunoe("import", file), eunoe("import", file)

    # opened, prompt, response, committed
    assert first.lines == [f"{file}: thread once, 1 turn, 4 events; added"]
    assert second.lines == [f"{file}: thread once, 1 turn, 4 events; already here, nothing added"]
    assert (first.code, second.code, first.err, second.err) == (0, 0, "", "")


def test_each_file_that_is_no_transcript_is_a_line_and_the_others_go_in(eunoe: Shell, tmp_path: Path) -> None:
    """Missing, empty, binary, half, a folder: one line each on stderr, exit code 2, and the good one is in.

    Without the missing one the exit code is 1.
    """
    empty = write(tmp_path / "empty.json", "")
    binary = write(tmp_path / "binary.json", bytes(range(256)))
    half = write(tmp_path / "half.json", '{"messages":[{"role":"user","content":"on')
    good = write(tmp_path / "good.jsonl", GOOD)

    done = eunoe("import", tmp_path / "none.json", empty, binary, half, tmp_path, good)

    complaints = done.err.splitlines()
    assert complaints[:3] == [
        f"eunoe: there is no file {tmp_path / 'none.json'}",
        f"eunoe: {empty} is empty",
        f"eunoe: {binary} is a binary file, not a transcript",
    ]
    assert complaints[3].startswith(f"eunoe: {half} is no transcript: line 1 is not JSON: ")
    assert complaints[4:] == [f"eunoe: {tmp_path} is a directory; name one file of it"]
    assert done.lines == [f"{good}: thread good, 1 turn, 4 events; added"]
    assert done.code == 2
    assert eunoe("import", empty, good).code == 1


def test_a_bad_line_is_reported_and_the_rest_goes_in(eunoe: Shell, tmp_path: Path) -> None:
    """FILE:LINE: reason on stderr; the exit code is 0, and 1 with --strict."""
    file = write(tmp_path / "lines.jsonl", BAD_LINE)

    lenient, strict = eunoe("import", file), eunoe("import", "--strict", file)

    assert lenient.err.startswith(f"{file}:3: not JSON: ")
    assert len(lenient.err.splitlines()) == 1
    assert (lenient.code, strict.code) == (0, 1)
    assert [entry["content"] for entry in eunoe("show", "lines", "--json").json["entries"]] == ["one", "two", "three"]


def test_a_file_of_another_format_than_was_given_says_what_it_looks_like(eunoe: Shell) -> None:
    """A few of its complaints, and all of them in JSON; nothing goes in, and the exit code is 1."""
    asked = ("import", BUILDER, "--thread", "wrong", "--format", "claude_code")

    done, listed = eunoe(*asked), eunoe(*asked, "--json").json

    *few, more, looks = done.err.splitlines()
    assert [line.rpartition(": not JSON: ")[0] for line in few] == [f"{BUILDER}:{line}" for line in range(1, 6)]
    assert more == f"{BUILDER}: {listed[0]['problem_count'] - 5} more problems; --json lists them"
    assert looks == f"{BUILDER}: looks like openai; import it with --format openai, or without --format"
    assert len(listed[0]["problems"]) == listed[0]["problem_count"] > 600
    assert (listed[0]["looks_like"], done.code) == ("openai", 1)
    assert eunoe("show", "wrong").code == 1


def test_one_name_for_several_threads_is_refused(eunoe: Shell, tmp_path: Path) -> None:
    """A file of two conversations with --thread adds nothing and says why; without it, each has its own name."""
    runs = [{"messages": [{"role": "user", "content": text}]} for text in ("one", "two")]
    file = write(tmp_path / "runs.jsonl", "\n".join(map(json.dumps, runs)))

    refused, done = eunoe("import", "--thread", "both", file), eunoe("import", file)

    assert refused.complaint.startswith(f"eunoe: {file} holds 2 threads, and --thread can name only one")
    assert refused.code == 1
    assert eunoe("show", "both").code == 1
    assert done.lines == [f"{file}: 2 threads, 2 turns, 6 events; added"]


@pytest.mark.parametrize("thread", ["a.b", "a*", "a b", "a:b", "🙂", "x" * 128])
def test_any_id_of_128_bytes_is_a_thread(eunoe: Shell, tmp_path: Path, thread: str) -> None:
    """Dots, stars, spaces and emoji come back as they were given, each its own thread."""
    file = write(tmp_path / "any.jsonl", json.dumps({"role": "user", "content": f"I am {thread}"}))

    assert eunoe("import", file, "--thread", thread).code == 0
    assert eunoe("show", thread, "1").out == f"I am {thread}"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--thread", "x" * 129], "the thread id is 129 bytes long; the limit is 128, and ids are never cut"),
        (["--thread", ""], "the thread id is empty"),
        (["--agent", "a\nb"], "the agent id 'a\\nb' holds a control character"),
        (["--format", "pdf"], "there is no format 'pdf' of transcripts; the formats are openai, claude_code,"),
    ],
)
def test_wrong_use_adds_nothing(eunoe: Shell, tmp_path: Path, arguments: list[str], complaint: str) -> None:
    """What is wrong for every file ends the command with 2, before anything is read."""
    file = write(tmp_path / "use.jsonl", GOOD)

    done = eunoe("import", *arguments, file)

    assert done.complaint.startswith(f"eunoe: {complaint}")
    assert done.code == 2
    assert eunoe("show", "use").code == 1


def test_an_export_of_a_newer_version_is_not_read_half(eunoe: Shell, tmp_path: Path) -> None:
    """The message says to upgrade; the file after it goes in."""
    newer = write(tmp_path / "newer.jsonl", '{"eunoe_export":99,"space":"default","time":1}\n')
    good = write(tmp_path / "after.jsonl", GOOD)

    done = eunoe("import", newer, good)

    assert done.err == "eunoe: this export has version 99, this is 1. Upgrade Eunoe to read it.\n"
    assert done.lines == [f"{good}: thread after, 1 turn, 4 events; added"]
    assert done.code == 1


def test_an_import_as_json_says_all_of_each_file(eunoe: Shell, tmp_path: Path) -> None:
    """One object a file, with its problems or its error; still one line each on stderr."""
    file = write(tmp_path / "json.jsonl", BAD_LINE)

    done = eunoe("import", "--json", file, tmp_path / "none.json")

    good, missing = done.json
    assert (good["threads"], good["turns"], good["problems"][0]["line"]) == (["json"], 2, 3)
    assert missing["error"] == f"there is no file {tmp_path / 'none.json'}"
    assert missing["missing"]
    assert len(done.err.splitlines()) == 2
    assert done.code == 2


def test_an_export_comes_in_again_in_another_space(eunoe: Shell, tmp_path: Path) -> None:
    """What was exported is there, entry by entry, with the thread named as it was."""
    eunoe("import", write(tmp_path / "moved.jsonl", GOOD))
    file = tmp_path / "moved.export"

    assert eunoe("audit", "export", "moved", "--out", file).code == 0
    assert eunoe("import", "--embedded", "--space", "other", file).code == 0
    entries = eunoe("show", "--embedded", "--space", "other", "moved", "--json").json["entries"]
    assert [entry["content"] for entry in entries] == ["one", "two"]
