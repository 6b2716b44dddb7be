"""Runs of an airline's agent, whose tools are its own: imported, and read into facts by examples/airline.toml alone."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import recordings

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet
from eunoe.schemas.requests import FactReply, FactRequest, FactView
from eunoe.testing import NatsServer

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "airline.toml"


def run(number: int) -> Path:
    """A recorded run."""
    return recordings.folder() / "tau_bench_airline" / f"task_{number:02}.json"


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    """The example's configuration, and nothing else."""
    example = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))
    return Settings(url=nats_server.url, space=space, data=tmp_path, role="person", principal="ada", **example)


@dataclass
class Known:
    """A fact with its body, and its versions as (turn, value)."""

    view: FactView
    body: Any
    history: list[tuple[int, str]]


async def learned(memory: Memory, fleet: Fleet, *numbers: int) -> list[dict[tuple[str, str], Known]]:
    """The facts of some runs, each imported into a thread of its own."""
    files = [run(number) for number in numbers]
    for file in files:
        report = await memory.import_file(file)
        assert (report.threads, report.problems) == ([file.stem], [])
    assert await fleet.settle(60)
    return [await known(memory, file.stem) for file in files]


async def known(memory: Memory, thread: str) -> dict[tuple[str, str], Known]:
    """Every fact of a thread, by kind and name."""
    found: dict[tuple[str, str], Known] = {}
    for view in (await memory.facts(scope="thread", thread=thread)).facts:
        reply = await memory.gate.ask("fact", FactRequest(id=view.id, content=True), FactReply)
        history = [(version.turn, version.value) for version in reply.versions]
        name = (view.identity.subject, view.identity.name)
        assert name not in found
        found[name] = Known(view, json.loads(reply.content), history)
    return found


async def test_what_the_last_results_say_is_known(memory: Memory, fleet: Fleet) -> None:
    """Of all runs: one fact for each thing, with the value, body and history that the file gives."""
    numbers = range(24)
    for number, facts in zip(numbers, await learned(memory, fleet, *numbers), strict=True):
        expected = said(run(number))
        assert {name: (fact.view.value, fact.body) for name, fact in facts.items()} == {
            name: (history[-1][1], body) for name, (body, history) in expected.items()
        }
        assert {name: fact.history for name, fact in facts.items()} == {
            name: history for name, (_, history) in expected.items()
        }


async def test_a_booking_worked_out_by_hand(memory: Memory, fleet: Fleet) -> None:
    """A profile with four ways to pay; a first booking that is refused gives nothing, the second is in turn 7."""
    (facts,) = await learned(memory, fleet, 0)
    assert {name: fact.history for name, fact in facts.items()} == {
        ("user", "mia_li_3668"): [(3, "Mia Li, gold member, reservations NO6JO3, AIXC49, HKEG34")],
        ("payment_method", "credit_card_4421486"): [(3, "credit_card of mia_li_3668, visa 7447")],
        ("payment_method", "certificate_4856383"): [(3, "certificate of mia_li_3668, 100")],
        ("payment_method", "certificate_7504069"): [(3, "certificate of mia_li_3668, 250")],
        ("payment_method", "credit_card_1955700"): [(3, "credit_card of mia_li_3668, visa 1907")],
        ("reservation", "HATHAT"): [
            (
                7,
                "booked, JFK to SEA, economy, HAT136, HAT039 on 2024-05-20, 2024-05-20, Li, bags 3 (1 paid), "
                "insurance no, paid 250, 55",
            )
        ],
        ("payment", "HATHAT 1"): [(7, "250 by certificate_7504069")],
        ("payment", "HATHAT 2"): [(7, "55 by credit_card_4421486")],
    }
    assert facts["payment_method", "certificate_7504069"].body == {
        "source": "certificate",
        "amount": 250,
        "id": "certificate_7504069",
    }
    assert facts["payment", "HATHAT 2"].body == {"payment_id": "credit_card_4421486", "amount": 55}
    booked = facts["reservation", "HATHAT"]
    assert (booked.body["user_id"], booked.body["flight_type"], booked.body["created_at"]) == (
        "mia_li_3668",
        "one_way",
        "2024-05-15T15:00:00",
    )
    assert (booked.view.source.principal, booked.view.supports) == ("book_reservation", 1)


