"""Which refusals of JetStream pass by themselves, and which do not."""

from __future__ import annotations

import pytest

from eunoe.runtime.jetstream import Full, NotReady, Refusal, Refused, refused
from eunoe.runtime.tries import transient
from eunoe.schemas.errors import Damaged, Unreachable, from_reply, to_reply

FULL = [
    (10002, "resource limits exceeded for account"),
    (10023, "insufficient resources"),
    (10028, "insufficient memory resources available"),
    (10047, "insufficient storage resources available"),
    (10077, "maximum bytes exceeded"),
    (10077, "write /data/1.blk: no space left on device"),
    (10104, "error creating store for consumer: no space left on device"),
]
AWAY = [
    (10004, "incomplete results"),
    (10005, "no suitable peers for placement"),
    (10007, "JetStream cluster not assigned to this server"),
    (10008, "JetStream system temporarily unavailable"),
    (10009, "JetStream cluster can not handle request"),
    (10039, "JetStream not enabled for account"),
    (10077, "write /data/1.blk: input/output error"),
    (10118, "stream is offline"),
    (10163, "expected last sequence per subject temporarily unavailable"),
    (10167, "too many requests"),
]
FINAL = [(10003, "bad request"), (10059, "stream not found"), (10054, "message size exceeds maximum allowed")]


@pytest.mark.parametrize(("number", "words"), FULL)
def test_a_full_store_is_said_so_and_tried_again(number: int, words: str) -> None:
    """Full: what is in the way, and the way out; transient, also for who hears of it over the wire."""
    error = refused("x.log", Refusal(500, number, words))

    assert isinstance(error, Full)
    said = f"the store is full and refused x.log: {words} (JetStream {number}). Give it more space"
    assert str(error).startswith(said)
    assert transient(error)
    assert type(from_reply(to_reply(error))) is Unreachable


@pytest.mark.parametrize(("number", "words"), AWAY)
def test_a_store_without_leader_or_quorum_is_tried_again(number: int, words: str) -> None:
    """Not ready: transient, with JetStream's own words."""
    error = refused("STREAM.INFO.x", Refusal(503, number, words))

    assert isinstance(error, NotReady)
    assert error.number == number
    assert str(error) == f"the store cannot do STREAM.INFO.x now: {words} (JetStream {number}); try again"
    assert transient(error)


@pytest.mark.parametrize(("number", "words"), FINAL)
def test_what_stays_wrong_is_final(number: int, words: str) -> None:
    """Refused, with JetStream's code: trying again changes nothing."""
    error = refused("STREAM.INFO.x", Refusal(400, number, words))

    assert isinstance(error, Refused)
    assert isinstance(error, Damaged)
    assert error.number == number
    assert not transient(error)
