"""Tampering is named, each with what is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from desks import AGENT, NOON, Desk, whole_turn
from msgspec.structs import replace

from eunoe.audit.anchors import Anchor, KnownHeads, Receipt, append_line, load_anchors
from eunoe.audit.export import export, verify_export
from eunoe.audit.verify import Rooted, Verdict, Verifier, describe
from eunoe.runtime.doors import Stored
from eunoe.schemas import blobs, records, subjects
from eunoe.schemas.errors import Damaged, Invalid, NewerSchema
from eunoe.schemas.events import Prompt, Response, TurnCommitted, TurnOpened
from eunoe.schemas.subjects import Address


async def fill(desk: Desk, threads: int = 2, turns: int = 5) -> None:
    for thread in range(threads):
        for n in range(1, turns + 1):
            await desk.append(n, *whole_turn(f"say {n}"), turn=f"k{n}", thread=f"t{thread}")


async def check(desk: Desk, *, anchored: bool = True, receipts: tuple[Receipt, ...] = ()) -> Verdict:
    verifier = Verifier()
    anchors = load_anchors(desk.settings.anchors_path) if anchored else []
    verifier.expect(anchors, receipts)
    async for stored in desk.store.log.scan():
        verifier.feed(stored)
    verifier.gaps((await desk.store.log.info(gaps=True)).gaps)
    return verifier.verdict()


async def rooted(desk: Desk, anchors: list[Anchor], root: str) -> Verdict:
    verifier = Verifier()
    verifier.expect(anchors, root=root)
    async for stored in desk.store.log.scan():
        verifier.feed(stored)
    return verifier.verdict()


def lines(verdict: Verdict) -> list[str]:
    return [describe(problem) for problem in verdict.problems]


async def test_an_untouched_log_verifies_and_says_what_was_checked(desk: Desk) -> None:
    """Two threads of five turns: ten records, forty events."""
    await fill(desk)
    await desk.worker.drain()

    verdict = await check(desk)

    assert verdict.fine
    assert (verdict.chains, verdict.records, verdict.events, verdict.anchors) == (2, 10, 40, 1)


async def test_a_record_published_again_with_one_byte_changed_is_named(desk: Desk) -> None:
    """A forged copy comes a second time, and its event does not have its digest."""
    await fill(desk)
    stored = (await desk.store.log.get([3]))[0]
    assert stored is not None
    await desk.store.log.append(stored.subject, stored.data.replace(b"say 3", b"say 8"))

    assert lines(await check(desk)) == [
        "thread t0, record 3 (position 11): event 2 does not have its digest: it was changed",
        "thread t0 (position 11): record 3 comes a second time, after record 5",
    ]


async def test_a_kept_root_says_what_it_covers(desk: Desk) -> None:
    """Of two anchors the first is meant: its time, and the end of the log then."""
    await fill(desk, turns=2)
    await desk.worker.drain()
    (first,) = load_anchors(desk.settings.anchors_path)
    await desk.append(3, *whole_turn("say 3"), turn="k3", thread="t0")
    await desk.worker.drain()

    verdict = await rooted(desk, load_anchors(desk.settings.anchors_path), first.root)

    assert verdict.fine
    assert verdict.anchors == 2
    assert verdict.rooted == Rooted(root=first.root, time=first.time, last=4)


async def test_a_root_that_no_anchor_has_is_a_problem(desk: Desk) -> None:
    """The anchors were rewritten as a whole, or are others."""
    await fill(desk)
    await desk.worker.drain()

    assert lines(await rooted(desk, load_anchors(desk.settings.anchors_path), "a" * 64)) == [
        f"log: no anchor kept here has the root {'a' * 64}: the anchors were rewritten, or it is of another store"
    ]


async def test_a_root_is_not_met_by_anchors_that_were_rewritten_behind_it(desk: Desk, tmp_path: Path) -> None:
    """A log rewritten with an anchor added for it: only what led to the root tells, thread by thread."""
    await fill(desk, threads=1)
    await desk.worker.drain()
    (honest,) = load_anchors(desk.settings.anchors_path)
    forged = Desk(tmp_path / "forged")
    for n in range(1, 6):
        await forged.append(n, *whole_turn(f"lie {n}"), turn=f"k{n}", thread="t0")
    await forged.worker.drain()
    (lie,) = load_anchors(forged.settings.anchors_path)
    known = KnownHeads()
    known.add(honest)
    known.heads.update(lie.heads)
    known.last = lie.last
    anchors = [honest, known.anchor(lie.time + 1, lie.heads)]

    verdict = await rooted(forged, anchors, honest.root)

    assert [line.split(" that ")[0] for line in lines(verdict)] == ["thread t0, record 5: it does not have the hash"]


async def test_a_removed_record_in_the_middle_is_named(desk: Desk) -> None:
    """The next record does not follow; the log's own gap is named too."""
    await fill(desk)
    await desk.store.log.erase(3)

    assert lines(await check(desk)) == [
        "thread t0: record 3 is missing",
        "log: position 3 of the log held a record that is gone",
    ]


