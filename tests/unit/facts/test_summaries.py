"""A thread's running summary: which versions are taken, whatever is delivered when and by whom."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import msgspec
import pytest
from desks import whole_turn
from drawn_events import DISTILLATION, SUMMARISING, distilled, kept, summarised
from fact_desks import FactDesk
from hypothesis import given, settings
from hypothesis import strategies as st
from rebuilding import project

from eunoe.facts import state as states
from eunoe.facts.rebuild import Rebuild
from eunoe.facts.recovery import Recovery
from eunoe.facts.refilling import refill
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.events import Event, Summarised, SummaryKept
from eunoe.schemas.records import Record
from eunoe.schemas.requests import RebuildRun, SummaryDocument
from eunoe.schemas.subjects import Caller

TURNS = 24


@pytest.fixture
async def desk(tmp_path: Path) -> FactDesk:
    """A thread of 24 committed turns."""
    return await talked(tmp_path)


async def talked(folder: Path) -> FactDesk:
    desk = FactDesk(folder)
    for n in range(1, TURNS + 1):
        await desk.append(n, *whole_turn(f"prompt {n}"), turn=f"k{n}")
    return desk


async def say(desk: FactDesk, *events: Event, caller: Caller = SUMMARISING) -> int:
    """One record of a worker; its position."""
    return (await desk.write("thread.t", *events, caller=caller)).position


async def stored_document(desk: FactDesk) -> SummaryDocument | None:
    entry = await desk.store.thread.get(subjects.summary_key("t"))
    return msgspec.json.decode(entry.value, type=SummaryDocument) if entry else None


async def shown(desk: FactDesk) -> SummaryDocument:
    """The stored document, once all is projected; the state agrees with it."""
    await desk.catch_up()
    document, state = await stored_document(desk), await desk.state()
    assert document is not None
    current = document.current
    assert (state.summary_at, state.summarised) == ((current.position, current.last) if current else (0, 0))
    return document


async def test_each_goes_on_from_the_one_in_force(desk: FactDesk) -> None:
    """Two updates: the newer text is in force, and what the older covers is told by its event alone."""
    first = await say(desk, summarised("one", 3))
    second = await say(desk, summarised("two words", 6, before=first))

    document = await shown(desk)

    old, new = document.versions
    assert document.text == "two words"
    assert (old.version, old.position, old.last, old.turns, old.entries) == (1, first, 3, (), ())
    assert (new.version, new.position, new.index, new.last) == (2, second, 0, 6)
    assert (new.turns, new.entries, new.bytes, new.by) == (((1, 6),), ((1, 12),), 9, "rules")
    assert new.at == desk.clock.now()


async def test_of_two_that_go_on_from_the_same_the_first_is_taken(desk: FactDesk) -> None:
    """The other worker was slower, though it covers more; who goes on from its text is not taken either."""
    first = await say(desk, summarised("one", 3))
    second = await say(desk, summarised("faster", 6, before=first))
    slower = await say(desk, summarised("slower", 9, before=first), caller=DISTILLATION)
    await say(desk, summarised("on the slower one", 12, before=slower))

    document = await shown(desk)

    assert (document.text, [one.position for one in document.versions]) == ("faster", [first, second])


@pytest.mark.parametrize("last", [2, 3], ids=["less", "the same"])
async def test_one_that_goes_no_further_is_not_taken(desk: FactDesk, last: int) -> None:
    first = await say(desk, summarised("one", 3))
    await say(desk, summarised("again", last, before=first))

    assert (await shown(desk)).text == "one"


async def test_one_that_begins_anew_is_not_taken(desk: FactDesk) -> None:
    await say(desk, summarised("one", 3))
    await say(desk, summarised("anew", 6))

    assert (await shown(desk)).text == "one"


async def test_the_newest_versions_are_kept(desk: FactDesk) -> None:
    """Of 22 there are 20 left: the third and later ones."""
    position = 0
    for last in range(1, 23):
        position = await say(desk, summarised(f"up to {last}", last, before=position))

    document = await shown(desk)

    assert len(document.versions) == limits.SUMMARY_VERSIONS
    assert [one.version for one in document.versions] == list(range(3, 23))


async def test_why_it_was_left_as_it_is_is_said_until_it_goes_on(desk: FactDesk) -> None:
    """The newest reason, at its position; with the next version there is none."""
    await say(desk, kept(3, "first"))
    position = await say(desk, distilled(1, 6), kept(6, "second"), caller=DISTILLATION)
    waiting = await shown(desk)
    await say(desk, summarised("one", 6))
    done = await shown(desk)

    assert (waiting.text, waiting.versions, waiting.kept_at) == ("", (), position)
    assert waiting.kept == "second"
    assert (done.text, done.kept, done.kept_at) == ("one", "", 0)


async def test_what_no_worker_said_counts_for_nothing(desk: FactDesk) -> None:
    """A record that came into the log past every check."""
    await desk.plant("thread.t", summarised("mine", 3))

    await desk.catch_up()

    assert await stored_document(desk) is None
    assert (await desk.state()).summarised == 0


async def test_a_state_that_was_not_written_is_caught_up_with(desk: FactDesk) -> None:
    """A worker was killed after the summary was written and before the state: the next applies both records again."""
    first = await say(desk, summarised("one", 3))
    await desk.catch_up()
    before = await desk.store.thread.get(subjects.state_key("t"))
    assert before is not None
    await say(desk, summarised("two", 6, before=first))
    await shown(desk)
    after = await desk.contents()
    await desk.store.thread.put(subjects.state_key("t"), before.value)
    replica = desk.replica()

    for one in await desk.stored():
        await replica.apply(one)

    assert await desk.contents() == after


async def test_a_summary_of_records_that_are_lost_is_made_again(desk: FactDesk) -> None:
    """The log lost its end, and the state of the thread was not written yet: the summary alone tells of it."""
    await Recovery(desk.store).settle()
    end = (await desk.store.log.info()).last
    lost = SummaryDocument(v=1, thread="t", kept="x", kept_at=end + 1)
    await desk.store.thread.put(subjects.summary_key("t"), msgspec.json.encode(lost))

    reason = await Recovery(desk.store).reason()

    assert reason == f"the thread bucket names position {end + 1}, and the log ends at {end}"


async def test_a_rebuild_has_the_same_summary(desk: FactDesk) -> None:
    """Key by key and byte by byte: nothing differs, in a comparison and in what replaces it."""
    await Recovery(desk.store).settle()
    first = await say(desk, summarised("one", 3))
    await say(desk, summarised("not taken", 9))
    await say(desk, distilled(1, 3, "x"), summarised("two", 6, before=first), caller=DISTILLATION)
    await say(desk, kept(9))
    before = await shown(desk)
    rebuild = Rebuild(desk.store, project, desk.clock, steady=0.05)

    checked = await rebuild.run(await rebuild.begin(RebuildRun(v=1, id="check", holder="", check=True)))
    await rebuild.swap("a test")

    assert checked.differences == 0
    assert await stored_document(desk) == before


async def test_a_summary_that_differs_is_told(desk: FactDesk) -> None:
    """Somebody wrote into the bucket: the comparison names the key."""
    await Recovery(desk.store).settle()
    await say(desk, summarised("one", 3))
    document = await shown(desk)
    forged = msgspec.structs.replace(document, text="forged")
    await desk.store.thread.put(subjects.summary_key("t"), msgspec.json.encode(forged))
    rebuild = Rebuild(desk.store, project, desk.clock, steady=0.05)

    checked = await rebuild.run(await rebuild.begin(RebuildRun(v=1, id="check", holder="", check=True)))

    assert [(one.key, one.what) for one in checked.differing] == [(subjects.summary_key("t"), "other")]


Said = tuple[int, int]
"""Of a summary: from which one it goes on, counted back from the newest (0: from none), and how much further than its
number it goes. Negative: it was left as it was."""

histories = st.lists(st.tuples(st.integers(-1, 3), st.integers(1, 6)), min_size=1, max_size=8)
deliveries = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 6)), max_size=12)


async def written(folder: Path, history: list[Said]) -> FactDesk:
    desk = await talked(folder)
    positions: list[int] = []
    for number, (back, further) in enumerate(history, 1):
        before = positions[-back] if 0 < back <= len(positions) else 0
        last = min(number + further, TURNS)
        caller = DISTILLATION if number % 2 else SUMMARISING
        event = kept(last, f"why {number}") if back < 0 else summarised(f"text {number}", last, before)
        beside = (distilled(number, number, "x"),) if number % 2 else ()
        position = await say(desk, *beside, event, caller=caller)
        positions += [position] if back >= 0 else []
    return desk


def by_hand(found: list[Record]) -> tuple[list[str], str]:
    """The texts that were taken, in order, and the reason that stands: by the rule, without the fold."""
    position, last, texts, reason = 0, 0, list[str](), ""
    for record in found:
        for event in record.events:
            if isinstance(event, Summarised) and event.before == position and event.last > last:
                position, last, reason = record.position, event.last, ""
                texts.append(event.text)
            if isinstance(event, SummaryKept):
                reason = event.reason
    return texts, reason


async def check(folder: Path, history: list[Said], arrivals: list[tuple[int, int]]) -> None:
    desk = await written(folder, history)
    stored = await desk.stored()
    found = [records.read(one.seq, one.data) for one in stored]
    replicas = [desk.projector, desk.replica()]
    for number, (start, count) in enumerate(arrivals):
        if batch := stored[start % len(stored) :][:count]:
            await replicas[number % 2].apply(*batch)
    document = await shown(desk)
    texts, reason = by_hand(found)
    made = FactDesk(folder)
    for one in stored:
        await made.store.log.append(one.subject, one.data)
    await refill(made.store.log, made.projector.apply)
    state = states.new("t")
    for record in found:
        state = states.fold(state, record)

    assert (document.text, document.kept) == (texts[-1] if texts else "", reason)
    assert [one.version for one in document.versions] == list(range(1, len(texts) + 1))
    assert await desk.state() == state
    assert await made.contents() == await desk.contents()
    assert state.distilled == max([n for n in range(1, len(history) + 1) if n % 2])


@settings(max_examples=60, deadline=None)
@given(histories, deliveries)
def test_any_delivery_gives_the_same_summary(history: list[Said], arrivals: list[tuple[int, int]]) -> None:
    """Two replicas get parts of the log in any order, again and again: the document and the state are those that the
    log gives in order, once, and every document is the one that is made again from the log."""
    with TemporaryDirectory() as folder:
        anyio.run(check, Path(folder), history, arrivals)
