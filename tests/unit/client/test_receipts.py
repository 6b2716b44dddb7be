"""The newest receipt of every chain: in memory, and on disk where there is a place for it."""

from __future__ import annotations

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from wires import Wire

from eunoe.audit.anchors import Receipt as Receipted
from eunoe.client import receipts
from eunoe.client.receipts import Receipts
from eunoe.client.tickets import Receipt


def line(chain: str, record: int) -> bytes:
    return msgspec.json.encode(Receipted(chain=chain, record=record, position=record, hash=f"{record:064}")) + b"\n"


def receipt(chain: str, record: int) -> Receipt:
    return Receipt(chain, position=10 * record, record=record, hash=f"{record:064}")


def test_the_newest_counts() -> None:
    """An older record that is heard of later changes nothing."""
    kept = Receipts("default")
    for record in (1, 3, 2):
        kept.add(receipt("thread.t", record))

    assert kept["thread.t"].record == 3
    assert kept.position == 30


async def test_receipts_are_read_back(tmp_path: Path) -> None:
    """Of many lines, the newest of each chain; a last line cut short by a kill is left out."""
    path = tmp_path / "receipts.jsonl"
    kept = Receipts("default", path)
    for record in range(1, 4):
        kept.add(receipt("thread.a", record))
        kept.add(receipt("thread.b", record))
    await kept.write()
    with path.open("ab") as file:
        file.write(b'{"chain":"thread.a","rec')

    assert sorted((one.chain, one.record, one.space) for one in receipts.read(path)) == [
        ("thread.a", 3, "default"),
        ("thread.b", 3, "default"),
    ]


def test_a_large_file_keeps_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past its bound the file is begun again with one line a chain; what a client appends then is in the new one."""
    path = tmp_path / "receipts.jsonl"
    monkeypatch.setattr(receipts, "COMPACT_BYTES", 1_000)
    for record in range(1, 101):
        receipts.append(path, line("thread.a", record))

    assert path.stat().st_size < 1_500
    assert [one.record for one in receipts.read(path)] == [100]
    assert list(tmp_path.iterdir()) == [path]


async def test_a_place_that_cannot_be_written_costs_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The receipts stay in memory, the log says once why they are not kept, and they are when they can be."""
    path = tmp_path / "later" / "receipts.jsonl"
    kept = Receipts("default", path)
    for record in (1, 2):
        kept.add(receipt("thread.a", record))
        await kept.write()
    path.parent.mkdir()
    kept.add(receipt("thread.b", 1))
    await kept.write()

    assert kept["thread.a"].record == 2
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == [
        f"receipts are not kept now: {path}: No such file or directory"
    ]
    assert sorted((one.chain, one.record) for one in receipts.read(path)) == [("thread.a", 2), ("thread.b", 1)]


def test_a_line_that_was_cut_short_is_closed(tmp_path: Path) -> None:
    """What is appended next begins on a line of its own, and the file can be read."""
    path = tmp_path / "receipts.jsonl"
    receipts.append(path, line("thread.a", 1))
    with path.open("ab") as file:
        file.write(b'{"chain":"' + b"x" * 10_000)
    receipts.append(path, line("thread.b", 2))

    assert [(one.chain, one.record) for one in receipts.read(path)] == [("thread.a", 1), ("thread.b", 2)]
    assert path.read_bytes() == line("thread.a", 1) + line("thread.b", 2)


@pytest.mark.parametrize("bound", [10, 1_000_000])
def test_lines_that_are_no_receipts_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, bound: int
) -> None:
    """In reading and in beginning a large file again; the log says how many there were."""
    path = tmp_path / "receipts.jsonl"
    monkeypatch.setattr(receipts, "COMPACT_BYTES", bound)
    path.write_bytes(line("thread.a", 1) + b'{"chain":"thread.u","rec\n\xff\n' + line("thread.b", 1))
    receipts.append(path, line("thread.c", 1))

    assert [one.chain for one in receipts.read(path)] == ["thread.a", "thread.b", "thread.c"]
    assert {record.message for record in caplog.records} == {f"2 lines of {path} are no receipts"}


def test_who_waits_for_the_lock_of_a_file_that_was_replaced_writes_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty threads append to one file that is begun again all the time: nobody's receipt is lost."""
    path = tmp_path / "receipts.jsonl"
    monkeypatch.setattr(receipts, "COMPACT_BYTES", 100)

    def client(number: int) -> None:
        for record in range(1, 11):
            receipts.append(path, line(f"thread.t{number}", record))

    with ThreadPoolExecutor(20) as clients:
        list(clients.map(client, range(20)))

    assert sorted((one.chain, one.record) for one in receipts.read(path)) == sorted(
        (f"thread.t{number}", 10) for number in range(20)
    )


def test_only_their_owner_reads_receipts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the umask lets others read; so too when the file is begun again."""
    path = tmp_path / "receipts.jsonl"
    monkeypatch.setattr(receipts, "COMPACT_BYTES", 10)
    before = os.umask(0)
    try:
        receipts.append(path, line("thread.a", 1))
        modes = {path.stat().st_mode & 0o777}
        receipts.append(path, line("thread.a", 2))
        modes.add(path.stat().st_mode & 0o777)
    finally:
        os.umask(before)

    assert modes == {0o600}


async def test_another_process_that_holds_the_file_holds_up_nobody(wire: Wire, tmp_path: Path) -> None:
    """A client goes on while its receipts wait for the lock."""
    path = tmp_path / "receipts.jsonl"
    path.touch()
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        async with wire.memory(receipts=path) as memory:
            for text in ("one", "two"):
                async with memory.thread("t").turn(text):
                    pass
            assert receipts.read(path) == []
            fcntl.flock(file, fcntl.LOCK_UN)

    assert [one.chain for one in receipts.read(path)] == ["thread.t"]


async def test_a_client_writes_its_receipts(wire: Wire, tmp_path: Path) -> None:
    """Closing a client leaves the head of each chain that it wrote."""
    path = tmp_path / "receipts.jsonl"
    async with wire.memory(receipts=path) as memory:
        async with memory.thread("t").turn("Hi"):
            pass
        head = await memory.thread("t").head()

    assert [(one.chain, one.record, one.position, one.hash) for one in receipts.read(path)] == [
        ("thread.t", head.record, head.position, head.hash)
    ]
