"""What the workers that distil and summarise may state and retire, and what nobody else may claim. Pure.

What was drawn from prose is a model's, of its thread or session, and is shown with who said it: so nobody else states
that. Only a review goes further: it keeps memory records for the agent whose turns it reviewed, and retires those of
that agent, in a record that says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.facts.distilled import DISTILLATION, PERSONS, SUMMARISING
from eunoe.facts.kinds import Kinds
from eunoe.schemas.errors import Denied
from eunoe.schemas.events import BookEvent, Event, FactRecorded, FactRetired, Reviewed, StatingEvent
from eunoe.schemas.facts import Assertion
from eunoe.schemas.subjects import Caller


def check(caller: Caller, events: Sequence[Event]) -> None:
    """Raise `Denied` for what one of these workers may not state or retire, whatever kinds of facts there are, and for
    what another one claims to have been distilled."""
    if caller not in (DISTILLATION, SUMMARISING):
        _check_none_distilled(caller, events)
        _check_voice(caller, events)
        return
    agents = _reviewed(events)
    for event in events:
        if isinstance(event, FactRecorded):
            _check_stated(caller, event.fact, agents)
        if isinstance(event, FactRetired) and not agents:
            raise Denied(f"{caller.kind} retires nothing but an agent's records, in a review of its turns")


def check_records(caller: Caller, events: Sequence[Event], kinds: Kinds) -> None:
    """Raise `Denied` for a fact of a review that is no memory record."""
    if caller != DISTILLATION or not _reviewed(events):
        return
    for event in events:
        if isinstance(event, FactRecorded) and not kinds[event.fact.identity.subject].record:
            raise Denied(f"a review keeps memory records, not facts of the kind {event.fact.identity.subject!r}")


def _check_none_distilled(caller: Caller, events: Sequence[Event]) -> None:
    if any(isinstance(event, StatingEvent) and event.fact.method == "distilled" for event in events):
        raise Denied(f"{caller.kind} cannot say that a fact was distilled from what others said; state it as its own")


def _check_voice(caller: Caller, events: Sequence[Event]) -> None:
    """An agent of that name would take back, or replace, what people said."""
    if caller == Caller("agent", PERSONS) and any(isinstance(event, BookEvent) for event in events):
        raise Denied(f"what people said is stated as {PERSONS!r}; give the agent another name to let it state facts")


def _check_stated(caller: Caller, fact: Assertion, agents: set[str]) -> None:
    if caller == SUMMARISING:
        raise Denied(f"{caller.kind} that summarises states no facts")
    if fact.source.kind != "model":
        raise Denied(f"what is drawn from prose is a model's, not a {fact.source.kind}'s")
    if agents:
        _check_record(fact, agents)
    elif fact.method != "distilled" or fact.identity.scope == "permanent":
        raise Denied("what is drawn from prose is distilled, and of its thread or session")


def _check_record(fact: Assertion, agents: set[str]) -> None:
    if fact.source.principal not in agents:
        raise Denied(f"a review keeps records for the agent whose turns it is of, not for {fact.source.principal!r}")
    about = fact.identity
    if about.scope == "thread" or (about.scope == "permanent" and about.owner != fact.source.principal):
        raise Denied(f"a record of {fact.source.principal!r} is its own or a session's, not {about.owner!r}'s")


def _reviewed(events: Sequence[Event]) -> set[str]:
    return {event.agent for event in events if isinstance(event, Reviewed) and event.agent}
