"""The task that a model inferred, as a fact of its thread. Pure."""

from __future__ import annotations

from eunoe.composition.assessing import rules
from eunoe.composition.assessing.brief import Brief
from eunoe.composition.known import TASK
from eunoe.facts.kinds import Kinds
from eunoe.schemas.context import Assessment
from eunoe.schemas.events import FactRecorded
from eunoe.schemas.facts import Assertion, Identity, Method, Provenance, Source

METHOD: Method = "assessed"
NOBODY = "assessment"  # in whose name a task is inferred where no agent asks


def task_fact(brief: Brief, assessment: Assessment, kinds: Kinds) -> FactRecorded | None:
    """What to record of it: nothing where the task stays as it is.

    It is the word of the agent that asks, so that this may take it back, and what it notes of the task later stands in
    its place.
    """
    value = rules.new_task(brief, assessment)
    if not value or not kinds.takes(TASK, METHOD):
        return None
    place = brief.place
    return FactRecorded(
        fact=Assertion(
            identity=Identity("thread", place.thread, TASK, kinds.name(TASK, TASK)),
            value=value,
            source=Source(kind="model", principal=place.agent or NOBODY),
            at=0,
            method=METHOD,
            provenance=Provenance(
                agent=place.agent,
                session=place.session,
                thread=place.thread,
                turn=brief.turn,
                entries=(brief.entry,) if brief.entry else (),
                positions=(brief.position,) if brief.position else (),
                model=assessment.model,
            ),
        )
    )
