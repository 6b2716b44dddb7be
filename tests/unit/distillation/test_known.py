"""What a distiller is shown of facts in force: what each of its turns may see, of kinds that may be distilled."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from distilling_desks import DistillingDesk, Scripted
from fact_desks import EXTRACTION, recorded

from eunoe.schemas import limits, subjects
from eunoe.schemas.events import FactRecorded, Prompt, TurnCommitted, TurnOpened

THREAD = subjects.thread_chain("t")


@pytest.fixture
async def desk(tmp_path: Path) -> DistillingDesk:
    """Facts of the thread, of a session, of a preview, and of a preview in that session."""
    desk = DistillingDesk(tmp_path)
    session = note("of the session", scope="session", owner="s")
    for fact in (
        note("of the thread"),
        session,
        previewed(note("of the preview")),
        previewed(note("of both", scope="session", owner="s")),
    ):
        await desk.plant(THREAD, fact, caller=EXTRACTION)
    await desk.catch_up()
    return desk


def note(value: str, name: str = "", **about: str) -> FactRecorded:
    return recorded(value, subject="note", name=name or value, kind="tool", who="search", **about)  # type: ignore[arg-type]


def previewed(event: FactRecorded) -> FactRecorded:
    identity = msgspec.structs.replace(event.fact.identity, preview="try")
    return FactRecorded(fact=msgspec.structs.replace(event.fact, identity=identity))


async def shown(desk: DistillingDesk, *opened: TurnOpened) -> set[str]:
    """The values that a distiller is shown which draws from a range of such turns."""
    for n, turn in enumerate(opened, start=1):
        await desk.append(n, turn, Prompt(content=f"turn {n}"), TurnCommitted(), turn=f"k{n}")
    distiller = Scripted()
    await desk.distiller(distiller).handle(await desk.asked(len(opened)))
    (task,) = distiller.tasks
    return {known.value for known in task.known}


LIVE, SESSION, OTHER = TurnOpened(), TurnOpened(session="s"), TurnOpened(session="other")
PREVIEW, BOTH = TurnOpened(preview="try"), TurnOpened(session="s", preview="try")


@pytest.mark.parametrize(
    ("opened", "more"),
    [
        ((LIVE,), set[str]()),
        ((SESSION, SESSION), {"of the session"}),
        ((PREVIEW,), {"of the preview"}),
        ((BOTH, BOTH), {"of the session", "of the preview", "of both"}),
        ((SESSION, BOTH), {"of the session"}),
        ((PREVIEW, BOTH), {"of the preview"}),
        ((SESSION, LIVE), set[str]()),
        ((PREVIEW, LIVE), set[str]()),
        ((SESSION, OTHER), set[str]()),
    ],
)
async def test_a_distiller_is_shown_what_every_one_of_its_turns_may_see(
    desk: DistillingDesk, opened: tuple[TurnOpened, ...], more: set[str]
) -> None:
    """Else a fact of one turn could be told by what only another one sees: of its session, or of its preview."""
    assert await shown(desk, *opened) == {"of the thread"} | more


async def test_the_newest_are_shown_of_kinds_that_may_be_distilled(tmp_path: Path) -> None:
    """Forty of them, in order; what tools own is left out."""
    desk = DistillingDesk(tmp_path)
    for at in range(limits.DISTILLED_KNOWN + 2):
        await desk.plant(THREAD, note(f"value {at}", at=at + 1), caller=EXTRACTION)  # type: ignore[arg-type]
    await desk.plant(THREAD, recorded("read", subject="file", name="a.py", kind="tool", who="read"), caller=EXTRACTION)
    await desk.catch_up()

    assert await shown(desk, LIVE) == {f"value {at}" for at in range(2, limits.DISTILLED_KNOWN + 2)}
