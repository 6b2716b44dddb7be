"""What is done to the store behind Eunoe's back is named, with what is missing, however the server stopped."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from shell import Shell

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose memory holds the two examples, its server stopped by TERM."""
    shell = Shell(tmp_path_factory.mktemp("whole"))
    done = shell("--embedded", "import", EXAMPLES / "builder.json", EXAMPLES / "reviewer.json")
    assert done.code == 0, done.err
    return shell.home


@pytest.fixture
def shell(whole: Path, tmp_path: Path) -> Shell:
    """A copy of that home, to be damaged."""
    shutil.copytree(whole, tmp_path / "home")
    return Shell(tmp_path / "home")


def blocks(shell: Shell) -> list[Path]:
    """The files that hold the log's messages, oldest first."""
    return sorted(shell.home.rglob("eunoe_default_log/msgs/*.blk"))


def flip(path: Path, where: float) -> None:
    """Change one bit of a file, at a share of its length."""
    data = bytearray(path.read_bytes())
    data[int(len(data) * where)] ^= 1
    path.write_bytes(data)


def verify(shell: Shell) -> list[str]:
    done = shell("--embedded", "audit", "verify")
    assert done.code == 1, done.out
    assert "Traceback" not in done.out + done.err
    return done.lines


@pytest.mark.parametrize("where", [0.1, 0.5, 0.9])
def test_a_byte_changed_on_disk_after_a_clean_stop_is_named(shell: Shell, where: float) -> None:
    """Whatever the server makes of its broken block, a record of a named thread is missing or changed."""
    flip(blocks(shell)[-1], where)

    lines = verify(shell)

    assert any(line.startswith(("thread builder", "thread reviewer")) for line in lines), lines


@pytest.mark.parametrize("where", [0.1, 0.5, 0.9])
def test_a_byte_changed_on_disk_after_a_kill_is_named(tmp_path: Path, where: float) -> None:
    """No anchor of a clean end is there; the receipts that the client kept say what there was."""
    shell = Shell(tmp_path / "home")
    with shell.up() as process:
        done = shell("import", EXAMPLES / "builder.json", EXAMPLES / "reviewer.json")
        assert done.code == 0, done.err
        os.kill(shell.server_pid(), signal.SIGKILL)
        process.kill()
    flip(blocks(shell)[-1], where)

    lines = verify(shell)

    assert any(line.startswith(("thread builder", "thread reviewer")) for line in lines), lines


def test_a_lost_tail_is_named_with_how_much_there_was(shell: Shell) -> None:
    """A broken first record makes the server drop all that follows in its block: each thread says what it had."""
    for index in shell.home.rglob("eunoe_default_log/msgs/index.db"):
        index.unlink()
    flip(blocks(shell)[-1], 0.002)

    lines = verify(shell)

    assert any("thread reviewer: it is missing whole: the anchor of" in line for line in lines), lines
    assert lines[-1] == "not whole: 2 problems"


def test_a_store_whose_log_is_gone_says_so(shell: Shell) -> None:
    """The whole stream removed: every thread that the anchor knows is named."""
    shutil.rmtree(next(shell.home.rglob("streams/eunoe_default_log")))

    lines = verify(shell)

    assert any(line.startswith("thread builder: it is missing whole") for line in lines), lines
    assert any(line.startswith("thread reviewer: it is missing whole") for line in lines), lines


def test_an_export_with_one_byte_changed_is_named_and_an_untouched_one_is_whole(shell: Shell, tmp_path: Path) -> None:
    """The file verifies by itself, with no server and no data folder."""
    path = tmp_path / "all.jsonl"
    assert shell("--embedded", "audit", "export", "--out", path).code == 0
    alone = Shell(tmp_path / "elsewhere")
    assert alone("audit", "verify", path).code == 0

    path.write_bytes(path.read_bytes().replace(b"squirrel", b"squirrol", 1))

    done = alone("audit", "verify", path)
    assert done.code == 1
    assert "does not have its digest: it was changed" in done.out