async def test_a_removed_last_record_is_named_by_the_anchor_and_by_a_receipt(desk: Desk) -> None:
    """A chain cannot show a lost tail; what stands outside the store does."""
    await fill(desk)
    reply = await desk.append(6, *whole_turn("last"), turn="k6", thread="t1")
    receipt = Receipt(chain="thread.t1", record=6, position=reply.position, hash=reply.hash)
    await desk.worker.drain()
    await desk.store.log.erase(11)

    assert "thread t1: ends at 5, the anchor of 2026-01-01 12:00:00Z says 6" in lines(await check(desk))
    assert "thread t1: ends at 5, a client's receipt says 6" in lines(
        await check(desk, anchored=False, receipts=(receipt,))
    )


async def test_a_removed_thread_is_named_with_what_it_had(desk: Desk) -> None:
    """Nothing of it is left in the store but gaps."""
    await fill(desk)
    await desk.worker.drain()
    for position in range(6, 11):
        await desk.store.log.erase(position)

    assert lines(await check(desk)) == [
        "log: positions 6 to 10 of the log held a record that is gone",
        "thread t1: it is missing whole: the anchor of 2026-01-01 12:00:00Z says it had 5 records",
    ]


async def test_a_removed_beginning_is_named(desk: Desk) -> None:
    """Without an anchor or a receipt too: a log begins at position 1."""
    await fill(desk)
    for position in range(1, 6):
        await desk.store.log.erase(position)
    verifier = Verifier()
    async for stored in desk.store.log.scan():
        verifier.feed(stored)
    info = await desk.store.log.info(gaps=True)
    verifier.gaps(info.gaps, info.first)

    assert lines(verifier.verdict()) == ["log: positions 1 to 5 of the log held a record that is gone"]


async def test_a_replaced_tail_is_named(desk: Desk) -> None:
    """A record rewritten with its hashes made anew does not have the hash that the anchor kept."""
    await fill(desk, threads=1)
    await desk.worker.drain()
    stored = (await desk.store.log.get([5]))[0]
    assert stored is not None
    record = records.read(5, stored.data)
    await desk.store.log.erase(5)
    forged, _ = records.seal(msgspec.structs.replace(record.header, time=1), record.events)
    await desk.store.log.append(stored.subject, forged)

    assert lines(await check(desk))[0] == (
        "thread t0, record 5: it does not have the hash that the anchor of 2026-01-01 12:00:00Z says: it was replaced"
    )


def _other_thread(stored: Stored) -> Stored:
    return replace(stored, subject=stored.subject.replace("t0", "t9"))


def _no_salt(stored: Stored) -> Stored:
    return replace(stored, data=stored.data.replace(b'"salts":["', b'"salts":["zz'))


def _newer(stored: Stored) -> Stored:
    return replace(stored, data=stored.data.replace(b'{"header":{"v":1', b'{"header":{"v":2'))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_other_thread, "thread t9, record 2 (position 2): it belongs to thread t0: it was put here"),
        (_no_salt, "thread t0, record 2 (position 2): event 1 does not have its digest: it was changed"),
        (lambda s: replace(s, data=b"garbage"), "thread t0 (position 2): a stored message is no record"),
        (_newer, "schema version 2; this is Eunoe with version 1"),
        (
            lambda s: replace(s, data=s.data.replace(b'"role":"agent"', b'"role":"person"')),
            "thread t0, record 2 (position 2): its header does not have its hash: it was changed",
        ),
    ],
)
async def test_any_change_of_a_record_is_named(desk: Desk, change: Callable[[Stored], Stored], says: str) -> None:
    """Whatever is done to a stored record, the verdict names it."""
    await fill(desk, threads=1)
    verifier = Verifier()
    async for stored in desk.store.log.scan():
        verifier.feed(change(stored) if stored.seq == 2 else stored)

    assert any(says in line for line in lines(verifier.verdict()))


async def test_every_byte_of_a_record_counts(desk: Desk) -> None:
    """One byte changed anywhere in a stored record is noticed."""
    await fill(desk, threads=1, turns=2)
    first, second = [stored async for stored in desk.store.log.scan()]
    for at in range(len(first.data)):
        changed = first.data[:at] + bytes([first.data[at] ^ 1]) + first.data[at + 1 :]
        verifier = Verifier()
        verifier.feed(replace(first, data=changed))
        verifier.feed(second)
        assert not verifier.verdict().fine, f"byte {at} changed unnoticed"


async def exported(desk: Desk, thread: str = "") -> list[bytes]:
    return [line async for line in export(desk.store, NOON, thread)]


async def test_an_export_verifies_without_a_server_whole_or_of_one_thread(desk: Desk) -> None:
    """The file holds all that is needed."""
    await fill(desk)

    whole = verify_export(await exported(desk), Verifier())
    one = verify_export(await exported(desk, "t1"), Verifier())

    assert (whole.fine, whole.chains, whole.records) == (True, 2, 10)
    assert (one.fine, one.chains, one.records) == (True, 1, 5)


