"""A log that lost its end, as a machine that loses power may, and went on otherwise: nobody shows what is not in it."""

from __future__ import annotations

from typing import Any

import pytest
from composition_desks import System, remade

from eunoe.audit.worker import AuditWorker
from eunoe.composition import left
from eunoe.composition.worker import CompositionWorker
from eunoe.schemas import limits
from eunoe.schemas.events import Instructions, Prompt, Response, TurnCommitted
from eunoe.schemas.subjects import Caller
from eunoe.testing.stream import MemoryStream

ELSEWHERE = "thread.other"


class Rewinding(System):
    """A system whose log can be put back to where it was."""

    async def said(self, word: str, turns: int, records: int = 1) -> None:
        for number in range(turns):
            key = await self.open(Prompt(content=f"{word} {number}"))
            for _ in range(records):
                await self.append(Response(content="words " * 20), key=key)
            await self.append(TurnCommitted(), key=key)

    async def elsewhere(self, records: int) -> None:
        for number in range(records):
            await self.append(Instructions(content=f"else {number}"), chain=ELSEWHERE)

    async def now(self) -> tuple[int, dict[tuple[Caller, str], int]]:
        """Where the log ends, and the numbers of those that appended."""
        return await self.last_seq(), dict(self.numbers)

    def rewind(self, end: int, numbers: dict[tuple[Caller, str], int]) -> None:
        """Lose everything after a position, and go on from there."""
        log: Any = self.store.log
        whole, left = log._log._stream, MemoryStream(self.clock)
        for at in range(1, end + 1):
            left.append(whole.messages[at].subject, whole.messages[at].data, "", None)
        log._log._stream = left
        self.numbers = dict(numbers)
        self.audit = AuditWorker(self.store, self.settings, self.clock, remade)


@pytest.mark.parametrize(
    ("turns", "before", "after"),
    [(1, 0, 0), (3, 0, 0), (5, 0, 0), (1, 9, 0), (3, 9, 0), (1, 0, 9), (3, 0, 9), (2, 1, 9), (4, 9, 9)],
)
async def test_what_the_log_lost_is_shown_by_nobody(turns: int, before: int, after: int) -> None:
    """Whether the thread is as long again as it was, shorter or longer, and what others appended meanwhile."""
    system = Rewinding()
    await system.said("kept", 3)
    then = await system.now()
    await system.said("lost", 3)
    await system.compose(prompt="next")

    system.rewind(*then)
    await system.elsewhere(before)
    await system.said("new", turns)
    await system.elsewhere(after)

    warm = await system.compose(prompt="next")
    cold = await system.compose(system.replica(), prompt="next")
    assert "lost" not in str(warm.messages)
    assert warm.messages == cold.messages


@pytest.mark.parametrize("forgotten", [False, True])
async def test_turns_that_left_are_named_by_what_the_log_has_now(
    monkeypatch: pytest.MonkeyPatch, forgotten: bool
) -> None:
    """Also where the turns that the lost log had, of the same numbers, were read for it, and the thread was forgotten
    since, as one is that takes too much room."""
    monkeypatch.setattr(limits, "BACK_RECORDS", 4)  # so that no turns are folded but those that are shown
    monkeypatch.setattr(left, "LOOKED_AT", 1)
    system = Rewinding()
    await system.said("kept", 6)
    then = await system.now()
    await shown(system, "lost", system.worker)
    read = system.replica()
    assert "lost 4" in str((await system.compose(read, prompt="next", window=512, headroom=0)).messages)
    if forgotten:
        monkeypatch.setattr(limits, "FOLDED_BYTES", 0)
        system.thread = "other"
        await system.compose(read, prompt="next")
        system.thread = "t"
        assert read.statistics()["folded_threads"] == 1

    system.rewind(*then)
    await shown(system, "new", system.replica())

    warm = await system.compose(read, prompt="next", window=512, headroom=0)
    cold = await system.compose(system.replica(), prompt="next", window=512, headroom=0)
    assert "new 4" in str(cold.messages)
    assert warm.messages == cold.messages


async def shown(system: System, word: str, worker: CompositionWorker) -> None:
    """Eight turns in contexts of a narrow window, most of which leave it."""
    for number in range(8):
        key = await system.open(Prompt(content=f"{word} {number}"))
        for _ in range(9):
            await system.append(Response(content="words " * 4), key=key)
        await system.compose(worker, key=key, store=True, window=512, headroom=0)
        await system.append(TurnCommitted(), key=key)
    await system.compose(worker, prompt="next", window=512, headroom=0)
