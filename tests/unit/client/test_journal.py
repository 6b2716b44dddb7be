"""The outbox on disk: what was reported as kept is there after a crash, under the same producer and number."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest
from disks import Disk

from eunoe.client.journal import COMPACT_BYTES, Journal
from eunoe.client.lanes import Unit
from eunoe.schemas.errors import Busy, Damaged, Invalid
from eunoe.schemas.events import Prompt
from eunoe.schemas.subjects import Caller

ADA = Caller("person", "ada")


def journal(path: Path, caller: Caller = ADA) -> Journal:
    return Journal(path, "default", caller, "fresh")


def unit(text: str, pieces: tuple[bytes, ...] = ()) -> Unit:
    return Unit("k", (Prompt(content=text),), 100, pieces)


def waiting(opened: Journal, chain: str = "thread.t") -> list[str]:
    return [
        event.content
        for one in opened.restored()[chain].units.values()
        for event in one.events
        if isinstance(event, Prompt)
    ]


def test_what_was_kept_is_there_again(tmp_path: Path) -> None:
    """Units come back in order, with their pieces, and the producer of the first process."""
    first = Journal(tmp_path / "o", "default", ADA, "first")
    first.put("thread.t", [unit("a", (b"\x00\xff",)), unit("b")])
    first.close()
    second = journal(tmp_path / "o")

    assert second.producer == "first"
    assert waiting(second) == ["a", "b"]
    assert [one.pieces for one in second.restored()["thread.t"].units.values()] == [(b"\x00\xff",), ()]
    second.close()


def test_numbers_go_on_where_they_were(tmp_path: Path) -> None:
    """Two units done and one refused: the next append is number 3."""
    first = journal(tmp_path / "o")
    units = [unit(text) for text in "abcd"]
    first.put("thread.t", units)
    first.strike(units[0], "done")
    first.strike(units[1], "refused")
    first.strike(units[2], "done")
    first.close()
    second = journal(tmp_path / "o")

    assert second.restored()["thread.t"].n == 3
    assert waiting(second) == ["d"]
    second.close()


def test_a_line_that_a_crash_cut_is_dropped(tmp_path: Path) -> None:
    """It was never reported as kept; what is put afterwards begins on a line of its own."""
    first = journal(tmp_path / "o")
    first.put("thread.t", [unit("a")])
    first.close()
    with (tmp_path / "o").open("ab") as file:
        file.write(b'{"put":2,"chain":"thr')
    second = journal(tmp_path / "o")
    second.put("thread.t", [unit("b")])
    second.close()
    third = journal(tmp_path / "o")

    assert waiting(third) == ["a", "b"]
    third.close()


def test_a_changed_line_is_damage(tmp_path: Path) -> None:
    """A whole line that is no line of an outbox is named, not skipped."""
    journal(tmp_path / "o").close()
    with (tmp_path / "o").open("ab") as file:
        file.write(b'{"silly":1}\n')

    with pytest.raises(Damaged, match="line 2 of the outbox"):
        journal(tmp_path / "o")


def test_an_outbox_is_held_by_one_process(tmp_path: Path) -> None:
    """A second opening is refused while the first is open."""
    first = journal(tmp_path / "o")

    with pytest.raises(Invalid, match="used by another process"):
        journal(tmp_path / "o")
    first.close()
    journal(tmp_path / "o").close()


def test_an_outbox_belongs_to_one_caller(tmp_path: Path) -> None:
    """Its events are not sent in another's name."""
    journal(tmp_path / "o").close()

    with pytest.raises(Invalid, match="belongs to default/person/ada"):
        journal(tmp_path / "o", Caller("agent", "builder"))


def test_a_renewed_producer_counts_from_one(tmp_path: Path) -> None:
    """After a producer that cannot go on, a chain's numbers begin again."""
    first = journal(tmp_path / "o")
    one, two = unit("a"), unit("b")
    first.put("thread.t", [one, two])
    first.strike(one, "done")
    first.renew("thread.t", "second")
    first.close()
    second = journal(tmp_path / "o")
    kept = second.restored()["thread.t"]

    assert (kept.producer, kept.n) == ("second", 1)
    second.close()


def test_a_large_file_that_holds_nothing_begins_again(tmp_path: Path) -> None:
    """Only how far each chain is stays of it."""
    first = journal(tmp_path / "o")
    big = unit("a", (b"x" * COMPACT_BYTES,))
    first.put("thread.t", [big])
    assert (tmp_path / "o").stat().st_size > len(base64.b64encode(b"x" * COMPACT_BYTES))
    first.strike(big, "done")
    first.put("thread.t", [unit("b")])
    first.close()
    second = journal(tmp_path / "o")

    assert (tmp_path / "o").stat().st_size < 1_000
    assert second.restored()["thread.t"].n == 2
    assert waiting(second) == ["b"]
    second.close()


