"""Appends through the client: kept, retried, refused and cancelled, against a real audit worker in memory."""

from __future__ import annotations

from pathlib import Path

import anyio
import anyio.lowlevel
import msgspec
import pytest
from desks import AGENT, Desk
from disks import Disk
from wires import Wire

from eunoe.client.memory import Memory
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, Invalid, NumberReused, TooLarge, TurnNotOpen, WorkerMissing
from eunoe.schemas.events import Attachment, Instructions, Prompt, Response, TurnOpened
from eunoe.schemas.requests import AppendRequest


async def texts(memory: Memory, thread: str) -> list[str]:
    return [shown.content for shown in (await memory.thread(thread).entries()).entries]


async def test_an_append_returns_its_place(wire: Wire) -> None:
    """The receipt names the record, the turn and one entry number an event."""
    async with wire.memory() as memory:
        receipt = await memory.thread("t").append(TurnOpened(), Prompt(content="hello"), turn="k")

    assert (receipt.record, receipt.turn, receipt.entries, receipt.duplicate) == (1, 1, (0, 1), False)


async def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_bytes(wire: Wire) -> None:
    """The append was done; sending it again finds that out and adds nothing."""
    wire.faults = ["deaf"]
    async with wire.memory() as memory:
        receipt = await memory.thread("t").append(TurnOpened(), Prompt(content="hello"), turn="k")

        assert receipt.duplicate
        assert await texts(memory, "t") == ["hello"]
    assert wire.appends[0] == wire.appends[1]


async def test_a_request_that_was_lost_is_sent_again(wire: Wire) -> None:
    """Nothing was done the first two times; the third is the append."""
    wire.faults = ["lost", "lost"]
    async with wire.memory() as memory:
        receipt = await memory.thread("t").append(TurnOpened(), Prompt(content="hello"), turn="k")

    assert (receipt.record, receipt.duplicate) == (1, False)


async def test_a_missing_worker_is_said_at_once_and_the_events_are_delivered_later(wire: Wire) -> None:
    """The caller learns which worker is missing; the events go in, once, when it is there."""
    wire.down = True
    async with wire.memory() as memory:
        with pytest.raises(WorkerMissing, match="no worker serves append") as raised:
            await memory.thread("t").append(TurnOpened(), Prompt(content="hello"), turn="k")
        wire.down = False

        assert raised.value.detail["kept"] is True
        assert await memory.flush() == 0
        assert await texts(memory, "t") == ["hello"]


async def test_a_client_that_keeps_gets_a_receipt_that_says_so(wire: Wire) -> None:
    """With ``keep`` an append that waits is no error: its receipt has no place yet."""
    wire.down = True
    async with wire.memory(keep=True) as memory:
        receipt = await memory.thread("t").append(TurnOpened(), Prompt(content="hello"), turn="k")
        wire.down = False

    assert (receipt.kept, receipt.position) == (True, 0)


