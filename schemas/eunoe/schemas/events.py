"""What the log knows: a tagged union of events, each a frozen struct with ``type`` on the wire.

Times are milliseconds since 1970-01-01T00:00:00Z. Turns, entries and records count from 1 in their
thread; 0 means *not numbered yet* in what a client sends, and the audit worker fills it in.
An event carries no principal: who wrote it stands in its record's header.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas.context_events import ContextAssessed as ContextAssessed
from eunoe.schemas.context_events import ContextComposed as ContextComposed
from eunoe.schemas.context_events import ContextCondensed as ContextCondensed
from eunoe.schemas.context_events import ContextCut as ContextCut
from eunoe.schemas.context_events import ContextReferenced as ContextReferenced
from eunoe.schemas.context_events import ContextRefused as ContextRefused
from eunoe.schemas.context_events import MemoryUsed as MemoryUsed
from eunoe.schemas.distilled_events import Distilled as Distilled
from eunoe.schemas.distilled_events import Reviewed as Reviewed
from eunoe.schemas.distilled_events import Summarised as Summarised
from eunoe.schemas.distilled_events import SummaryKept as SummaryKept
from eunoe.schemas.erasure_events import Erased as Erased
from eunoe.schemas.erasure_events import EraseDone as EraseDone
from eunoe.schemas.erasure_events import EraseIntended as EraseIntended
from eunoe.schemas.erasure_events import EraseKept as EraseKept
from eunoe.schemas.erasure_events import EraseRemoved as EraseRemoved
from eunoe.schemas.erasure_events import KeptEvent as KeptEvent
from eunoe.schemas.erasure_events import RecordKept as RecordKept
from eunoe.schemas.event_base import Base as Base
from eunoe.schemas.facts import Assertion, Identity


class Blob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Content over `limits.INLINE_BYTES`, kept in pieces beside the log.

    ``size`` and the excerpts are in bytes of UTF-8; ``head`` and ``tail`` end and begin on whole
    characters; ``lines`` counts as ``str.splitlines`` does; ``pieces`` are the SHA-256 (hex) of each
    piece in order, ``digest`` that of the whole.
    """

    digest: str
    size: int
    lines: int
    pieces: tuple[str, ...]
    head: str
    tail: str


class Attachment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Content that is not text (an image, a file): its media type, bytes, and SHA-256; ``data`` is base64."""

    media_type: str
    size: int
    digest: str
    name: str = ""
    data: str = ""


class TurnOpened(Base, frozen=True, kw_only=True, omit_defaults=True, tag="turn.opened"):
    """One request begins. ``key`` is its name in the append; ``session`` may hold many threads.

    ``preview`` names the preview that the turn is part of: it sees that preview's facts, and what it states is
    seen there only.
    """

    turn: int = 0
    key: str = ""
    agent: str = ""
    session: str = ""
    preview: str = ""


class TurnCommitted(Base, frozen=True, kw_only=True, omit_defaults=True, tag="turn.committed"):
    """The turn happened. ``ordinal`` counts the thread's committed turns, from 1, in order of commit."""

    turn: int = 0
    ordinal: int = 0


class TurnAborted(Base, frozen=True, kw_only=True, omit_defaults=True, tag="turn.aborted"):
    """The turn did not happen: it stays in the log, and never enters a context, a search or a fact."""

    turn: int = 0
    reason: str = ""


