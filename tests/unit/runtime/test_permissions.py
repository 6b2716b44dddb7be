"""What each role may do at the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from eunoe.runtime import roster
from eunoe.runtime.matching import matches_any
from eunoe.runtime.permissions import OPERATOR, READ_VERBS, SERVED, VERBS, WORKER_VERBS, WORKERS, denied, grant
from eunoe.runtime.server_config import User, passwords, render
from eunoe.runtime.settings import Settings
from eunoe.schemas import subjects
from eunoe.schemas.errors import Denied, Invalid
from eunoe.schemas.requests import AppendReply, AppendRequest, HeadReply
from eunoe.schemas.subjects import Caller, Role
from eunoe.testing import ManualClock, memory_store


class NoAuditor:
    """Nothing is appended here."""

    async def append(self, chain: str, request: AppendRequest) -> AppendReply:
        raise Denied

    async def head(self, chain: str, producer: str = "") -> HeadReply:
        raise Denied


async def remade(id: str, reason: str) -> None:  # noqa: A002 - the word of the request
    """Nothing is erased here."""


AGENT = Caller("agent", "a.b")
LOG = "eunoe.lab.thread.t.log"
MEMORY = "eunoe.lab.book.permanent.shared.memory"


def _may(caller: Caller, subject: str) -> bool:
    found = grant("lab", caller)
    return matches_any(found.publish, subject) and not (found.deny and matches_any(found.deny, subject))


def test_an_agent_asks_in_its_own_name_and_reads_its_own_inbox() -> None:
    """Eighteen verbs, and one inbox."""
    found = grant("lab", AGENT)

    assert "eunoe.lab.append.agent.a=2Eb.>" in found.publish
    assert len(found.publish) == len(VERBS) == 18
    assert found.subscribe == ("_INBOX_agent_a=2Eb.>",)
    assert not found.answers


@pytest.mark.parametrize("role", ["person", "agent", "caller", "tool", "viewer"])
@pytest.mark.parametrize(
    "subject",
    [
        "eunoe.lab.append.person.ada.t",
        "$JS.API.INFO",
        "$SRV.PING",
        "eunoe.lab.append.agent.other.t",
        "eunoe.lab.compose.agent.other.t",
        "eunoe.other.append.agent.a=2Eb.t",
        LOG,
        MEMORY,
        "eunoe.lab.piece.t.0123",
        "$JS.API.STREAM.INFO.eunoe_lab_log",
        "$JS.API.DIRECT.GET.eunoe_lab_log",
        "$KV.eunoe_lab_permanent.fact.shared.x",
        "_INBOX_person_ada.x",
    ],
)
def test_nobody_but_a_worker_reaches_anything_else(role: Role, subject: str) -> None:
    """Not another's name, the log, JetStream, a bucket, or an inbox."""
    assert not _may(Caller(role, "a.b"), subject)


def test_only_audit_writes_the_log_and_only_the_projector_the_buckets() -> None:
    """One writer for each kind of subject."""
    workers = [Caller("worker", name) for name in WORKERS]

    assert [caller.principal for caller in workers if _may(caller, LOG)] == ["audit"]
    assert [caller.principal for caller in workers if _may(caller, MEMORY)] == ["audit"]
    assert [caller.principal for caller in workers if _may(caller, "eunoe.lab.piece.t.0123")] == ["audit"]
    assert [c.principal for c in workers if _may(c, "$KV.eunoe_lab_permanent.fact.shared.x")] == ["facts"]


@pytest.mark.parametrize("bucket", [f"eunoe_lab_{scope}{slot}" for scope in subjects.BUCKETS for slot in ("", "_g2")])
def test_the_projector_owns_both_sets_of_buckets(bucket: str) -> None:
    """It writes, seals and deletes them; the other workers make them where they are missing and read them."""
    workers = [Caller("worker", name) for name in SERVED]
    owning = [f"$KV.{bucket}.origin", f"$JS.API.STREAM.UPDATE.KV_{bucket}", f"$JS.API.STREAM.DELETE.KV_{bucket}"]
    reading = [f"$JS.API.STREAM.{verb}.KV_{bucket}" for verb in ("CREATE", "INFO", "MSG.GET")]

    for subject in owning:
        assert [caller.principal for caller in workers if _may(caller, subject)] == ["facts"]
    for subject in reading:
        assert all(_may(caller, subject) for caller in workers)
    heard = [f"$JS.EVENT.ADVISORY.STREAM.DELETED.KV_{bucket}"]
    assert all(matches_any(grant("lab", caller).subscribe, heard[0]) for caller in workers)
    assert not _may(OPERATOR, owning[0])
    assert _may(OPERATOR, reading[1])


