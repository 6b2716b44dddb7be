"""What a worker does while the server, or another worker, is away."""

from __future__ import annotations

import pytest

from eunoe.runtime.backoff import answer_within
from eunoe.runtime.lasting import lasting
from eunoe.schemas.errors import Damaged, EunoeError, OutcomeUnknown, Unreachable, WorkerMissing


@pytest.mark.parametrize("away", [Unreachable, OutcomeUnknown, WorkerMissing])
async def test_what_passes_by_itself_is_tried_again(away: type[EunoeError]) -> None:
    """It is begun anew after each such failure, until it comes to its end."""
    failures = [away(), away()]
    ends: list[bool] = []

    async def attempt() -> None:
        if failures:
            raise failures.pop()
        ends.append(True)

    await lasting("it waits", attempt)

    assert ends == [True]


async def test_what_does_not_pass_is_raised() -> None:
    """A store that is damaged is nothing to wait for."""

    async def attempt() -> None:
        raise Damaged

    with pytest.raises(Damaged):
        await lasting("it waits", attempt)


def test_an_answer_is_waited_for_longer_each_time() -> None:
    """2, 4 and 8 seconds, and never more than the 10 of any request."""
    assert [answer_within(attempt) for attempt in (1, 2, 3, 4, 100)] == [2, 4, 8, 10, 10]
