"""Faults that clocks made in what memory systems knew, and what holds here, with workers whose time is set by hand.

F84 dates that went wrong near midnight · F86 times without a zone · F102 an update that lost an expiry and counts.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from fields import options
from shell import Ran, Shell

from eunoe.client import Memory, stating
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid, NotFound
from eunoe.schemas.requests import FactView, SessionReply
from eunoe.testing import ManualClock

MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)
HALF = timedelta(minutes=30)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = 3600  # seconds


def ms(moment: datetime) -> int:
    return int(moment.timestamp()) * 1000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(ms(NOON))


@pytest.fixture
async def fleet(settings: Settings, clock: ManualClock) -> AsyncIterator[Fleet]:
    """Every worker, at the time of the clock."""
    settings = settings.model_copy(update={"labels": {"infra": 1}})
    async with running(settings, clock=clock) as fleet:
        yield fleet


# Near midnight (F84)


@pytest.fixture(params=["Asia/Tokyo", "America/Los_Angeles", "UTC"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The time of the machine, of workers, clients and commands alike."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", request.param)
        time.tzset()
        yield str(request.param)
    time.tzset()


async def test_what_was_written_near_midnight_is_on_its_side_of_the_date(
    zone: str, settings: Settings, clock: ManualClock, memory: Memory, tmp_path: Path
) -> None:
    """F84: written at 23:30Z and at 00:30Z, and asked for by dates on the command line, with and without an offset:
    a date is its midnight in UTC, or in the offset that it names, in whatever zone the machine is."""
    shell = Shell(tmp_path, {"TZ": zone}).named("person", "ada")
    clock.set(ms(MIDNIGHT - HALF))
    await memory.state_fact("decision", "late", "at 23:30Z")
    clock.set(ms(MIDNIGHT + HALF))
    early = await memory.state_fact("decision", "early", "at 00:30Z")
    clock.set(ms(NOON + timedelta(days=2)))

    async def run(*arguments: str) -> Ran:
        done = await anyio.to_thread.run_sync(lambda: shell(*arguments, *options(settings)))
        assert (done.code, done.err) == (0, ""), arguments
        return done

    async def asked(*arguments: str) -> set[str]:
        return {fact["value"] for fact in (await run("facts", "--json", *arguments)).json["facts"]}

    both = {"at 23:30Z", "at 00:30Z"}
    known = {
        "2026-03-01": set[str](),
        "2026-03-02": {"at 23:30Z"},
        "2026-03-03": both,
        "2026-03-02+09:00": set[str](),
        "2026-03-03+09:00": both,
        "2026-03-01-08:00": set[str](),
        "2026-03-02-08:00": both,
        "2026-03-01T23:29:59Z": set[str](),
        "2026-03-02T08:29:59+09:00": set[str](),
        "2026-03-02T08:30:00+09:00": {"at 23:30Z"},
        "2026-03-01T16:30:00-08:00": both,
    }
    assert {moment: await asked("--as-of", moment) for moment in known} == known
    shown = (await run("fact", "history", early.id)).out
    assert "2026-03-02 00:30" in shown
    assert "2026-03-01" not in shown


async def test_what_holds_from_or_until_a_date_does_so_on_its_side_of_midnight(
    zone: str, settings: Settings, memory: Memory, tmp_path: Path
) -> None:
    """F84: stated with dates and offsets on the command line; each is said again as it was given."""
    shell = Shell(tmp_path, {"TZ": zone}).named("person", "ada")

    async def run(*arguments: str) -> Ran:
        done = await anyio.to_thread.run_sync(lambda: shell(*arguments, *options(settings)))
        assert (done.code, done.err) == (0, ""), arguments
        return done

    await run("fact", "set", "decision", "march 1", "on", "--valid-from", "2026-03-01", "--valid-to", "2026-03-02")
    tokyo = await run(
        "fact", "set", "decision", "tokyo", "on", "--json",
        "--valid-from", "2026-03-02T08:30:00+09:00", "--valid-to", "2026-03-02T09:30:00+09:00",
    )  # fmt: skip
    await run("fact", "set", "decision", "march 2", "on", "--valid-from", "2026-03-02")

    async def held(moment: str) -> set[str]:
        found = (await run("facts", "--json", "--valid-at", moment)).json["facts"]
        return {fact["identity"]["name"] for fact in found}

    assert await held("2026-03-01T23:29:59Z") == {"march 1"}
    assert await held("2026-03-01T23:30:00Z") == {"march 1", "tokyo"}
    assert await held("2026-03-02") == await held("2026-03-02T00:29:59Z") == {"march 2", "tokyo"}
    assert await held("2026-03-02T00:30:00Z") == {"march 2"}
    assert (tokyo.json["fact"]["valid_from"], tokyo.json["fact"]["from_offset"]) == (ms(MIDNIGHT - HALF), 540)
    said = "holds from 2026-03-02 08:30:00+09:00 until 2026-03-02 09:30:00+09:00"
    assert said in (await run("fact", "history", tokyo.json["id"])).out


# Without a zone (F86)


async def test_a_time_without_a_zone_is_refused_and_one_with_any_is_the_moment_that_it_says(
    settings: Settings, memory: Memory, fleet: Fleet, tmp_path: Path
) -> None:
    """F86: by the client, on the command line and by the worker, each in one line; nothing is stored of it, and facts
    with zones and without compare as moments."""
    naive = datetime(2026, 3, 2, 9)  # noqa: DTZ001 - what is refused
    stated: list[dict[str, Any]] = [{"valid_from": naive}, {"valid_to": naive}]
    filters: list[dict[str, Any]] = [{"valid": naive}, {"recorded": naive}]
    for given in stated:
        with pytest.raises(Invalid, match=r"does not say in which time zone 2026-03-02T09:00:00 is"):
            await memory.state_fact("decision", "naive", "no", **given)
    for asked in filters:
        with pytest.raises(Invalid, match=r"does not say in which time zone"):
            await memory.facts(**asked)
    shell = Shell(tmp_path).named("person", "ada")
    command = ("fact", "set", "decision", "naive", "no", "--valid-from", "2026-03-02T09:00:00")
    done = await anyio.to_thread.run_sync(lambda: shell(*command, *options(settings)))
    assert (done.code, "does not say in which time zone it is" in done.complaint) == (2, True)
    for raw in ('"2026-03-02T09:00:00"', "1772442000.5", "-1", "1e300"):
        with pytest.raises(Invalid):
            await memory.gate.append("book.permanent.shared", _recorded(memory, raw))
    assert (await memory.facts(all=True)).facts == ()

    tokyo = timezone(timedelta(hours=9))
    await memory.state_fact("decision", "aware", "in Tokyo", valid_to=datetime(2026, 3, 2, 18, tzinfo=tokyo))
    await memory.state_fact("decision", "aware", "in UTC", valid_from=datetime(2026, 3, 2, 9, tzinfo=UTC))
    moments = {datetime(2026, 3, 2, 8, 59, 59, tzinfo=UTC): "in Tokyo", datetime(2026, 3, 2, 9, tzinfo=UTC): "in UTC"}
    for moment, value in moments.items():
        assert [fact.value for fact in (await memory.facts(valid=moment)).facts] == [value]


def _recorded(memory: Memory, valid_from: str) -> bytes:
    """An append of a fact whose ``valid_from`` is this JSON text."""
    fact = stating.assertion(memory.gate.caller, stating.identity("decision", "naive"), "no", valid_from=4711)
    event = {"type": "fact.recorded", "fact": msgspec.to_builtins(fact)}
    request = msgspec.json.encode({"v": 1, "producer": "raw", "n": 1, "events": [event]})
    assert request.count(b"4711") == 1
    return request.replace(b"4711", valid_from.encode())


# What an update keeps (F102)


async def test_an_update_of_a_sessions_fact_moves_its_expiry_on_and_keeps_its_counts(
    memory: Memory, clock: ManualClock, fleet: Fleet
) -> None:
    """F102: every write sets the expiry to a day from then, also of the same value; start, label, pin, version and
    count go on. The fact outlives the expiry that its first write set, and not the last one's."""
    start = await session_of(memory, "s", expected=0)
    first = await memory.state_fact("service", "web", "port 80", session="s")
    await memory.label(first.id, add=["infra"])
    await memory.pin(first.id)
    begun = await session_of(memory, "s", expected=1)
    assert start.record is None
    assert begun.record is not None
    assert begun.record.expires_at == ms(NOON) + limits.SESSION_SECONDS * 1000

    seen: list[tuple[int, str, int, int, tuple[str, ...], bool]] = []
    for value in ("port 80", "port 8080", "port 8080"):
        clock.advance(seconds=10 * HOUR)
        await memory.state_fact("service", "web", value, session="s")
        record = (await session_of(memory, "s", expected=1)).record
        assert record is not None
        assert (record.started, record.changed) == (ms(NOON), clock.now())
        (fact,) = await held(memory, "s")
        seen.append((record.expires_at, fact.value, fact.version, fact.supports, fact.labels, fact.pinned))
    day = ms(NOON) + limits.SESSION_SECONDS * 1000
    assert seen == [
        (day + 10 * HOUR * 1000, "port 80", 1, 2, ("infra",), True),
        (day + 20 * HOUR * 1000, "port 8080", 2, 1, ("infra",), True),
        (day + 30 * HOUR * 1000, "port 8080", 2, 2, ("infra",), True),
    ]

    clock.advance(seconds=limits.SESSION_SECONDS - 1)
    assert [fact.value for fact in await held(memory, "s")] == ["port 8080"]
    clock.advance(seconds=1)
    assert await held(memory, "s") == ()
    with pytest.raises(NotFound):
        await memory.fact(first.id)


async def session_of(memory: Memory, session: str, expected: int) -> SessionReply:
    """A session's record, when it holds that many facts."""
    reply = await memory.session(session)
    assert reply.facts == expected
    return reply


async def held(memory: Memory, session: str, **asked: Any) -> tuple[FactView, ...]:
    return (await memory.facts(scope="session", session=session, **asked)).facts
