"""What a thread asks of the workers."""

from __future__ import annotations

import msgspec
import pytest

from eunoe.client.gate import Gate
from eunoe.client.memory import Memory, opened
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import WorkerMissing
from eunoe.schemas.requests import ComposeRequest
from eunoe.schemas.subjects import Caller


class Overheard:
    """Nobody answers; what was asked is kept."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bytes]] = []

    async def request(self, subject: str, data: bytes, *, timeout: float = limits.REQUEST_SECONDS) -> bytes:
        self.asked.append((subjects.parse_request(subject).verb, data))
        raise WorkerMissing(f"nobody answers within {timeout:g} s")


async def test_a_look_says_where_it_comes_from() -> None:
    """A thread made with a session and an agent asks for a context as from there, though no turn says so yet."""
    overheard = Overheard()
    async with opened(Memory, Gate(overheard, "default", Caller("agent", "builder"))) as memory:
        with pytest.raises(WorkerMissing):
            await memory.thread("t", agent="builder", session="s").context(prompt="What is known?")

    ((verb, data),) = overheard.asked
    request = msgspec.json.decode(data, type=ComposeRequest)
    assert (verb, request.session, request.agent, request.prompt) == ("compose", "s", "builder", "What is known?")
