"""A session as people read it. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.cli.pages import verbatim
from eunoe.schemas.requests import SessionReply


def shown(reply: SessionReply, width: int) -> Iterator[Text]:
    """How it stands in one line; of one that lasts also who takes part, what it holds, and what it carries."""
    record = reply.record
    name = record.session if record else ""
    yield Text(clean(standing(name, reply)), style="bold")
    if record is None or reply.status != "open":
        return
    yield Text(f"started {words.day(record.started)}, changed {words.day(record.changed)} (UTC)")
    for what, names in (("agents", record.agents), ("threads", record.threads)):
        if names:
            yield Text(words.one_line(f"{what}: {words.listed(names)}", width))
    yield Text(words.count(reply.facts, "fact") + " in force")
    if record.state_id:
        yield Text(f"state {record.state_id}, set by {clean(record.state_by)}:")
        yield verbatim(record.state)


def standing(name: str, reply: SessionReply) -> str:
    """How a session stands, in one line."""
    record = reply.record
    if record is None:
        return f"nothing is known of a session {name!r}"
    if reply.status == "ended":
        why = f": {record.reason}" if record.reason else ""
        return f"session {name}: ended {words.moment(record.ended[0])} by {record.ended_by}{why}"
    if reply.status == "expired":
        return f"session {name}: expired {words.moment(record.expires_at)}, a day after it was last written to"
    return f"session {name}: open, expires {words.moment(record.expires_at)}"