class EntryBase(Base, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was said or done. Content over the inline limit is in ``blob``, with ``content`` empty.

    ``erased``: the content was erased, and only the entry's place is left.
    """

    turn: int = 0
    entry: int = 0
    content: str = ""
    blob: Blob | None = None
    attachments: tuple[Attachment, ...] = ()
    erased: bool = False

    @property
    def gone(self) -> str:
        """What is said in the place of content that was erased; empty where it was not."""
        return f"[entry {self.entry} was erased]" if self.erased else ""


class Instructions(EntryBase, frozen=True, kw_only=True, omit_defaults=True, tag="instructions"):
    """The caller's own instructions to the model, kept verbatim and never mixed with memory."""


class Prompt(EntryBase, frozen=True, kw_only=True, omit_defaults=True, tag="prompt"):
    """What the person (or the program for the person) asked."""


class Response(EntryBase, frozen=True, kw_only=True, omit_defaults=True, tag="response"):
    """What the model said; ``thinking`` is kept for people and never sent again."""

    thinking: str = ""
    model: str = ""


class ToolCall(EntryBase, frozen=True, kw_only=True, omit_defaults=True, tag="tool.call"):
    """A call: ``content`` is the arguments as the model wrote them (JSON text); ``call`` pairs it with its result."""

    call: str
    tool: str


class ToolResult(EntryBase, frozen=True, kw_only=True, omit_defaults=True, tag="tool.result"):
    """What a tool gave back. ``exit_status`` where it ran a command and said so."""

    call: str
    tool: str = ""
    status: Literal["ok", "failed"] = "ok"
    exit_status: int | None = None


class Usage(Base, frozen=True, kw_only=True, omit_defaults=True, tag="usage"):
    """Tokens as the provider counted them for one model call."""

    turn: int = 0
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0


class Extracted(Base, frozen=True, kw_only=True, omit_defaults=True, tag="extracted"):
    """The facts of one committed turn follow in the same record. ``failed`` names extractors, with the reason.

    ``root`` is the directory to which the thread's later turns name their files: empty while no turn settled it,
    ``/`` where they are named by their whole paths.
    """

    turn: int
    ordinal: int
    facts: int = 0
    dropped: int = 0
    failed: tuple[str, ...] = ()
    root: str = ""


class FactEventBase(Base, frozen=True, kw_only=True, omit_defaults=True):
    """Something said of, or done to, a fact.

    ``expected`` makes the append conditional, and is not stored: the id of the fact that is in force under the
    identity, as the writer saw it (empty: none), else the append is refused. What is logged is unconditional.
    """

    expected: str | None = None


class FactRecorded(FactEventBase, frozen=True, kw_only=True, omit_defaults=True, tag="fact.recorded"):
    """An assertion. Its id is a digest of where this event stands (`ids.fact_id`)."""

    fact: Assertion


class FactRetired(FactEventBase, frozen=True, kw_only=True, omit_defaults=True, tag="fact.retired"):
    """Its author takes back what it asserted: its own assertions of that value, up to this event's order."""

    id: str
    reason: str = ""


class FactDeleted(FactEventBase, frozen=True, kw_only=True, omit_defaults=True, tag="fact.deleted"):
    """A person hides a fact: its lineage's assertions up to this event's order."""

    id: str
    reason: str = ""


class FactApproved(FactEventBase, frozen=True, kw_only=True, omit_defaults=True, tag="fact.approved"):
    """A person admits a proposal: the event itself asserts ``fact``, citing the proposal's ``id``."""

    id: str
    fact: Assertion


class FactMoved(FactEventBase, frozen=True, kw_only=True, omit_defaults=True, tag="fact.moved"):
    """A fact goes to another scope: the event itself asserts ``fact`` there, and closes the fact ``id``."""

    id: str
    fact: Assertion
    reason: str = ""


class FactLabelled(FactEventBase, frozen=True, kw_only=True, omit_defaults=True, tag="fact.labelled"):
    """Labels (their declared numbers) are put on a fact's lineage, or taken off."""

    id: str
    add: tuple[int, ...] = ()
    remove: tuple[int, ...] = ()


class FactPinned(FactEventBase, frozen=True, kw_only=True, omit_defaults=True, tag="fact.pinned"):
    """A fact's lineage is pinned, or with ``pinned`` False is not any more: pinned facts are shown first."""

    id: str
    pinned: bool = True


class ConflictRaised(Base, frozen=True, kw_only=True, omit_defaults=True, tag="conflict.raised"):
    """From here on sources disagree: ``facts`` are the ids of the heads, the one that leads first."""

    identity: Identity
    facts: tuple[str, ...] = ()


class ConflictResolved(Base, frozen=True, kw_only=True, omit_defaults=True, tag="conflict.resolved"):
    """From here on nobody disagrees; ``facts`` as in `ConflictRaised`, as far as any is in force."""

    identity: Identity
    facts: tuple[str, ...] = ()


class SessionEnded(Base, frozen=True, kw_only=True, omit_defaults=True, tag="session.ended"):
    """The session of this book is over: its facts up to this event's order are hidden, and then go."""

    reason: str = ""


class SessionStateSet(Base, frozen=True, kw_only=True, omit_defaults=True, tag="session.state"):
    """The session of this book carries ``state`` (JSON text) from here on; ``expected`` is not stored, and makes the
    append conditional: the id of the event that set the state before, empty for none."""

    state: str
    expected: str | None = None


Entry = Instructions | Prompt | Response | ToolCall | ToolResult
FactEvent = FactRecorded | FactRetired | FactDeleted | FactApproved | FactMoved | FactLabelled | FactPinned
StatingEvent = FactRecorded | FactApproved | FactMoved
"""Events that assert a fact."""
BookEvent = FactEvent | ConflictRaised | ConflictResolved | SessionEnded | SessionStateSet
ErasureEvent = RecordKept | EraseIntended | EraseKept | EraseRemoved | EraseDone
ContextEvent = (
    ContextComposed | ContextCondensed | ContextReferenced | ContextCut | ContextRefused | ContextAssessed | MemoryUsed
)
DistilledEvent = Distilled | Summarised | SummaryKept | Reviewed
MemoryEvent = Extracted | DistilledEvent | BookEvent | ContextEvent | Erased | ErasureEvent
HappenedEvent = (
    TurnOpened | TurnCommitted | TurnAborted | Instructions | Prompt | Response | ToolCall | ToolResult | Usage
)
Event = HappenedEvent | MemoryEvent
