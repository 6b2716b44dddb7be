"""Under which number a worker appends next: its producer counts the appends to each chain. Pure."""

from __future__ import annotations

from eunoe.schemas.records import Header
from eunoe.schemas.requests import ThreadState


def last_number(key: str, header: Header | None, state: ThreadState | None) -> int:
    """The number of the last append of a producer, 0 for none: from the head of the chain, or from the thread's state
    once the producer has left the head."""
    done = header.producers.get(key) if header else None
    return done.n if done is not None else known_number(key, state)


def known_number(key: str, state: ThreadState | None) -> int:
    """The number of the last append of a producer that a thread's state reflects, 0 for none."""
    return state.producers[key][0] if state and key in state.producers else 0


def next_number(key: str, header: Header | None, state: ThreadState | None) -> int:
    return last_number(key, header, state) + 1
