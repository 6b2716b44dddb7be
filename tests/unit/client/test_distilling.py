"""Asking for a thread to be distilled until it is: what is waited for, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec
import pytest

from eunoe.client import distilling
from eunoe.client.gate import Gate
from eunoe.schemas.errors import Busy, Invalid, OutcomeUnknown
from eunoe.schemas.requests import (
    Distillation,
    DistillationsReply,
    DistillationsRequest,
    DistilReply,
    DistilRequest,
    HeadReply,
)
from eunoe.schemas.subjects import Caller

pytestmark = pytest.mark.anyio


def piece(record: int) -> Distillation:
    """What a record tells; the thirteenth left the summary as it was."""
    summary: Literal["", "kept"] = "kept" if record == 13 else ""
    return Distillation(
        kind="distilled", record=record, position=record, time=1, turns=((1, 1),), by="rules", summary=summary
    )


class Workers:
    """Answers one after the other; a thread of ten records before, and what was made of it, newest first, in pages of
    two."""

    def __init__(self, *answers: DistilReply | Exception, made: tuple[int, ...] = ()) -> None:
        self._answers = list(answers)
        self._made = made
        self.asked: list[DistilRequest] = []

    async def request(self, subject: str, data: bytes, *, timeout: float = 1.0) -> bytes:
        verb = subject.split(".")[2]
        answer: dict[str, Callable[[bytes], Any]] = {
            "head": lambda _: HeadReply(record=10),
            "distil": self._distil,
            "summarise": self._distil,
            "distillations": self._page,
        }
        return msgspec.json.encode(answer[verb](data))

    def _distil(self, data: bytes) -> DistilReply:
        self.asked.append(msgspec.json.decode(data, type=DistilRequest))
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _page(self, data: bytes) -> DistillationsReply:
        before = msgspec.json.decode(data, type=DistillationsRequest).before
        left = [record for record in self._made if not before or record < before]
        return DistillationsReply(distillations=tuple(map(piece, left[:2])), more=len(left) > 2)


def gate(workers: Workers) -> Gate:
    return Gate(workers, "default", Caller("person", "ada"))


async def test_nothing_to_do_is_answered_at_once() -> None:
    workers = Workers(DistilReply(state="nothing", up_to=4), made=(9,))

    assert await distilling.work(gate(workers), "distil", "t") == DistilReply(state="nothing", up_to=4)


async def test_it_is_asked_until_it_is_done_and_each_answer_before_that_is_told() -> None:
    """Two answers that it waits; the third finds nothing left to do, so it is done. What was made since is in the
    reply, oldest first, over all pages, and what was made before is not."""
    waiting = [DistilReply(state="waiting", up_to=up_to) for up_to in (2, 5)]
    workers = Workers(*waiting, DistilReply(state="nothing", up_to=6), made=(15, 14, 12, 11, 9, 8))
    told: list[DistilReply] = []

    reply = await distilling.work(gate(workers), "distil", "t", up_to=7, told=told.append)

    assert (reply.state, reply.up_to) == ("done", 6)
    assert [one.record for one in reply.distillations] == [11, 12, 14, 15]
    assert told == waiting
    assert [request.up_to for request in workers.asked] == [7, 7, 7]


async def test_when_the_wait_ends_what_was_made_so_far_is_said() -> None:
    workers = Workers(DistilReply(state="waiting", up_to=2), made=(11,))

    reply = await distilling.work(gate(workers), "distil", "t", seconds=0)

    assert (reply.state, [one.record for one in reply.distillations]) == ("waiting", [11])
    assert workers.asked[0].wait == 0


async def test_a_summary_that_could_not_be_updated_is_not_asked_for_until_the_wait_ends() -> None:
    """It is asked for once more while nothing is said of it, and never once it is said that it stays as it was: the
    other workers' answers would be to try again. While distilling goes on, later turns do."""
    waiting = DistilReply(state="waiting", up_to=2)

    reply = await distilling.work(gate(Workers(waiting, made=(13, 11))), "summarise", "t")

    assert (reply.state, [one.record for one in reply.distillations]) == ("waiting", [11, 13])
    distilled = await distilling.work(
        gate(Workers(waiting, DistilReply(state="done", up_to=3), made=(13,))), "distil", "t"
    )
    assert distilled.state == "done"


async def test_a_worker_that_is_busy_is_asked_again_and_told_of_when_the_wait_ends() -> None:
    """What it did meanwhile is found though it says that nothing is left to do."""
    workers = Workers(Busy(), OutcomeUnknown(), DistilReply(state="nothing", up_to=1), made=(11,))

    reply = await distilling.work(gate(workers), "distil", "t")

    assert (reply.state, [one.record for one in reply.distillations]) == ("done", [11])
    with pytest.raises(Busy):
        await distilling.work(gate(Workers(Busy())), "distil", "t", seconds=0)


@pytest.mark.parametrize(("up_to", "seconds"), [(-1, None), (0, -1.0), (0, float("nan"))])
async def test_what_cannot_be_waited_for_is_refused(up_to: int, seconds: float | None) -> None:
    with pytest.raises(Invalid, match="to distil needs a turn and seconds to wait that are not below 0"):
        await distilling.work(gate(Workers()), "distil", "t", up_to=up_to, seconds=seconds)
