"""The outbox on disk: what was reported as kept is there after a crash, under the same producer and number."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from eunoe.client.journal import COMPACT_BYTES, Journal
from eunoe.client.lanes import Unit
from eunoe.schemas.errors import Damaged, Invalid
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
