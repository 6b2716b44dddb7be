"""Waiting for the end of an erasure: what is told meanwhile."""

from __future__ import annotations

import msgspec

from eunoe.cli import erase_view
from eunoe.client import erasing
from eunoe.client.gate import Gate
from eunoe.schemas.erasures import EraseReply, EraseRequest, ErasureCounts
from eunoe.schemas.subjects import Caller


class Answers:
    """Carries requests to somebody who says these things one after the other."""

    def __init__(self, *replies: EraseReply) -> None:
        self._replies = list(replies)
        self.asked: list[EraseRequest] = []

    async def request(self, subject: str, data: bytes, *, timeout: float = 0.0) -> bytes:
        self.asked.append(msgspec.json.decode(data, type=EraseRequest))
        return msgspec.json.encode(self._replies.pop(0))


def running(removed: int, waiting: str = "") -> EraseReply:
    counts = ErasureCounts(records=2_000)
    return EraseReply(state="running", counts=counts, words="thread t", removed=removed, waiting=waiting)


async def test_every_answer_before_the_last_is_told() -> None:
    """Under one id; each says how far it is."""
    done = EraseReply(state="done", counts=ErasureCounts(records=2_000), words="thread t", removed=2_000)
    answers = Answers(running(0), running(1_200), running(2_000), running(2_000, "no facts worker runs"), done)
    told: list[str] = []

    reply = await erasing.erase(
        Gate(answers, "default", Caller("person", "ada")),
        erasing.target(thread="t"),
        "asked to",
        told=lambda reply: told.append(erase_view.progress(reply)),
    )

    assert reply == done
    assert len({request.id for request in answers.asked}) == 1
    assert told == [
        "overwriting: 0 of 2,000 records",
        "overwriting: 1,200 of 2,000 records",
        "making the facts again without it",
        "waits: no facts worker runs",
    ]
