"""The log as people read it."""

from __future__ import annotations

from recipes import recipe
from views import plain

from eunoe.audit.anchors import Anchor
from eunoe.audit.verify import Problem, Rooted, Verdict
from eunoe.cli import audit_view
from eunoe.cli.audit_view import Seen
from eunoe.schemas.events import (
    ContextComposed,
    Event,
    Extracted,
    FactDeleted,
    FactRecorded,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
    Usage,
)
from eunoe.schemas.facts import Assertion, Identity, Source
from eunoe.schemas.records import Header, Record

NINE = 1_769_850_307_000  # 2026-01-31 09:05:07 UTC


def record(*events: Event) -> Record:
    header = Header(
        v=1, space="default", chain="thread.builder", record=3, prev="", time=NINE, role="agent", principal="ann",
        producer="p", n=3, request="", digests=(),
    )  # fmt: skip
    return Record(position=12, header=header, hash="", events=events)


def said(*events: Event) -> tuple[str, ...]:
    return audit_view.seen(record(*events)).said


def test_a_record_is_one_line() -> None:
    """Position, time of day, chain and record, who wrote it, and what it holds."""
    found = audit_view.seen(record(TurnOpened(turn=2, agent="ann"), Prompt(turn=2, entry=7, content="Go\non.")))

    assert audit_view.record_line(found).plain == (
        "    12  2026-01-31 09:05:07Z  thread builder #3  agent ann  turn 2 opened by ann, prompt “Go on.”"
    )
    assert found.events == ("turn.opened", "prompt")


def test_several_events_of_a_kind_are_counted() -> None:
    """What comes once is described, what comes more often is counted, in the order of its first."""
    call = ToolCall(call="1", tool="bash")

    assert said(call, Response(content="Done."), call, TurnCommitted(turn=2)) == (
        "2 x tool.call",
        "response “Done.”",
        "turn 2 committed",
    )


def test_every_kind_of_event_has_words() -> None:
    """Events of the conversation and of memory alike."""
    fact = Assertion(
        identity=Identity("thread", "builder", "tests", "make test"),
        value="passed",
        source=Source(kind="tool"),
        at=NINE,
    )
    made = recipe(turn=2, window=8192, turns=(), first_turn=1, tokens=1500)

    assert said(TurnAborted(turn=2, reason="idle")) == ("turn 2 aborted (idle)",)
    assert said(ToolCall(call="1", tool="bash")) == ("call of bash",)
    assert said(ToolResult(call="1", tool="bash", exit_status=1)) == ("result of bash (exit status 1)",)
    assert said(ToolResult(call="1", status="failed")) == ("result of a tool (failed)",)
    assert said(Extracted(turn=2, ordinal=2, facts=1)) == ("1 fact from turn 2",)
    assert said(FactRecorded(fact=fact)) == ("fact “tests make test: passed”",)
    assert said(FactDeleted(id="faaaaaaaaaa")) == ("fact faaaaaaaaaa deleted",)
    assert said(ContextComposed(recipe=made)) == ("context of turn 2, 1,500 of 8,192 tokens",)
    assert said(Usage()) == ("usage",)


def test_a_record_that_cannot_be_read_says_why() -> None:
    """One damaged record does not end the list."""
    found = Seen(position=9, chain="book.permanent.shared", error="a stored message is no record")

    assert audit_view.record_line(found).plain == "     9  book permanent shared: a stored message is no record"


def test_a_fine_verdict_says_what_was_checked() -> None:
    """Counts, and that all is whole."""
    verdict = Verdict(chains=2, records=45, events=112, anchors=1, receipts=0, last=45, problems=())

    assert plain(audit_view.verdict(verdict, "the log of space default"), 200) == [
        "checked the log of space default: 45 records in 2 chains (112 events), to position 45, "
        "against 1 anchor and 0 receipts",
        "whole: every record follows the one before it, and nothing was changed",
    ]


def test_a_root_that_was_found_says_what_it_covers() -> None:
    """When its anchor was made, and how far the log was then."""
    rooted = Rooted(root="ab" * 32, time=NINE, last=40)
    verdict = Verdict(chains=2, records=45, events=112, anchors=2, receipts=0, last=45, problems=(), rooted=rooted)

    assert plain(audit_view.verdict(verdict, "the log"), 200)[1] == (
        "the root is that of the anchor of 2026-01-31 09:05:07Z, which covers the log to position 40"
    )


def test_every_problem_has_a_line() -> None:
    """Each problem names its chain, record and position; then how many there are."""
    problem = Problem(what="event 2 does not have its digest: it was changed", chain="thread.b", record=3, position=12)
    verdict = Verdict(chains=1, records=3, events=9, anchors=0, receipts=1, last=12, problems=(problem,))

    lines = plain(audit_view.verdict(verdict, "x.jsonl"), 200)

    assert lines[0] == "thread b, record 3 (position 12): event 2 does not have its digest: it was changed"
    assert lines[-1] == "not whole: 1 problem"


def test_an_anchor_says_its_root_and_what_it_covers() -> None:
    """The root to keep, and how much of the log it stands for."""
    anchor = Anchor(v=1, time=NINE, last=45, chains=3, prev="", root="ab" * 32, heads={})

    assert plain(audit_view.anchor(anchor))[:2] == [
        "root    " + "ab" * 32,
        "covers  3 chains, the log to position 45, at 2026-01-31 09:05:07Z",
    ]