def test_few_workers_ask_for_jobs() -> None:
    """Composition has turns distilled, extraction has them reviewed, and who does something lets that wait for itself,
    as people ask for it and as it stops; every worker makes the queue where there is none."""
    workers = [Caller("worker", name) for name in WORKERS]

    submitting = [caller.principal for caller in workers if _may(caller, subjects.job("lab", "distil", "t"))]
    reviewing = [caller.principal for caller in workers if _may(caller, subjects.job("lab", "review", "t"))]
    summing = [caller.principal for caller in workers if _may(caller, subjects.job("lab", "summarise", "t"))]
    assert (submitting, reviewing) == (["composition", "distillation"], ["extraction", "distillation"])
    assert summing == ["composition", "summarising"]
    for verb in ("CREATE", "UPDATE"):
        making = [caller.principal for caller in workers if _may(caller, f"$JS.API.STREAM.{verb}.eunoe_lab_jobs")]
        assert making == [caller.principal for caller in workers if caller != OPERATOR]
    assert all(_may(caller, "$JS.API.STREAM.INFO.eunoe_lab_jobs") for caller in workers)
    assert not any(_may(caller, subjects.job("other", "distil", "t")) for caller in workers)


def test_only_audit_has_work_done_again_by_the_worker_that_failed() -> None:
    """It submits that under the failed worker's name; each worker takes its own from the queue, and may let it wait for
    another one of its kind as it stops."""
    workers = [Caller("worker", name) for name in WORKERS]
    taking = ("extraction", "facts", "distillation", "summarising")

    for failed in SERVED:
        asking = [caller.principal for caller in workers if _may(caller, subjects.job_again("lab", failed, 7))]
        assert asking == ["audit", *(name for name in taking if name == failed)]
    for failed in taking:
        assert _may(Caller("worker", failed), f"$JS.API.CONSUMER.MSG.NEXT.eunoe_lab_jobs.again-{failed}")
        assert _may(Caller("worker", failed), f"$JS.ACK.eunoe_lab_jobs.again-{failed}.1.2.3.4.5")


@pytest.mark.parametrize("stream", ["log", "blobs", "dead", "jobs"])
def test_only_audit_erases_messages(stream: str) -> None:
    """Of the log, of large content, of what was laid aside and of what waits to be done; never of a bucket."""
    workers = [Caller("worker", name) for name in WORKERS]

    assert [c.principal for c in workers if _may(c, f"$JS.API.STREAM.MSG.DELETE.eunoe_lab_{stream}")] == ["audit"]
    assert not any(_may(caller, "$JS.API.STREAM.MSG.DELETE.KV_eunoe_lab_thread") for caller in workers)


@pytest.mark.parametrize(
    ("verb", "who"),
    [
        *((verb, ("person", "viewer", "agent", "caller", "tool", "operator")) for verb in READ_VERBS),
        *((verb, ("person", "agent", "caller", "tool")) for verb in ("distil", "summarise")),
        ("erase", ("person",)),
        ("rebuild", ("person", "audit", "operator")),
        ("dead", ("person", "operator")),
    ],
)
def test_who_asks_what(verb: str, who: tuple[str, ...]) -> None:
    """Everybody reads; a person erases; the facts are made again for persons, for who erases, and for the operator."""
    roles: tuple[Role, ...] = ("person", "viewer", "agent", "caller", "tool")
    callers = [*(Caller(role, role) for role in roles), Caller("worker", "audit"), OPERATOR, Caller("worker", "facts")]
    asking = {c.principal for c in callers if _may(c, subjects.request("lab", verb, c, "thread.t"))}

    assert asking - {"audit", "facts"} == set(who) - {"audit"}
    assert ("audit" in asking) == (verb in (*WORKER_VERBS, "rebuild"))


