"""Anchors name every head, whatever is appended while they are written, and a damaged file stops nobody."""

from __future__ import annotations

import anyio
import pytest
from desks import Desk, whole_turn

from eunoe.audit.anchors import KnownHeads, load_anchors
from eunoe.schemas.errors import Busy
from eunoe.schemas.requests import AppendReply


def folded(desk: Desk) -> KnownHeads:
    """What the kept anchors say together; each follows from the one before."""
    heads = KnownHeads()
    for anchor in load_anchors(desk.settings.anchors_path):
        assert heads.add(anchor)
    return heads


async def test_a_thousand_records_are_anchored_while_more_are_appended(desk: Desk) -> None:
    """Twenty threads append at once, over two anchors; at the end every head is named."""
    last: dict[str, AppendReply] = {}

    async def speak(thread: str) -> None:
        for n in range(1, 111):
            last[thread] = await desk.append(n, *whole_turn(f"{n}"), turn=f"k{n}", thread=thread)

    async with anyio.create_task_group() as anchoring:
        anchoring.start_soon(desk.worker.run)
        async with anyio.create_task_group() as tasks:
            for index in range(20):
                tasks.start_soon(speak, f"t{index}")
        anchoring.cancel_scope.cancel()
    await desk.worker.drain()

    heads = folded(desk)
    assert heads.last == 2200
    assert {chain: mark.hash for chain, mark in heads.heads.items()} == {
        f"thread.{thread}": reply.hash for thread, reply in last.items()
    }


async def test_what_is_told_while_an_anchor_is_written_belongs_to_the_next(desk: Desk) -> None:
    """An append between the reading of the heads and the end of the write is not lost from the file."""
    await desk.append(1, *whole_turn("one"), turn="a", thread="x")
    await desk.worker.anchor()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.worker.anchor)
        for n in range(1, 30):
            await desk.append(n, *whole_turn(f"{n}"), turn=f"k{n}", thread="y")
    await desk.worker.drain()

    assert folded(desk).heads["thread.y"].record == 29


async def test_only_one_worker_of_a_machine_keeps_the_file(desk: Desk) -> None:
    """The second is busy while the first has it, and takes it when the first has drained."""
    await desk.append(1, *whole_turn("one"))
    await desk.worker.anchor()
    other = desk.new_worker()

    with pytest.raises(Busy, match="another audit worker keeps"):
        await other.anchor()
    await desk.worker.drain()

    assert (await other.anchor()).last == 1
    await other.drain()


async def test_a_damaged_file_keeps_nobody_from_appending(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """It is told with the way out, the file stays as it is, and the worker goes on."""
    desk.settings.anchors_path.write_bytes(b"nonsense\n")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.worker.run)
        with anyio.fail_after(10):
            while "move it away to begin a new one" not in caplog.text:
                await anyio.lowlevel.checkpoint()
        assert (await desk.append(1, *whole_turn("one"))).record == 1
        tasks.cancel_scope.cancel()
    await desk.worker.drain()

    assert desk.settings.anchors_path.read_bytes() == b"nonsense\n"
