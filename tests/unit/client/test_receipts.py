"""The newest receipt of every chain: in memory, and on disk where there is a place for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from wires import Wire

from eunoe.client import receipts
from eunoe.client.receipts import Receipts
from eunoe.client.tickets import Receipt


def receipt(chain: str, record: int) -> Receipt:
    return Receipt(chain, position=10 * record, record=record, hash=f"{record:064}")


def test_the_newest_counts() -> None:
    """An older record that is heard of later changes nothing."""
    kept = Receipts("default")
    for record in (1, 3, 2):
        kept.add(receipt("thread.t", record))

    assert kept["thread.t"].record == 3
    assert kept.position == 30


def test_receipts_are_read_back(tmp_path: Path) -> None:
    """Of many lines, the newest of each chain; a last line cut short by a kill is left out."""
    path = tmp_path / "receipts.jsonl"
    kept = Receipts("default", path)
    for record in range(1, 4):
        kept.add(receipt("thread.a", record))
        kept.add(receipt("thread.b", record))
    kept.write()
    with path.open("ab") as file:
        file.write(b'{"chain":"thread.a","rec')

    assert sorted((one.chain, one.record, one.space) for one in receipts.read(path)) == [
        ("thread.a", 3, "default"),
        ("thread.b", 3, "default"),
    ]


def test_a_large_file_keeps_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past its bound the file is begun again with one line a chain."""
    path = tmp_path / "receipts.jsonl"
    monkeypatch.setattr(receipts, "COMPACT_BYTES", 1_000)
    monkeypatch.setattr(receipts, "EVERY_SECONDS", 0.0)
    kept = Receipts("default", path)
    for record in range(1, 101):
        kept.add(receipt("thread.a", record))

    assert path.stat().st_size < 1_500
    assert [one.record for one in receipts.read(path)] == [100]


def test_a_place_that_cannot_be_written_costs_nothing_else(tmp_path: Path) -> None:
    """The receipts stay in memory, and the log says why they are not kept."""
    kept = Receipts("default", tmp_path / "nowhere" / "receipts.jsonl")
    kept.add(receipt("thread.a", 1))

    assert kept["thread.a"].record == 1


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
