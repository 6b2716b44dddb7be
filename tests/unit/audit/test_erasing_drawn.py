"""What was distilled, summarised and reviewed of turns goes with what was said in them, and the rest stays."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import pytest
from desks import Desk, whole_turn
from drawn_events import SUMMARISING, distilled, drawn, kept, reviewed, summarised, worked
from erasing_desks import SECRET, erase, plan, raw, read, told, verified
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from eunoe.facts import state, summaries
from eunoe.schemas import ids
from eunoe.schemas.distilled_events import Compared, Decision, SetAside
from eunoe.schemas.events import Distilled, Erased, Event, FactRecorded, Reviewed, Summarised, SummaryKept
from eunoe.schemas.requests import SummaryDocument, ThreadState

GONE = "[erased]"


async def talk(desk: Desk, turns: int, secret: int = 0) -> None:
    """Committed turns of two entries each; the prompt of one holds the secret."""
    for n in range(1, turns + 1):
        await desk.append(n, *whole_turn(SECRET if n == secret else f"prompt {n}", f"reply {n}"), turn=f"k{n}")


async def folded(desk: Desk) -> tuple[SummaryDocument, ThreadState]:
    """The summary and the state of the thread as its log tells them now."""
    document, reached = summaries.empty("t"), state.new("t")
    for record in await read(desk):
        document, reached = summaries.fold(document, record), state.fold(reached, record)
    return document, reached


async def events(desk: Desk, kind: type[Event]) -> list[Event]:
    return [event for record in await read(desk) for event in record.events if isinstance(event, kind)]


async def bytes_with(desk: Desk, words: str) -> list[int]:
    return [one.seq for one in await raw(desk) if words.encode() in one.data]


async def three_summaries(desk: Desk) -> list[int]:
    """Of nine turns, of which the fifth holds the secret: up to the third, the sixth and the ninth; their positions."""
    await talk(desk, 9, secret=5)
    positions = [0]
    for n, text in enumerate(("up to three", f"up to six, {SECRET}", f"up to nine, {SECRET}"), 1):
        reply = await worked(desk, n, distilled(3 * n - 2, 3 * n), summarised(text, 3 * n, before=positions[-1]))
        positions.append(reply.position)
    return positions[1:]


async def test_the_version_before_is_in_force_again(desk: Desk) -> None:
    """Of three versions the two that cover the erased entry (9, of turn 5) go; that they were distilled stays."""
    positions = await three_summaries(desk)

    planned = await plan(desk, thread="t", entries=[[9, 9]])
    done = await erase(desk, thread="t", entries=[[9, 9]])

    document, reached = await folded(desk)
    assert (planned.counts.summaries, done.counts.summaries, done.counts.entries) == (2, 2, 1)
    assert await bytes_with(desk, SECRET) == []
    assert (document.text, [one.position for one in document.versions]) == ("up to three", positions[:1])
    assert (reached.summarised, reached.summary_at, reached.distilled) == (3, positions[0], 9)
    assert (await verified(desk)).problems == ()


async def test_what_is_left_is_where_it_was(desk: Desk) -> None:
    """A record that lost its summary alone is read at its old position, with its distillation and its facts."""
    await talk(desk, 3, secret=2)
    before = await worked(desk, 1, distilled(1, 3), drawn("kept", 1), summarised(SECRET, 3))

    await erase(desk, thread="t", entries=[[3, 3]])

    (found,) = [record for record in await read(desk) if record.position == before.position]
    assert found.hash == before.hash
    assert [type(event) for event in found.events] == [Distilled, FactRecorded, Erased]


async def test_the_next_update_goes_on_from_there(desk: Desk) -> None:
    """It covers all nine turns and names no erased entry, so it is the second version, and stays when what came late
    is looked for."""
    positions = await three_summaries(desk)
    await erase(desk, thread="t", entries=[[9, 9]])
    fresh = summarised("up to nine, anew", 9, before=positions[0], entries=((1, 8), (10, 18)))
    reply = await worked(desk, 1, fresh, caller=SUMMARISING)

    await desk.worker._erasing._look()
    await desk.worker._erasing._go_on()

    document, reached = await folded(desk)
    assert (document.text, reached.summary_at) == ("up to nine, anew", reply.position)
    assert [(one.version, one.last) for one in document.versions] == [(1, 3), (2, 9)]


@pytest.mark.parametrize("before", [0, 2], ids=["from the one that stays", "from one that was erased"])
async def test_a_summary_that_was_on_its_way_goes(desk: Desk, before: int) -> None:
    """A slow worker had read the entry, or a text that was made of it: what it appends when all is erased goes too."""
    positions = await three_summaries(desk)
    await erase(desk, thread="t", entries=[[9, 9]])
    late = summarised(f"late {SECRET}", 9, before=positions[before], entries=((1, 18),) if not before else ((1, 8),))
    await worked(desk, 1, late, caller=SUMMARISING)

    await desk.worker._erasing._look()
    await desk.worker._erasing._go_on()

    again = await erase(desk, thread="t", entries=[[9, 9]])
    document, _ = await folded(desk)
    assert (again.state, again.counts.summaries) == ("done", 3)
    assert await bytes_with(desk, SECRET) == []
    assert document.text == "up to three"


async def test_a_turn_that_goes_takes_the_summaries_that_cover_it(desk: Desk) -> None:
    await three_summaries(desk)

    done = await erase(desk, thread="t", turns=[[5, 5]])

    document, _ = await folded(desk)
    assert (done.counts.summaries, document.text) == (2, "up to three")
    assert await bytes_with(desk, SECRET) == []


async def test_a_thread_that_goes_takes_every_word(desk: Desk) -> None:
    """What it is about is gone; how far it was distilled stays, so that nothing is done again."""
    await three_summaries(desk)
    await worked(desk, 4, reviewed(1, 9, decisions=(Decision(action="skipped", text=SECRET),)))

    await erase(desk, thread="t")

    document, reached = await folded(desk)
    assert document == summaries.empty("t")
    assert (reached.distilled, reached.reviewed, reached.summarised) == (9, 9, 0)
    assert await bytes_with(desk, SECRET) == []


async def test_words_of_a_distillation_go_and_it_stays(desk: Desk) -> None:
    """Of the range that has the turn: how many things were set aside is known still. Another range keeps its own."""
    await talk(desk, 6, secret=2)
    await worked(desk, 1, distilled(1, 3, f"aside {SECRET}", "more"))
    await worked(desk, 2, distilled(4, 6, "other"))

    done = await erase(desk, thread="t", entries=[[3, 3]])

    found = await events(desk, Distilled)
    assert done.counts.other == 1
    assert found == [replace(distilled(1, 3), set_aside=(SetAside(text=GONE, reason=GONE),) * 2),
                     distilled(4, 6, "other")]  # fmt: skip
    assert (await folded(desk))[1].set_aside == 3
    assert await bytes_with(desk, SECRET) == []


async def test_words_of_a_model_go_with_every_turn_that_it_was_shown(desk: Desk) -> None:
    """It was shown the prompts of eight turns after those that it drew from, and what was known of those before; of the
    ninth it cannot have said anything."""
    await talk(desk, 14, secret=11)
    of_a_model = [replace(distilled(first, last, f"aside {SECRET}"), by="model") for first, last in ((1, 2), (3, 4))]
    for n, event in enumerate((*of_a_model, replace(distilled(12, 14, SECRET), by="model")), start=1):
        await worked(desk, n, event)

    done = await erase(desk, thread="t", entries=[[21, 21]])

    assert done.counts.other == 2
    left = [event for event in await events(desk, Distilled) if isinstance(event, Distilled)]
    assert [event.set_aside[0].text for event in left] == [f"aside {SECRET}", GONE, GONE]


async def test_a_summary_by_a_model_goes_with_every_turn_that_the_model_was_shown(desk: Desk) -> None:
    """Beside the turns up to the second, it was shown the prompts up to the tenth, and the erased one is the eleventh;
    the next one, up to the third, was shown that."""
    await talk(desk, 14, secret=11)
    first = await worked(desk, 1, distilled(1, 2), replace(summarised("up to two", 2), by="model"))
    said = replace(summarised(f"up to three, {SECRET}", 3, before=first.position), by="model")
    await worked(desk, 2, distilled(3, 3), said)

    done = await erase(desk, thread="t", entries=[[21, 21]])

    document, _ = await folded(desk)
    assert (done.counts.summaries, document.text) == (1, "up to two")
    assert await bytes_with(desk, SECRET) == []


async def test_a_failure_stays_one_without_its_words(desk: Desk) -> None:
    """The reason why turns were not distilled may quote them, and so may that of a summary that was left as it was;
    one that was left before the turn was said does not."""
    await talk(desk, 3, secret=2)
    await worked(desk, 1, kept(1, "of the first"))
    await worked(desk, 2, distilled(1, 3, failed=f"no answer to {SECRET}"), kept(3, f"no answer to {SECRET}"))

    await erase(desk, thread="t", entries=[[3, 3]])

    _, reached = await folded(desk)
    assert reached.undistilled == ((1, 3, GONE),)
    assert await events(desk, SummaryKept) == [kept(1, "of the first"), kept(3, GONE)]
    assert await bytes_with(desk, SECRET) == []


async def test_facts_of_a_turn_as_a_whole_go_with_any_entry_of_it(desk: Desk) -> None:
    """A fact that names no entry may be of the one that goes; one that names another entry is not."""
    await talk(desk, 2, secret=1)
    await worked(
        desk, 1, distilled(1, 2),
        drawn(SECRET, turn=1, name="whole"), drawn("y", 2, turn=1, name="reply"), drawn("z", turn=2, name="later"),
    )  # fmt: skip

    done = await erase(desk, thread="t", entries=[[1, 1]])

    assert done.counts.facts == 1
    assert [name for name, _ in told(await read(desk))] == ["reply", "later"]


async def test_what_a_slow_distiller_appends_goes(desk: Desk) -> None:
    """Its facts, with and without the entry, and what it set aside, when all is erased already."""
    await talk(desk, 2, secret=1)
    await erase(desk, thread="t", entries=[[1, 1]])
    await worked(desk, 1, distilled(1, 1, SECRET), drawn(SECRET, name="whole"), drawn(SECRET, 1, name="entry"))
    await worked(desk, 2, distilled(2, 2, "other"), drawn("z", 3, turn=2, name="later"))

    await desk.worker._erasing._look()
    await desk.worker._erasing._go_on()

    assert await bytes_with(desk, SECRET) == []
    assert [name for name, _ in told(await read(desk))] == ["later"]
    assert (await events(desk, Distilled))[-1] == distilled(2, 2, "other")


@pytest.mark.parametrize(
    "decision",
    [
        Decision(action="added", text=SECRET),
        Decision(action="retired", text=SECRET, about="ID"),
        Decision(action="skipped", text=SECRET, reason="known", compared=(Compared(id="ID", likeness=90),)),
    ],
    ids=["that it added", "that it retired", "that it compared a candidate with"],
)
async def test_a_review_says_nothing_of_an_erased_record(desk: Desk, decision: Decision) -> None:
    """What it decided about a record that a person erases, in the words of that; what it did stays."""
    await talk(desk, 1)
    record = drawn(SECRET, 1, subject="event", who="builder", scope="permanent", owner="builder", method="inferred")
    other = await worked(desk, 1, reviewed(1, 1), record)
    fact = ids.fact_id("thread.t", other.origin, 1)
    named = replace(
        decision,
        about=fact if decision.about else "",
        compared=tuple(replace(one, id=fact) for one in decision.compared),
    )
    beside = (record,) if decision.action == "added" else ()
    reply = await worked(desk, 2, reviewed(1, 1, decisions=(named,)), *beside)
    target = ids.fact_id("thread.t", reply.origin, 1) if beside else fact

    await erase(desk, fact=target)

    found = await events(desk, Reviewed)
    assert found[-1] == reviewed(1, 1, decisions=(replace(named, text=GONE, reason=GONE if named.reason else ""),))
    assert await bytes_with(desk, SECRET) == []


Plan = tuple[int, list[int], set[int]]
"""How many turns; after which of them (modulo) the summary is updated; which entries (modulo) go."""

plans = st.tuples(st.integers(1, 6), st.lists(st.integers(0, 5), max_size=5), st.sets(st.integers(0, 11), max_size=4))


def token(entry: int) -> str:
    return f"<secret-{entry}>"


async def check(folder: Path, plan: Plan) -> None:
    turns, updates, named = plan
    desk = Desk(folder)
    for n in range(1, turns + 1):
        await desk.append(n, *whole_turn(token(2 * n - 1), token(2 * n)), turn=f"k{n}")
        aside = "".join(map(token, (2 * n - 1, 2 * n)))
        await worked(desk, n, distilled(n, n, aside), drawn(token(2 * n), 2 * n, turn=n))
    covered = sorted({1 + update % turns for update in updates})
    before = 0
    for n, last in enumerate(covered, 1):
        text = "".join(map(token, range(1, 2 * last + 1)))
        before = (await worked(desk, n, summarised(text, last, before), caller=SUMMARISING)).position
    gone = {1 + entry % (2 * turns) for entry in named}
    if not gone:
        return
    await erase(desk, thread="t", entries=[[entry, entry] for entry in sorted(gone)])

    store = b"".join(stored.data for stored in await raw(desk))
    assert [entry for entry in gone if token(entry).encode() in store] == []
    document, reached = await folded(desk)
    left = [last for last in covered if 2 * last < min(gone)]
    assert [one.last for one in document.versions] == left
    assert (reached.summarised, reached.distilled) == (max(left, default=0), turns)
    assert len(await events(desk, Summarised)) == len(left)
    assert (await verified(desk)).problems == ()


@settings(max_examples=60, deadline=None)
@given(plans)
def test_no_word_is_left_of_what_is_erased(plan: Plan) -> None:
    """Whatever is erased of whatever was distilled and summarised: the summaries in force before the first erased
    entry stay, all others go, and so does every word that may be of it."""
    with TemporaryDirectory() as folder:
        anyio.run(check, Path(folder), plan)