async def test_events_that_nobody_took_are_said_when_the_client_closes(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an outbox on disk, closing does not hide that events are lost."""
    monkeypatch.setattr("eunoe.client.memory.CLOSE_SECONDS", 0.0)
    wire.down = True
    with pytest.raises(WorkerMissing, match="2 events were not delivered"):
        async with wire.memory(keep=True) as memory:
            await memory.thread("t").append(TurnOpened(), Prompt(content="hello"), turn="k")


async def test_a_full_outbox_is_busy(wire: Wire) -> None:
    """10,000 events are kept; one more is refused, and goes in when there is room."""
    wire.down = True
    async with wire.memory(keep=True) as memory:
        thread = memory.thread("t")
        await thread.append(TurnOpened(), *(Prompt() for _ in range(limits.OUTBOX_EVENTS - 1)), turn="k")
        with pytest.raises(Busy, match="10000 events"):
            await thread.append(Prompt(content="one more"), turn="k")
        wire.down = False

        assert await memory.flush() == 0
        assert (await thread.append(Prompt(content="one more"), turn="k")).entries == (limits.OUTBOX_EVENTS,)


async def test_who_is_refused_and_tries_again_at_once_lets_others_go_on(wire: Wire) -> None:
    """A program that asks a full outbox again and again keeps its own event loop, and so the outbox, at work."""
    wire.down = True
    async with wire.memory(keep=True) as memory, anyio.create_task_group() as tasks:
        thread, other = memory.thread("t"), anyio.Event()
        await thread.append(TurnOpened(), *(Prompt() for _ in range(limits.OUTBOX_EVENTS - 1)), turn="k")
        tasks.start_soon(_set, other)
        for _ in range(3):
            with pytest.raises(Busy, match="10000 events"):
                await thread.append(Prompt(content="one more"), turn="k")
        wire.down = False

        assert other.is_set()


async def _set(event: anyio.Event) -> None:
    event.set()


async def test_a_refusal_reaches_the_append_that_caused_it(wire: Wire) -> None:
    """Two appends that were sent together: the one to a turn that is not open fails, the other goes in."""
    wire.hold = anyio.Event()
    outcomes: dict[str, object] = {}

    async with wire.memory() as memory:
        thread = memory.thread("t")

        async def append(name: str, *events: TurnOpened | Prompt | Response) -> None:
            try:
                outcomes[name] = (await thread.append(*events, turn="k")).record
            except TurnNotOpen as error:
                outcomes[name] = error.detail["state"]

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(append, "first", Prompt(content="no turn"))
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(append, "second", TurnOpened(), Prompt(content="a turn"))
            tasks.start_soon(append, "third", Response(content="yes"))
            await anyio.wait_all_tasks_blocked()
            wire.hold.set()

        assert outcomes == {"first": "unknown", "second": 1, "third": 1}
        assert await texts(memory, "t") == ["a turn", "yes"]


async def test_a_cancelled_caller_disturbs_nobody(wire: Wire) -> None:
    """Forty-nine of fifty callers get their receipts, and the cancelled one's events are in the log as well."""
    wire.hold = anyio.Event()
    receipts: list[int] = []

    async with wire.memory() as memory:

        async def append(number: int) -> None:
            thread = memory.thread(f"t{number % 5}")
            receipt = await thread.append(TurnOpened(), Prompt(content=str(number)), turn=f"k{number}")
            receipts.append(receipt.record)

        async with anyio.create_task_group() as tasks:
            for number in range(49):
                tasks.start_soon(append, number)
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as doomed:
                    doomed.start_soon(append, 49)
                    await anyio.wait_all_tasks_blocked()
                    scope.cancel()
            wire.hold.set()
        await memory.flush()

        assert len(receipts) == 49
        assert "49" in await texts(memory, "t4")


async def test_large_content_goes_in_pieces_before_its_record(wire: Wire) -> None:
    """600,000 bytes are three pieces; the entry is read back whole."""
    async with wire.memory() as memory:
        thread = memory.thread("t")
        await thread.append(TurnOpened(), Prompt(content="ab" * 300_000), turn="k")

        assert (await thread.show(1)).content == "ab" * 300_000
    assert wire.verbs[:4] == ["piece", "piece", "piece", "append"]


async def test_content_over_the_limit_is_refused(wire: Wire) -> None:
    """64 MiB are the most; nothing is sent."""
    async with wire.memory() as memory:
        with pytest.raises(TooLarge, match="64 MiB"):
            await memory.thread("t").append(TurnOpened(), Prompt(content="a" * (limits.CONTENT_BYTES + 1)), turn="k")
    assert wire.verbs == []


async def test_half_of_a_surrogate_pair_is_refused(wire: Wire) -> None:
    """Text that UTF-8 cannot hold is an error of the caller, in one line."""
    async with wire.memory() as memory:
        with pytest.raises(Invalid, match="surrogate"):
            await memory.thread("t").append(TurnOpened(), Prompt(content="a\ud800"), turn="k")


async def test_an_append_of_many_events_is_split(wire: Wire) -> None:
    """2,500 events are three records; the receipt counts all of them."""
    async with wire.memory() as memory:
        receipt = await memory.thread("t").append(
            TurnOpened(), *(Prompt(content=str(number)) for number in range(2_499)), turn="k"
        )

    assert receipt.record == 3
    assert receipt.entries == (0, *range(1, 2_500))


async def test_an_outbox_on_disk_survives_its_process(wire: Wire, desk: Desk, tmp_path: Path) -> None:
    """What one client kept, the next one delivers, once, though the first one's append was done and its answer lost."""
    path = tmp_path / "outbox"
    wire.faults = ["deaf"]
    async with anyio.create_task_group() as tasks:

        async def first() -> None:
            async with wire.memory(AGENT, outbox=path, keep=True) as memory:
                memory.patience = 0.0
                await memory.thread("t").append(TurnOpened(), Prompt(content="one"), turn="k")
                await memory.thread("t").append(Response(content="two"), turn="k")
                wire.down = True
                tasks.cancel_scope.cancel()
                await anyio.sleep_forever()

        tasks.start_soon(first)

    wire.down = False
    async with wire.memory(AGENT, outbox=path) as memory:
        assert await memory.flush() == 0
        assert await texts(memory, "t") == ["one", "two"]


async def test_a_producer_that_cannot_go_on_is_renewed(wire: Wire, tmp_path: Path) -> None:
    """An outbox file that was put back from a copy: its number holds other bytes, which is said; then all goes on."""
    path = tmp_path / "outbox"
    async with wire.memory(outbox=path, keep=False) as memory:
        copy = path.read_bytes()
        await memory.thread("t").append(TurnOpened(), Prompt(content="one"), turn="k")
    path.write_bytes(copy)
    async with wire.memory(outbox=path, keep=False) as memory:
        with pytest.raises(NumberReused):
            await memory.thread("t").append(Response(content="two"), turn="k")

        assert (await memory.thread("t").append(Response(content="three"), turn="k")).record == 2
        assert await texts(memory, "t") == ["one", "three"]


async def test_a_loss_of_power_after_a_refusal_doubles_nothing(wire: Wire, disk: Disk, tmp_path: Path) -> None:
    """The number of what was refused went to the next append; that is on disk before it is sent."""
    path = tmp_path / "outbox"
    wire.down = True
    async with wire.memory(outbox=path, keep=True) as memory:
        await memory.thread("t").append(Prompt(content="late"), turn="closed")
        await memory.thread("t").append(Instructions(content="two"))
        wire.down = False
        await memory.flush()
        assert await texts(memory, "t") == ["two"]
    disk.lose_power(path)
    async with wire.memory(outbox=path) as memory:
        await memory.flush()

        assert await texts(memory, "t") == ["two"]


async def test_a_full_disk_under_the_outbox_ends_no_client(wire: Wire, disk: Disk, tmp_path: Path) -> None:
    """An append is busy; one that is refused holds back those behind it until the disk has room."""
    async with wire.memory(outbox=tmp_path / "outbox", keep=False) as memory:
        thread = memory.thread("t")
        await thread.append(Instructions(content="one"))
        wire.hold = anyio.Event()
        async with anyio.create_task_group() as tasks:

            async def refused() -> None:
                with pytest.raises(TurnNotOpen):
                    await thread.append(Prompt(content="late"), turn="closed")

            tasks.start_soon(refused)
            while wire.verbs.count("append") < 2:
                await anyio.lowlevel.checkpoint()
            tasks.start_soon(thread.append, Instructions(content="two"))
            while memory.statistics()["waiting"] < 2:
                await anyio.lowlevel.checkpoint()
            disk.full = True
            wire.hold.set()
            with pytest.raises(Busy, match="cannot be written"):
                await thread.append(Instructions(content="three"))
            disk.full = False

        assert await texts(memory, "t") == ["one", "two"]


async def test_an_outbox_forgets_chains_that_are_done(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past its bound it goes on in a forgotten chain as another producer, and nothing is lost."""
    monkeypatch.setattr("eunoe.client.outbox.LANES", 2)
    async with wire.memory() as memory:
        for name in "abcabc":
            async with memory.thread(name).turn(f"for {name}"):
                pass

        assert memory.statistics()["chains"] == 2
        assert await texts(memory, "a") == ["for a", "for a"]


async def test_large_content_fills_the_outbox_too(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes are bounded as events are."""
    monkeypatch.setattr(limits, "OUTBOX_BYTES", 1_000_000)
    wire.down = True
    async with wire.memory(keep=True) as memory:
        await memory.thread("t").append(TurnOpened(), Prompt(content="a" * 600_000), turn="k")
        with pytest.raises(Busy, match="KiB"):
            await memory.thread("t").append(Prompt(content="a" * 600_000), turn="k")
        wire.down = False


async def test_a_failure_of_the_program_does_not_lose_what_waits(wire: Wire) -> None:
    """An exception leaves the client only when what was kept is delivered, or two seconds have gone."""
    wire.faults = ["missing"]

    async def program() -> None:
        async with wire.memory(keep=True) as memory:
            await memory.thread("t").append(TurnOpened(), Prompt(content="before"), turn="k")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await program()
    async with wire.memory() as memory:
        assert await texts(memory, "t") == ["before"]


async def test_what_does_not_fit_beside_the_content_is_said(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    """An attachment of 300,000 bytes keeps its size and digest, and the log says so."""
    big = Attachment(media_type="image/png", size=300_000, digest="d", data="A" * 400_000)
    async with wire.memory() as memory:
        await memory.thread("t").append(TurnOpened(), Prompt(content="look", attachments=(big,)), turn="k")

    assert [record.message for record in caplog.records] == [
        "attachments over 256 KiB are kept by their size and digest only"
    ]


async def test_a_producer_that_the_chain_forgot_goes_on_as_another(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain remembers its newest producers; one that wrote long ago and writes again loses and doubles nothing."""
    monkeypatch.setattr(limits, "PRODUCERS_IN_HEAD", 2)
    monkeypatch.setattr(limits, "PRODUCERS_IN_STATE", 3)
    async with wire.memory() as memory:
        thread = memory.thread("t")
        await thread.append(Instructions(content="first"))
        for number in range(5):
            await wire.desk.append(1, Instructions(content="more"), turn="", producer=f"p{number}")
            await wire.desk.fold_state()

        receipt = await thread.append(Instructions(content="last"))

    assert receipt.entries == (7,)
    assert [number for _, number in producers(wire)] == [1, 2, 1]
    assert len({producer for producer, _ in producers(wire)}) == 2


def producers(wire: Wire) -> list[tuple[str, int]]:
    """Producer and number of every append that was sent."""
    sent = [msgspec.json.decode(data, type=AppendRequest) for _, data in wire.appends]
    return [(request.producer, request.n) for request in sent]
