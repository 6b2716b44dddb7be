"""How far a thread is distilled and reviewed, what could not be drawn, and what all of it took, as its state says."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import whole_turn
from drawn_events import DISTILLATION, SUMMARISING, distilled, kept, reviewed, summarised
from fact_desks import EXTRACTION, FactDesk
from msgspec.structs import replace

from eunoe.facts import efforts
from eunoe.facts import state as states
from eunoe.schemas import limits, records
from eunoe.schemas.distilled_events import Effort, SetAside
from eunoe.schemas.events import Event, Extracted
from eunoe.schemas.requests import ThreadState
from eunoe.schemas.subjects import Caller

COMMITTED = 40


@pytest.fixture
async def desk(tmp_path: Path) -> FactDesk:
    """A thread of 40 committed turns."""
    desk = FactDesk(tmp_path)
    for n in range(1, COMMITTED + 1):
        await desk.append(n, *whole_turn("x"), turn=f"k{n}")
    return desk


async def state(desk: FactDesk) -> ThreadState:
    found = states.new("t")
    for stored in await desk.stored():
        found = states.fold(found, records.read(stored.seq, stored.data))
    return found


async def say(desk: FactDesk, *events: Event, caller: Caller = DISTILLATION) -> None:
    await desk.write("thread.t", *events, caller=caller)


async def test_a_thread_is_distilled_up_to_the_last_range(desk: FactDesk) -> None:
    """Two ranges, then a review of fewer turns; times are when their records were accepted."""
    await say(desk, distilled(1, 12, "x", "y"))
    desk.clock.advance(seconds=1)
    await say(desk, distilled(13, 20, "z"))
    last = desk.clock.now()
    desk.clock.advance(seconds=1)
    await say(desk, reviewed(1, 7, set_aside=(SetAside(text="w", reason="r"),)))

    found = await state(desk)

    assert (found.distilled, found.distilled_at, found.reviewed, found.set_aside) == (20, last, 7, 4)


async def test_a_range_that_fails_is_passed_over(desk: FactDesk) -> None:
    await say(desk, distilled(1, 12, failed="the model said no"))
    await say(desk, distilled(13, 13))

    found = await state(desk)

    assert (found.distilled, found.undistilled) == (13, ((1, 12, "the model said no"),))


async def test_a_range_that_is_distilled_again_is_none_that_failed(desk: FactDesk) -> None:
    """The first of two comes out; the second fails for another reason; neither says that the thread came further."""
    await say(desk, distilled(1, 2, failed="a"))
    await say(desk, distilled(3, 4, failed="b"))
    reached = (await state(desk)).distilled_at
    desk.clock.advance(seconds=1)
    await say(desk, distilled(1, 2, again=True))
    await say(desk, distilled(3, 4, failed="c", again=True))

    found = await state(desk)

    assert (found.distilled, found.undistilled, found.distilled_at) == (4, ((3, 4, "c"),), reached)


async def test_one_that_is_not_known_to_have_failed_stays_done(desk: FactDesk) -> None:
    """It was done already."""
    await say(desk, distilled(1, 2))
    await say(desk, distilled(1, 2, failed="late", again=True))

    assert (await state(desk)).undistilled == ()


async def test_every_range_that_failed_is_remembered(desk: FactDesk) -> None:
    """Of 19 the last 16 with their reasons, in 200 characters at most; the others as one range, as they are
    neighbours."""
    for n in range(1, 20):
        await say(desk, distilled(2 * n - 1, 2 * n, failed="x" * 300))

    old, *new = (await state(desk)).undistilled

    assert old == (1, 6, "")
    assert [(first, last) for first, last, _ in new] == [(2 * n - 1, 2 * n) for n in range(4, 20)]
    assert {len(reason) for *_, reason in new} == {limits.VALUE_LENGTH}


async def test_what_is_distilled_again_of_old_ranges_leaves_the_rest(desk: FactDesk) -> None:
    """Ranges that are not neighbours stay two; of one of them the middle is distilled."""
    for first, last in ((1, 2), (3, 9), (11, 12), *((n, n) for n in range(20, 36))):
        await say(desk, distilled(first, last, failed="no"))
    await say(desk, distilled(3, 4, again=True))

    found = (await state(desk)).undistilled

    assert found[:3] == ((1, 2, ""), (5, 9, ""), (11, 12, ""))
    assert found[3:] == tuple((n, n, "no") for n in range(20, 36))


async def test_a_turn_that_is_extracted_again_is_none_that_failed(desk: FactDesk) -> None:
    """Where nothing fails any more; another turn's failure stays."""
    for ordinal, failed in ((1, ("sh: no",)), (2, ("sh: no",)), (1, ())):
        await say(desk, Extracted(turn=ordinal, ordinal=ordinal, failed=failed), caller=EXTRACTION)

    found = await state(desk)

    assert (found.failed, found.extracted) == (((2, "sh: no"),), 2)


async def test_what_all_of_it_took_is_added_up(desk: FactDesk) -> None:
    """A distillation with its summary, a summary that stays, a review: calls, tokens, cost and time."""
    paid = Effort(model="m1", calls=1, input_tokens=100, output_tokens=10, cost=7, ms=500)
    await say(desk, replace(distilled(1, 3), effort=paid), summarised("s", 3))
    await say(desk, replace(kept(6), effort=replace(paid, model="m2", calls=2)), caller=SUMMARISING)
    await say(desk, reviewed(1, 3, effort=paid))

    assert (await state(desk)).effort == Effort(
        model="m1", calls=4, input_tokens=300, output_tokens=30, cost=21, ms=1500
    )


@pytest.mark.parametrize(
    ("costs", "total"),
    [((), None), ((None,), None), ((5,), 5), ((5, None), None), ((None, 5), None), ((0, 5), 5)],
)
def test_a_price_that_is_not_known_makes_the_whole_unknown(costs: tuple[int | None, ...], total: int | None) -> None:
    """But what asked no model adds none."""
    asked = [Effort(calls=1, cost=cost) for cost in costs]

    assert efforts.total([Effort(ms=3), *asked, Effort(ms=3)]).cost == total
