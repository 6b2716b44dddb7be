"""What counts as an attempt of a piece of work, and what is only waited for: outages, and providers without room."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
import anyio.lowlevel
import pytest
from distilling_desks import Scripted

from eunoe.distillation import outage, room, trying
from eunoe.distillation.outage import Outage
from eunoe.distillation.trying import tried
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, ModelFailed
from eunoe.testing import ManualClock

pytestmark = pytest.mark.anyio
FULL = ModelFailed("slow down", reason="rate_limited")


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each wait for room; none of them takes any time, nor does another wait."""
    found: list[float] = []

    async def pause(seconds: float, stopping: anyio.Event) -> None:
        found.append(seconds)
        if stopping.is_set():
            raise Busy("it stops")

    monkeypatch.setattr(room, "pause", pause)
    monkeypatch.setattr("eunoe.distillation.room.random.random", lambda: 0.0)
    monkeypatch.setattr(trying, "backoff", lambda *_, **__: 0.0)
    monkeypatch.setattr(outage, "waits", lambda: iter([0.0] * 1_000))
    return found


def failing(*errors: Exception) -> Callable[[], Awaitable[None]]:
    """Work that fails so, time after time, and then is done."""
    left = list(errors)

    async def work() -> None:
        if left:
            raise left.pop(0)

    return work


async def outcome(model: Scripted, *errors: Exception, stopping: anyio.Event | None = None) -> tuple[int, int]:
    """How many attempts were told of, and how many the work ended after; 0 where it is done."""
    told: list[int] = []
    stop = stopping or anyio.Event()
    waits = Outage(model.probe, ManualClock(1), stop)
    failure = await tried(failing(*errors), lambda count, _: told.append(count), waits, stop)
    return len(told), failure[0] if failure else 0


async def test_what_is_too_much_just_now_is_no_attempt(waited: list[float]) -> None:
    """A provider that answers a small question and refuses this one nine times: each wait is longer, up to a minute."""
    assert await outcome(Scripted(), *[FULL] * 9) == (0, 0)
    assert waited == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


async def test_each_wait_after_a_bad_answer_is_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is bad for a moment is given half a minute; what else fails is tried again sooner."""
    waits: list[float] = []

    async def pause(seconds: float, stopping: anyio.Event) -> None:
        waits.append(seconds)

    monkeypatch.setattr(trying, "pause", pause)
    monkeypatch.setattr("eunoe.distillation.trying.random.random", lambda: 0.0)
    bad = ModelFailed("I would rather not", reason="unreadable")

    assert await outcome(Scripted(), *[bad] * 5) == (5, 5)
    assert await outcome(Scripted(), *[ValueError("no")] * 5) == (5, 5)

    assert waits == [2.0, 4.0, 8.0, 16.0, 0.25, 0.5, 1.0, 2.0]


async def test_the_log_says_when_an_outage_has_another_reason_and_when_it_ends(
    waited: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    """Each reason once, however often the model is asked; and so does whoever asks what work waits for."""
    answers = ["unreachable", "unreachable", "rejected", "rejected", ""]
    said: list[str] = []

    async def probe() -> None:
        said.append(gone.said())
        if reason := answers.pop(0):
            raise ModelFailed(f"it is {reason}", reason=reason)

    gone = Outage(probe, ManualClock(1), anyio.Event(), "openai:x")
    assert await gone.waited(ModelFailed("no route", reason="unreachable"))

    assert caplog.messages == [
        "waiting for the model: it is unreachable",
        "still waiting for the model, as now it is rejected",
        "the model answers again, and work goes on",
    ]
    reached, taken = "the model openai:x cannot be reached", "the model openai:x takes no request"
    assert [*said, gone.said()] == ["", reached, reached, taken, taken, ""]


async def test_what_waits_for_room_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as it waits."""
    said: list[str] = []
    gone = Outage(Scripted().probe, ManualClock(1), anyio.Event(), "openai:x")

    async def pause(seconds: float, stopping: anyio.Event) -> None:
        said.append(gone.said())

    monkeypatch.setattr(room, "pause", pause)

    assert await room.Room(anyio.Event(), gone).waited(FULL)
    assert [*said, gone.said()] == ["the model openai:x has no room for a request", ""]


async def test_what_never_fits_fails_in_the_end(waited: list[float]) -> None:
    """After a quarter of an hour each refusal is an attempt."""
    refused = [FULL] * (limits.REFUSALS + limits.ATTEMPTS)
    assert await outcome(Scripted(), *refused) == (limits.ATTEMPTS, limits.ATTEMPTS)
    assert len(waited) == limits.REFUSALS
    assert 12 * 60 < sum(waited) < 18 * 60


async def test_nobody_waits_for_room_once_the_worker_stops(waited: list[float]) -> None:
    stopping = anyio.Event()
    stopping.set()
    with pytest.raises(Busy):
        await outcome(Scripted(), FULL, stopping=stopping)


async def test_a_provider_that_rejects_everything_is_away(waited: list[float]) -> None:
    """With a key that has expired the small question is rejected too: no attempt. Where it is answered, the piece of
    work is what is rejected."""
    rejected = ModelFailed("bad key", reason="rejected")
    model = Scripted()
    model.down, probe = True, model.probe

    async def probed() -> None:
        model.down = model.probes < 5
        await probe()

    model.probe = probed  # type: ignore[method-assign]
    assert (await outcome(model, rejected), model.probes) == ((0, 0), 6)
    assert await outcome(Scripted(), *[rejected] * limits.ATTEMPTS) == (limits.ATTEMPTS, limits.ATTEMPTS)


async def test_an_outage_that_is_over_counts_for_none_that_failed_in_it(waited: list[float]) -> None:
    """Three pieces fail in one outage, and wait together: for each of them it was an outage."""
    model, stopping = Scripted(), anyio.Event()
    gone = Outage(model.probe, ManualClock(1), stopping)
    model.down = True
    found: list[bool] = []

    async def wait() -> None:
        found.append(await gone.waited(ModelFailed("no route", reason="unreachable")))

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(wait)
        while model.probes < 5:
            await anyio.lowlevel.checkpoint()
        model.down = False

    assert found == [True, True, True]