def test_what_was_delivered_does_not_stay_in_a_file_that_is_let_go(tmp_path: Path) -> None:
    """Not even of a small one: it may be erased from the store; the numbers go on all the same."""
    first = journal(tmp_path / "o")
    said = unit("a secret")
    first.put("thread.t", [said])
    first.strike(said, "done")
    first.close()
    second = journal(tmp_path / "o")

    assert b"a secret" not in (tmp_path / "o").read_bytes()
    assert second.restored()["thread.t"].n == 2
    second.close()


@pytest.mark.parametrize(
    "line", [b'{"done":7}', b'{"refused":7}', b'{"done":"x"}', b'{"base":"thread.t","n":"x","producer":"p"}']
)
def test_a_line_about_what_is_not_kept_is_damage(tmp_path: Path, line: bytes) -> None:
    """The file is named, and the way out."""
    journal(tmp_path / "o").close()
    with (tmp_path / "o").open("ab") as file:
        file.write(line + b"\n")

    with pytest.raises(Damaged, match=f"line 2 of the outbox {tmp_path}/o .* put the file away"):
        journal(tmp_path / "o")


def test_a_first_line_that_a_crash_cut_is_written_again(tmp_path: Path) -> None:
    """Else the file would belong to nobody, and its numbers be another producer's at each start."""
    (tmp_path / "o").write_bytes(b'{"eunoe_out')
    first = Journal(tmp_path / "o", "default", ADA, "first")
    first.put("thread.t", [unit("a")])
    first.close()
    second = journal(tmp_path / "o")

    assert (second.producer, waiting(second)) == ("first", ["a"])
    second.close()


def test_a_full_disk_keeps_nothing_and_says_so(tmp_path: Path, disk: Disk) -> None:
    """Half a line is cut off; when there is room again, all goes on."""
    first = journal(tmp_path / "o")
    first.put("thread.t", [unit("a")])
    disk.full = True
    with pytest.raises(Busy, match=f"the outbox {tmp_path}/o cannot be written: No space left"):
        first.put("thread.t", [unit("b"), unit("c")])
    disk.full = False
    first.put("thread.t", [unit("d")])

    assert waiting(first) == ["a", "d"]
    first.close()
    second = journal(tmp_path / "o")
    assert waiting(second) == ["a", "d"]
    second.close()


def test_what_left_while_the_disk_was_full_is_written_before_anything_else(tmp_path: Path, disk: Disk) -> None:
    """One done, one refused, one done: the next append is number 3, whenever it is written."""
    first = journal(tmp_path / "o")
    units = [unit(text) for text in "abcd"]
    first.put("thread.t", units)
    disk.full = True
    for one, how in zip(units, ("done", "refused", "done"), strict=False):
        first.strike(one, how)
    with pytest.raises(Busy):
        first.sync()
    disk.full = False
    first.put("thread.t", [unit("e")])
    first.close()
    second = journal(tmp_path / "o")

    assert (second.restored()["thread.t"].n, waiting(second)) == (3, ["d", "e"])
    second.close()


def test_a_large_file_stays_as_it_is_where_there_is_no_room_for_another(tmp_path: Path) -> None:
    """It is tried again later, and nothing is lost."""
    first = journal(tmp_path / "o")
    big = unit("a", (b"x" * COMPACT_BYTES,))
    first.put("thread.t", [big])
    (tmp_path / "o.new").mkdir()
    first.strike(big, "done")
    first.close()
    second = journal(tmp_path / "o")

    assert second.restored()["thread.t"].n == 2
    second.close()


def test_only_their_owner_reads_an_outbox_and_its_lock(tmp_path: Path) -> None:
    """They hold whole conversations, whatever the umask lets others read; so does what is begun again."""
    before = os.umask(0)
    try:
        opened = journal(tmp_path / "o")
        big = unit("a", (b"x" * COMPACT_BYTES,))
        opened.put("thread.t", [big])
        modes = {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
        opened.strike(big, "done")
        modes |= {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
        opened.close()
    finally:
        os.umask(before)

    assert modes == {0o600}


def test_a_place_that_cannot_hold_an_outbox_is_said(tmp_path: Path) -> None:
    """A folder of that name."""
    (tmp_path / "o").mkdir()

    with pytest.raises(Invalid, match=f"the outbox {tmp_path}/o cannot be used: Is a directory"):
        journal(tmp_path / "o")