async def test_every_byte_of_an_export_s_records_counts(desk: Desk) -> None:
    """A byte changed in any line but the first is named or refused."""
    await fill(desk, threads=1, turns=2)
    good = await exported(desk)
    for number in range(1, len(good)):
        for at in range(0, len(good[number]) - 1, 7):
            line = good[number]
            bad = [*good[:number], line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :], *good[number + 1 :]]
            try:
                verdict = verify_export(bad, Verifier())
            except (Invalid, Damaged, NewerSchema):
                continue
            assert not verdict.fine, f"line {number + 1}, byte {at} changed unnoticed"


async def test_an_export_cut_short_says_so(desk: Desk) -> None:
    """The anchor is its last line."""
    await fill(desk)

    verdict = verify_export((await exported(desk))[:-1], Verifier())

    assert lines(verdict) == ["log: the export ends without its anchor: it was cut short"]


async def test_an_export_without_a_line_names_the_missing_record(desk: Desk) -> None:
    """A line taken out is a record missing."""
    await fill(desk, threads=1)
    good = await exported(desk)

    assert lines(verify_export([*good[:3], *good[4:]], Verifier()))[0] == "thread t0: record 3 is missing"
    assert "thread t0: ends at 4, the export's anchor says 5" in lines(verify_export([*good[:5], good[6]], Verifier()))


def test_what_is_no_export_is_refused_in_one_line() -> None:
    """An empty file and another file are no exports."""
    with pytest.raises(Invalid, match="no export of Eunoe"):
        verify_export([], Verifier())
    with pytest.raises(Invalid, match="no export of Eunoe"):
        verify_export([b"hello\n"], Verifier())


async def large(desk: Desk) -> None:
    """A thread with one content of three pieces, 256 KiB, 256 KiB and 88 KiB."""
    blob, pieces = blobs.split("line\n" * 120_000)
    for piece in pieces:
        await desk.worker.handlers()["piece"](Address("piece", AGENT, subjects.thread_chain("t0")), piece)
    await desk.append(1, TurnOpened(), Prompt(content="look"), Response(blob=blob), TurnCommitted(), thread="t0")


async def test_an_export_brings_large_content_and_names_a_piece_that_is_missing_or_changed(desk: Desk) -> None:
    """The pieces come before the record that names them; each counts."""
    await large(desk)
    good = await exported(desk)

    assert verify_export(good, Verifier()).fine
    assert [line[:9] for line in good] == [
        b'{"eunoe_e',
        *[b'{"piece":'] * 3,
        b'{"subject',
        b'{"anchor"',
    ]
    assert lines(verify_export([*good[:2], *good[3:]], Verifier())) == [
        "thread t0, record 1 (position 1): piece 2 of 3 of entry 2 is missing"
    ]
    changed = good[3].replace(b"bGluZ", b"bGlvZ", 1)
    assert lines(verify_export([*good[:3], changed, *good[4:]], Verifier())) == [
        "thread t0, record 1 (position 1): piece 3 of 3 of entry 2 does not have its digest: it was changed"
    ]


async def test_anchors_name_only_what_moved_and_fold_to_every_head(desk: Desk) -> None:
    """A second anchor after one append names one chain; together they name both."""
    await fill(desk)
    await desk.worker.drain()
    await desk.append(6, *whole_turn("more"), turn="k6", thread="t0")
    other = desk.new_worker()
    await other.drain()

    first, second = load_anchors(desk.settings.anchors_path)

    assert {chain: mark.record for chain, mark in first.heads.items()} == {"thread.t0": 5, "thread.t1": 5}
    assert {chain: mark.record for chain, mark in second.heads.items()} == {"thread.t0": 6}
    assert (first.last, second.last, second.chains) == (10, 11, 2)


async def test_a_changed_file_of_anchors_is_refused_and_a_cut_last_line_is_not(desk: Desk) -> None:
    """A kill in the middle of a write loses that anchor only; anything else is damage."""
    await fill(desk)
    await desk.worker.drain()
    path = desk.settings.anchors_path
    whole = path.read_bytes()

    path.write_bytes(whole + b'{"v":1,"time"')
    assert len(load_anchors(path)) == 1
    append_line(path, whole.rstrip(b"\n"))
    assert path.read_bytes() == whole + whole

    path.write_bytes(whole.replace(b'"thread.t0",5', b'"thread.t0",4').replace(b"[5,", b"[4,"))
    with pytest.raises(Damaged, match=r"line 1 of .*anchors\.jsonl does not have the root it states"):
        load_anchors(path)


def test_a_chain_s_subject_names_it() -> None:
    """The subject of a stored record gives its chain back, a thread's and a book's."""
    thread = subjects.thread_chain("a.b c")
    book = subjects.book_chain("permanent", "shared")

    assert subjects.chain_of(subjects.chain_subject("s", thread, "log")) == "thread.a=2Eb=20c"
    assert subjects.chain_of(subjects.chain_subject("s", book, "memory")) == "book.permanent.shared"