def test_a_worker_hears_only_the_verbs_that_it_serves() -> None:
    """Facts does not see what is appended."""
    heard = grant("lab", Caller("worker", "facts")).subscribe

    assert matches_any(heard, "eunoe.lab.facts.agent.x.t")
    assert not matches_any(heard, "eunoe.lab.append.agent.x.t")


@pytest.mark.parametrize("name", SERVED)
def test_the_served_verbs_are_those_that_the_worker_handles(name: str, tmp_path: Path) -> None:
    """A verb that is handled and not granted would end the worker at its start."""
    made = roster.make(name, memory_store("lab"), NoAuditor(), remade, Settings(data=tmp_path), ManualClock())

    assert set(made.handlers()) == set(SERVED[name])


def test_a_viewer_only_looks() -> None:
    """It may not append, nor send large content."""
    viewer = Caller("viewer", "wall")

    assert _may(viewer, "eunoe.lab.show.viewer.wall.t")
    assert not _may(viewer, "eunoe.lab.append.viewer.wall.t")
    assert not _may(viewer, "eunoe.lab.piece.viewer.wall.t")


def test_the_operator_reads_the_log_but_leaves_the_workers_consumers_alone() -> None:
    """A consumer of its own may be made; those of the workers neither changed nor used up, and nothing appended."""
    assert _may(OPERATOR, "$JS.API.CONSUMER.CREATE.eunoe_lab_log.mine")
    for durable in subjects.LOG_DURABLES:
        assert not _may(OPERATOR, f"$JS.API.CONSUMER.CREATE.eunoe_lab_log.{durable}")
        assert not _may(OPERATOR, f"$JS.API.CONSUMER.DELETE.eunoe_lab_log.{durable}")
    assert not _may(OPERATOR, "$JS.API.STREAM.DELETE.eunoe_lab_log")
    assert not _may(OPERATOR, "$JS.API.STREAM.UPDATE.eunoe_lab_log")
    assert not _may(OPERATOR, "eunoe.lab.append.worker.operator.t")


def test_who_may_not_ask_jetstream_hears_whose_user_may() -> None:
    """In one line; a worker that lacks a permission hears its subject."""
    person = denied(Caller("person", "ada"), "$js.api.stream.info.eunoe_lab_log")

    assert person.startswith("person ada may not ask the server itself")
    assert "EUNOE_USER=worker/operator, EUNOE_ROLE=worker and EUNOE_PRINCIPAL=operator" in person
    assert "\n" not in person
    assert denied(Caller("worker", "facts"), "$js.api.info") == (
        "the server does not let worker facts send $js.api.info; give its user what `eunoe ops permissions` prints"
    )


def test_the_configuration_says_what_the_operator_is_trusted_with() -> None:
    """A comment before its user, and before no other."""
    users = [User(who, "p", grant("lab", who)) for who in (Caller("person", "ada"), OPERATOR)]
    before, after = render(users).split('user: "person/ada"')

    assert "trusted like a worker" not in before
    assert "trusted like a worker" in after.split('user: "worker/operator"')[0]


def test_a_worker_that_there_is_not_is_refused() -> None:
    with pytest.raises(Invalid, match="there is no worker 'gardener'"):
        grant("lab", Caller("worker", "gardener"))


def test_names_and_passwords_are_quoted_in_the_configuration() -> None:
    """A quote or a backslash in a name cannot end its string."""
    text = render([User(Caller("person", 'a"b\\c'), "p", grant("lab", Caller("person", "ada")))])

    assert 'user: "person/a\\"b\\\\c", password: "p"' in text


def test_a_password_file_holds_a_name_and_a_password_in_each_line() -> None:
    """Names may hold spaces; comments and empty lines are skipped."""
    assert passwords("# of the lab\n\nagent/planner p1\nperson/Ada L p2\n") == {
        "agent/planner": "p1",
        "person/Ada L": "p2",
    }
    with pytest.raises(Invalid, match="line 1 of the password file"):
        passwords("planner p1")
