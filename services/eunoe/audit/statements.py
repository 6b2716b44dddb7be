"""What people, programs, agents and tools state: refused unless it becomes the fact that it says. Pure."""

from __future__ import annotations

import msgspec

from eunoe.facts.admission import DECIDERS, admitted
from eunoe.facts.kinds import Kinds
from eunoe.facts.stating_rules import check_assertion, check_kind
from eunoe.facts.values import cut, limit, one_line
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import FactRecorded, StatingEvent
from eunoe.schemas.records import Record
from eunoe.schemas.subjects import Caller


def check(record: Record, kinds: Kinds) -> None:
    """Refuse a statement that is not what one must be, or that would become no fact where it stands.

    What a worker derived is mended or left out where it becomes a fact.
    """
    caller = record.header.caller
    if caller.role == "worker":
        return
    for event in record.events:
        if isinstance(event, StatingEvent):
            _check_statement(event, caller, kinds)
            if admitted(event, record.header, kinds) is None:
                raise Invalid(
                    f"{caller.kind} proposes facts of the kind {event.fact.identity.subject!r}, in a thread; "
                    "append it to the thread where it came up"
                )


def _check_statement(event: StatingEvent, caller: Caller, kinds: Kinds) -> None:
    """What people and their programs state is taken as it is or not at all; a longer value of others is cut."""
    fact = event.fact
    if caller.role not in DECIDERS:
        fact = msgspec.structs.replace(fact, value=cut(one_line(fact.value), limit(fact.identity.subject)))
    check_assertion(fact, kinds)
    if isinstance(event, FactRecorded):
        if fact.cites:
            raise Invalid("only an approval or a move cites a fact; leave it out")
        # What has a time of its own was stated before, elsewhere; what takes a fact away has the kind that is there.
        if not fact.at and not fact.removes:
            check_kind(fact.identity.subject, [name for name, _ in kinds.items()])
