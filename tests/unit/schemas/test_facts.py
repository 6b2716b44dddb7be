"""Which class of source belongs to a role: one table for who may append, what it means, and what clients state."""

from __future__ import annotations

from typing import get_args

import pytest

from eunoe.audit import authority
from eunoe.client import stating
from eunoe.facts.admission import told
from eunoe.facts.kinds import Kinds
from eunoe.schemas.errors import Denied
from eunoe.schemas.events import FactRecorded
from eunoe.schemas.facts import OTHERS_CLASSES, OWN_CLASS, Assertion, Identity, Source, SourceClass
from eunoe.schemas.records import Header, Record
from eunoe.schemas.requests import AppendRequest
from eunoe.schemas.subjects import ROLES, Caller, Role

CLASSES: tuple[SourceClass, ...] = get_args(SourceClass)


def fact(kind: SourceClass) -> FactRecorded:
    about = Identity("thread", "t", "decision", "colour")
    return FactRecorded(fact=Assertion(identity=about, value="green", source=Source(kind=kind, principal="a"), at=1))


def may(role: Role, kind: SourceClass) -> bool:
    request = AppendRequest(v=1, producer="p", n=1, events=(fact(kind),))
    try:
        authority.check(Caller(role, "a"), "thread.t", request)
    except Denied:
        return False
    return True


def meant(role: Role, kind: SourceClass) -> SourceClass:
    header = Header(
        v=1, space="s", chain="thread.t", record=1, prev="", time=9, role=role, principal="a", producer="p", n=1,
        request="", digests=(),
    )  # fmt: skip
    (found,) = told(Record(position=1, header=header, hash="", events=(fact(kind),)), Kinds())
    return found.stated.fact.source.kind


@pytest.mark.parametrize("role", ROLES)
def test_what_may_be_appended_is_what_it_means(role: Role) -> None:
    """Audit lets in just the classes of the table, and none of them becomes another on its way into a document."""
    allowed: list[SourceClass] = [kind for kind in CLASSES if may(role, kind)]

    assert set(allowed) == {*OTHERS_CLASSES.get(role, ()), *filter(None, [OWN_CLASS.get(role)])}
    assert [meant(role, kind) for kind in allowed] == allowed


@pytest.mark.parametrize("role", ["person", "caller", "tool", "agent"])
def test_a_client_states_what_it_may_append(role: Role) -> None:
    """In the class of its own role."""
    assert may(role, stating.source(Caller(role, "a")).kind)
