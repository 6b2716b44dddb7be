"""Whatever is said, extracted and erased in whatever order: what is erased is gone, and nothing else changes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from desks import Desk
from erasing_desks import asked, entries, extracted, fact, raw, read, told, verified
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.schemas.erasures import EraseRequest, ErasureTarget
from eunoe.schemas.events import Event, Prompt, Response, TurnCommitted, TurnOpened
from eunoe.schemas.records import Header

Turn = tuple[int, tuple[int, ...]]
"""How many answers it has, and for each fact of it which of its entries it cites, counted from 0 (modulo)."""

turns = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.integers(0, 9), max_size=3).map(tuple)), min_size=1, max_size=4
)
erasures = st.lists(st.sets(st.integers(1, 12), min_size=1, max_size=4), min_size=1, max_size=3)


def token(entry: int) -> str:
    """What an entry says, and what is known from it: in the store for nothing else."""
    return f"<secret-{entry}>"


async def said(desk: Desk, thread: list[Turn]) -> dict[int, list[str]]:
    """Append a thread, each turn with its facts; the names of the facts by the entry that they cite."""
    known: dict[int, list[str]] = {}
    first = 1
    for number, (answers, cites) in enumerate(thread, 1):
        last = first + answers
        talk: list[Event] = [Response(content=token(entry)) for entry in range(first + 1, last + 1)]
        await desk.append(number, TurnOpened(), Prompt(content=token(first)), *talk, TurnCommitted(), turn=f"k{number}")
        facts = []
        for index, place in enumerate(cites):
            entry, name = first + place % (answers + 1), f"fact {number}.{index}"
            known.setdefault(entry, []).append(name)
            facts.append(fact(token(entry), entry, name=name))
        await extracted(desk, number, *facts)
        first = last + 1
    return known


async def headers(desk: Desk) -> dict[int, tuple[Header, str]]:
    return {record.position: (record.header, record.hash) for record in await read(desk)}


async def check(folder: Path, thread: list[Turn], wanted: list[set[int]]) -> None:
    desk = Desk(folder)
    known = await said(desk, thread)
    before, heads = await entries(desk), await headers(desk)
    gone: set[int] = set()
    for number, named in enumerate(wanted):
        chosen = named & set(before)
        if not chosen:
            continue
        target = ErasureTarget(thread="t", entries=tuple((entry, entry) for entry in sorted(chosen)))
        reply = await asked(desk, EraseRequest(target=target, id=f"e{number}", reason="asked to"))
        fresh = chosen - gone
        gone |= fresh
        assert (reply.state, reply.counts.entries) == ("done" if fresh else "nothing", len(fresh))

    store = b"".join(stored.data for stored in await raw(desk))
    assert [entry for entry in gone if token(entry).encode() in store] == []
    assert await entries(desk) == {entry: "-" if entry in gone else text for entry, text in before.items()}
    left = {name for entry, names in known.items() if entry not in gone for name in names}
    assert {name for name, _ in told(await read(desk))} == left
    assert {position: head for position, head in (await headers(desk)).items() if position in heads} == heads
    assert (await verified(desk)).problems == ()


@settings(max_examples=100, deadline=None)
@given(turns, erasures)
def test_what_is_erased_is_gone_and_the_rest_is_what_it_was(thread: list[Turn], wanted: list[set[int]]) -> None:
    """Entries, facts, headers, hashes and numbers, after one erasure or several of overlapping entries."""
    with TemporaryDirectory() as folder:
        anyio.run(check, Path(folder), thread, wanted)