async def test_an_upgrade_worked_out_by_hand(memory: Memory, fleet: Fleet) -> None:
    """Looked up in turn 2; in turn 6 other flights are paid for, and then two bags are added."""
    (facts,) = await learned(memory, fleet, 14)
    trip = "booked, BOS to MSP, economy, HAT235, HAT298 on 2024-05-18, 2024-05-19, Lee, Hernandez"
    assert {name: fact.history for name, fact in facts.items()} == {
        ("reservation", "YAX4DR"): [
            (2, f"{trip}, bags 0 (0 paid), insurance no, paid 498"),
            (6, f"{trip}, bags 0 (0 paid), insurance no, paid 498, 1200"),
            (6, f"{trip}, bags 2 (0 paid), insurance no, paid 498, 1200"),
        ],
        ("payment", "YAX4DR 1"): [(2, "498 by credit_card_4938634")],
        ("payment", "YAX4DR 2"): [(6, "1200 by credit_card_4938634")],
    }
    reservation = facts["reservation", "YAX4DR"]
    assert [flight["price"] for flight in reservation.body["flights"]] == [350, 499]
    assert (reservation.body["total_baggages"], reservation.view.source.principal) == (2, "update_reservation_baggages")
    assert facts["payment", "YAX4DR 1"].view.supports == 2


async def test_a_cancellation_worked_out_by_hand(memory: Memory, fleet: Fleet) -> None:
    """Looked up in turn 6, a change refused in turn 7, cancelled with a refund in turn 11."""
    (facts,) = await learned(memory, fleet, 15)
    trip = "LAS to DEN, business, HAT003, HAT290 on 2024-05-19, 2024-05-20, Patel, Sanchez, Johansson, bags 3 (0 paid)"
    assert {name: fact.history for name, fact in facts.items()} == {
        ("reservation", "GV1N64"): [
            (6, f"booked, {trip}, insurance no, paid 5700"),
            (11, f"cancelled, {trip}, insurance no, paid 5700, -5700"),
        ],
        ("payment", "GV1N64 1"): [(6, "5700 by gift_card_1642017")],
        ("payment", "GV1N64 2"): [(11, "-5700 by gift_card_1642017")],
    }
    assert facts["reservation", "GV1N64"].body["status"] == "cancelled"
    assert facts["payment", "GV1N64 2"].body == {"payment_id": "gift_card_1642017", "amount": -5700}


# What the files say, read without any of the code that is tested

Said = dict[tuple[str, str], tuple[Any, list[tuple[int, str]]]]
"""By kind and name: the object of the last result about it, and each value with its turn, as it changed."""


def said(file: Path) -> Said:
    found: Said = {}
    for turn, arguments, result in results(file):
        for kind, name, value, body in things(arguments, result):
            _, history = found.get((kind, name), (None, []))
            if not history or history[-1][1] != value:
                history = [*history, (turn, value)]
            found[kind, name] = (body, history)
    return found


def results(file: Path) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """Turn, arguments and result of each call that gave an object with a reservation or a profile."""
    turn, asked = 0, {}
    for message in json.loads(file.read_text(encoding="utf-8"))["messages"]:
        turn += message["role"] == "user"
        for call in message.get("tool_calls") or ():
            asked[call["id"]] = json.loads(call["function"]["arguments"])
        content = message.get("content") or ""
        if message["role"] == "tool" and content.startswith("{"):
            yield turn, asked[message["tool_call_id"]], json.loads(content)


def things(arguments: dict[str, Any], result: dict[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    """Kind, name, value and object of what a result is about."""
    if "reservation_id" in result:
        yield "reservation", result["reservation_id"], reservation(result), result
        for number, payment in enumerate(result["payment_history"], 1):
            name = f"{result['reservation_id']} {number}"
            yield "payment", name, f"{payment['amount']} by {payment['payment_id']}", payment
    elif "membership" in result:
        user, owned = arguments["user_id"], ", ".join(result["reservations"]) or "none"
        name = f"{result['name']['first_name']} {result['name']['last_name']}"
        yield "user", user, f"{name}, {result['membership']} member, reservations {owned}", result
        for method in result["payment_methods"].values():
            what = " ".join(str(method[field]) for field in ("brand", "last_four", "amount") if field in method)
            yield "payment_method", method["id"], f"{method['source']} of {user}, {what}", method


def reservation(result: dict[str, Any]) -> str:
    flights, people, paid = (result[name] for name in ("flights", "passengers", "payment_history"))
    numbers, dates = (", ".join(flight[field] for flight in flights) for field in ("flight_number", "date"))
    return (
        f"{result.get('status', 'booked')}, {result['origin']} to {result['destination']}, {result['cabin']}, "
        f"{numbers} on {dates}, "
        f"{', '.join(person['last_name'] for person in people)}, "
        f"bags {result['total_baggages']} ({result['nonfree_baggages']} paid), insurance {result['insurance']}, "
        f"paid {', '.join(str(payment['amount']) for payment in paid)}"
    )
