"""Who may say what was drawn from turns, of which turns, in which sizes, and what a review may state and retire."""

from __future__ import annotations

import msgspec
import pytest
from desks import Desk, whole_turn
from drawn_events import (
    DISTILLATION,
    SUMMARISING,
    distilled,
    drawn,
    kept,
    reviewed,
    summarised,
    worked,
)
from msgspec.structs import replace

from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Compared, Decision, SetAside
from eunoe.schemas.errors import Denied, Invalid
from eunoe.schemas.events import Distilled, Event, FactRecorded, FactRetired
from eunoe.schemas.facts import OWN_CLASS, Source
from eunoe.schemas.requests import AppendRequest
from eunoe.schemas.subjects import Caller, Role

ID = "faaaaaaaaaa"
SKIPPED = Decision(action="skipped", text="x")
EXTRACTION = Caller("worker", "extraction")
PERSON = Caller("person", "ada")


@pytest.fixture
async def talked(desk: Desk) -> Desk:
    """A thread of three committed turns, each a prompt and a reply of the agent ``builder``."""
    for n in range(1, 4):
        await desk.append(n, *whole_turn(f"prompt {n}"), turn=f"k{n}")
    return desk


def record(**more: object) -> FactRecorded:
    """A memory record of the agent's own, unless something else of it is given."""
    own: dict[str, object] = {"subject": "event", "who": "builder", "scope": "permanent", "owner": "builder"}
    return drawn("x", **{**own, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("caller", "events"),
    [
        (DISTILLATION, (distilled(1, 3), drawn("x"), summarised("s", 3))),
        (DISTILLATION, (distilled(1, 3), kept(3))),
        (DISTILLATION, (reviewed(1, 3), record(), record(scope="session", owner="s"))),
        (SUMMARISING, (summarised("s", 3),)),
        (SUMMARISING, (kept(3),)),
    ],
)
async def test_each_appends_what_is_its_own(talked: Desk, caller: Caller, events: tuple[Event, ...]) -> None:
    reply = await worked(talked, 1, *events, caller=caller)

    assert reply.record == 4


@pytest.mark.parametrize(
    ("caller", "events", "said"),
    [
        (SUMMARISING, (distilled(1, 3),), "a worker may not say what was distilled"),
        (SUMMARISING, (reviewed(1, 3),), "a worker may not say what was reviewed"),
        (SUMMARISING, (summarised("s", 3), drawn("x")), "a worker that summarises states no facts"),
        (EXTRACTION, (summarised("s", 3),), "a worker may not update summaries"),
        (EXTRACTION, (kept(3),), "a worker may not say why a summary stays"),
        (PERSON, (distilled(1, 3),), "a person may not say what was distilled"),
        (DISTILLATION, (distilled(1, 3), drawn("x", method="noted")), "is distilled, and of its thread or session"),
        (DISTILLATION, (distilled(1, 3), record(method="distilled")), "is distilled, and of its thread or session"),
        (DISTILLATION, (distilled(1, 3), FactRetired(id=ID)), "retires nothing but an agent's records"),
        (DISTILLATION, (reviewed(1, 3, agent="other"), record()), "not for 'builder'"),
        (DISTILLATION, (reviewed(1, 3), record(who="distiller")), "not for 'distiller'"),
        (DISTILLATION, (reviewed(1, 3), record(owner="other")), "not 'other'"),
        (DISTILLATION, (reviewed(1, 3), record(scope="thread", owner="t")), "not 't'"),
        (DISTILLATION, (reviewed(1, 3), record(subject="decision")), "not facts of the kind 'decision'"),
    ],
)
async def test_what_is_not_its_own_is_refused(
    talked: Desk, caller: Caller, events: tuple[Event, ...], said: str
) -> None:
    with pytest.raises(Denied, match=said):
        await worked(talked, 1, *events, caller=caller)


@pytest.mark.parametrize("role", ["agent", "caller", "tool", "person"])
async def test_nobody_else_says_what_a_person_said(talked: Desk, role: Role) -> None:
    """A fact that says it was distilled is shown with who said it, to everyone who sees it."""
    kind, who = OWN_CLASS[role], "builder" if role == "agent" else "ada"
    fact = msgspec.structs.replace(drawn("x").fact, source=Source(kind=kind, principal=who))

    with pytest.raises(Denied, match="cannot say that a fact was distilled from what others said"):
        await worked(talked, 1, FactRecorded(fact=fact), caller=Caller(role, who))


async def test_no_agent_has_the_voice_of_what_people_said(talked: Desk) -> None:
    """It would take back what they said, or replace it, as its own."""
    with pytest.raises(Denied, match="give the agent another name"):
        await worked(talked, 1, FactRetired(id=ID), caller=Caller("agent", "distiller"))


async def test_what_was_drawn_is_no_tool_s(talked: Desk) -> None:
    fact = drawn("x").fact
    tool = FactRecorded(fact=msgspec.structs.replace(fact, source=msgspec.structs.replace(fact.source, kind="tool")))

    with pytest.raises(Denied, match="a model's, not a tool's"):
        await worked(talked, 1, distilled(1, 3), tool)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (distilled(1, 4), "of the ordinal 4, and 3 turns are committed"),
        (summarised("s", 4), "of the ordinal 4, and 3 turns are committed"),
        (kept(4), "of the ordinal 4, and 3 turns are committed"),
        (reviewed(4, 4), "of the ordinal 4, and 3 turns are committed"),
        (distilled(0, 1), "counted from 1"),
        (distilled(3, 2), "counted from 1"),
        (distilled(1, limits.DISTILLED_TURNS + 1), "12 turns at most"),
        (Distilled(first=1, last=2, turns=((2, 2), (1, 1)), by="rules"), "1 to 1 is out of order"),
        (Distilled(first=1, last=2, turns=((0, 2),), by="rules"), "0 to 2 is out of order"),
        (Distilled(first=1, last=2, turns=((1, 2), (2, 3)), by="rules"), "2 to 3 is out of order"),
        (summarised("s", 1, entries=((3, 2),)), "entries are ascending"),
        (summarised("s", 1, entries=tuple((n, n) for n in range(1, 515, 2))), "in 256 ranges at most, not in 257"),
        (summarised("s", 1, before=-1), "cannot go on from position -1"),
        (summarised("é" * (limits.SUMMARY_BYTES_MAX // 2) + "x", 1), "16,384 bytes at most, and this one 16,385"),
        (distilled(1, 1, "x" * 401), "400 characters at most"),
        (distilled(1, 1, *"x" * 17), "17 things are set aside; 16 are kept"),
        (distilled(1, 1, failed="x" * 501), "500 characters at most"),
        (kept(1, "x" * 501), "500 characters at most"),
        (reviewed(1, 1, failed="x" * 501), "500 characters at most"),
        (reviewed(1, 1, decisions=(SKIPPED,) * 9), "8 candidates at most"),
        (reviewed(1, 1, decisions=(replace(SKIPPED, text="x" * 501),)), "500 characters at most"),
        (reviewed(1, 1, decisions=(replace(SKIPPED, about="x" * 501),)), "500 characters at most"),
        (
            reviewed(1, 1, decisions=(replace(SKIPPED, compared=(Compared(id=ID, likeness=9),) * 9),)),
            "8 records at most",
        ),
        (reviewed(1, 1, set_aside=(SetAside(text="x", reason="r" * 401),)), "400 characters at most"),
    ],
)
async def test_what_no_turns_could_give_is_refused(talked: Desk, event: Event, said: str) -> None:
    with pytest.raises(Invalid, match=said):
        await worked(talked, 1, event)


async def test_the_largest_of_each_is_taken(desk: Desk) -> None:
    """Twelve turns, sixteen things set aside of 400 characters each, a summary of 16 KiB."""
    for n in range(1, 13):
        await desk.append(n, *whole_turn("x"), turn=f"k{n}")
    aside = ["é" * limits.SET_ASIDE_LENGTH] * limits.SET_ASIDE

    reply = await worked(desk, 1, distilled(1, 12, *aside), summarised("é" * (limits.SUMMARY_BYTES_MAX // 2), 12))

    assert reply.record == 13


async def test_a_review_keeps_no_more_for_an_agent_than_that_may_keep(talked: Desk) -> None:
    """What a session has is kept still."""
    talked.settings = talked.settings.model_copy(update={"permanent_agents": ("helper-*",)})
    talked.worker = talked.new_worker()

    with pytest.raises(Denied, match="'builder' may not keep permanent facts of its own here"):
        await worked(talked, 1, reviewed(1, 3), record())

    assert (await worked(talked, 1, reviewed(1, 3), record(scope="session", owner="s"))).record == 4


async def test_a_book_takes_none_of_it(desk: Desk) -> None:
    request = AppendRequest(v=1, producer="distillation", n=1, events=(distilled(1, 1),))

    with pytest.raises(Denied, match="a book holds facts only, not distilled"):
        await desk.worker.append(DISTILLATION, "book.permanent.builder", msgspec.json.encode(request))
