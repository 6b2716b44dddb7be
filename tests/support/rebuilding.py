"""A space with facts of every scope, and what applies its log to other buckets."""

from __future__ import annotations

from desks import AGENT
from fact_desks import PERSON, FactDesk, recorded, written

from eunoe.facts.kinds import Kinds
from eunoe.facts.projector import Projector
from eunoe.facts.refilling import Apply
from eunoe.facts.store import FactStore
from eunoe.runtime.doors import Store
from eunoe.schemas.events import Event, FactDeleted, FactPinned, FactRetired, SessionEnded, SessionStateSet

THREADS = 4

_SESSION: tuple[Event, ...] = (SessionStateSet(state='{"step": 1}'), SessionEnded(reason="over"))


def project(store: Store) -> Apply:
    return Projector(store, FactStore(store, Kinds())).apply


async def busy_space(desk: FactDesk, facts: int) -> None:
    """State ``facts`` facts in threads, the shared book and a session, with changes, supports and acts between."""
    for number in range(facts):
        thread = f"t{number % THREADS}"
        chain = f"thread.{thread}"
        value = f"value {number % 7}"
        match number % 5:
            case 0 | 1:
                await desk.write(chain, recorded(value, owner=thread, name=f"n{number % 9}"))
            case 2:
                book = recorded(value, subject="entity", name=f"e{number % 6}", scope="permanent", owner="shared",
                                kind="person", who="ada", fact_class="permanent")  # fmt: skip
                await desk.write("book.permanent.shared", book, caller=PERSON)
            case 3:
                session = recorded(value, subject="note", name=f"s{number % 3}", scope="session", owner="s",
                                   kind="person", who="ada")  # fmt: skip
                await desk.write("book.session.s", session, caller=PERSON)
            case _ if number % 20 == 4:
                await _act(desk, chain, number)
            case _ if number % 50 == 19:
                await desk.write("book.session.s", _SESSION[number // 50 % len(_SESSION)], caller=PERSON)
            case _:
                await desk.write(chain, recorded(value, owner=thread, name=f"m{number}"))


async def _act(desk: FactDesk, chain: str, number: int) -> None:
    """Pin or delete, or have its author retire, the first fact that was stated in the chain."""
    fact = written(chain, 1)
    if number % 60 == 4:
        await desk.plant(chain, FactPinned(id=fact), caller=PERSON)
    elif number % 40 == 4:
        await desk.write(chain, FactDeleted(id=fact, reason="wrong"), caller=PERSON)
    else:
        await desk.write(chain, FactRetired(id=fact, reason="wrong"), caller=AGENT)
