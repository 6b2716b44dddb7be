"""Facts: one kind of assertion under every kind of memory.

A fact is a document with an identity; for each *lineage* (who asserts) it holds what was asserted.
A document is the set of its assertions and acts; everything else is computed from that set in order.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Scope = Literal["permanent", "session", "thread"]
SourceClass = Literal["person", "caller", "tool", "model"]
RANK: dict[str, int] = {"person": 4, "caller": 3, "tool": 2, "model": 1}
FactClass = Literal["permanent", "dynamic", "ephemeral"]
Method = Literal["stated", "extracted", "distilled", "noted", "inferred", "assessed"]
Closing = Literal["retired", "deleted", "approved", "moved"]
ActKind = Literal["retired", "deleted", "approved", "moved", "labelled", "pinned", "unpinned", "raised", "resolved"]

# The class of what a role states in its own name, and those that it states in another's: workers speak for tools
# and models, and a person may carry what a caller stated, which ranks below the person's own.
OWN_CLASS: dict[str, SourceClass] = {"person": "person", "caller": "caller", "tool": "tool", "agent": "model"}
OTHERS_CLASSES: dict[str, tuple[SourceClass, ...]] = {"worker": ("tool", "model"), "person": ("caller",)}


class Identity(msgspec.Struct, frozen=True, order=True, omit_defaults=True):
    """What a fact is about. ``owner`` is ``shared`` or an agent (permanent), a session, or a thread.

    ``preview`` names the preview that it belongs to, and is empty for what is live: a preview's facts have
    identities, and so documents, of their own.
    """

    scope: Scope
    owner: str
    subject: str
    name: str
    preview: str = ""


class Source(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who asserts. For a tool, ``principal`` is the tool's name and ``agent`` who appended its result."""

    kind: SourceClass
    principal: str = ""
    agent: str = ""


class Provenance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where an assertion came from: turn, entries (numbers in the thread) and positions (log sequences)."""

    agent: str = ""
    session: str = ""
    thread: str = ""
    turn: int = 0
    entries: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    tool: str = ""
    model: str = ""
    detail: str = ""


class Assertion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One assertion as an event carries it. Times in ms UTC; ``at`` is the time that orders it.

    ``value`` is one line; ``content`` an optional body. ``proposal`` marks an assertion of a permanent
    kind that nobody with the authority has approved: an ordinary fact of its own thread.
    ``valid_from`` and ``valid_to`` (ms UTC, half open) say when it holds, None without an end; ``from_offset`` and
    ``to_offset`` are the offsets in which its speaker gave them, in minutes east of UTC. ``cites`` is the
    id of the fact that it approves or moves. In a preview, ``replaces`` is the id of the live fact in whose
    place it stands, and with ``removes`` it only takes that one away.
    """

    identity: Identity
    value: str
    source: Source
    at: int
    content: str = ""
    fact_class: FactClass = "dynamic"
    method: Method = "extracted"
    provenance: Provenance = Provenance()
    proposal: bool = False
    valid_from: int | None = None
    valid_to: int | None = None
    from_offset: int = 0
    to_offset: int = 0
    cites: str = ""
    replaces: str = ""
    removes: bool = False


class Stated(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An assertion in its document: with its ``id``, its ``position`` in the log, and its ``index`` there.

    ``recorded`` is when it was accepted (ms UTC); ``fact.at``, which orders it, may be the transcript's own.
    ``content`` of the assertion is empty here; a body is kept under a key of its own. ``has_content`` says so.
    """

    id: str
    position: int
    index: int
    fact: Assertion
    recorded: int = 0
    has_content: bool = False


class Act(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something done to a fact, with who did it (role and principal), when (ms UTC) and where in the log.

    ``lineage`` and ``order`` are the target's: an act stays with its lineage when its target has left the
    document. ``at`` is never before the target's own, so an act always comes after what it is about; ``recorded``
    is when it was accepted. ``author`` is the target's author (`lineage.author`), whose assertions alone a
    retirement takes back. ``add`` and ``remove`` are numbers of labels. An act on the whole identity (``raised``,
    ``resolved``: a conflict between the facts ``ids``) has no target and the lineage ``""``.
    """

    id: str
    kind: ActKind
    target: str
    lineage: str
    order: tuple[int, int, int]
    by: str
    at: int
    position: int
    index: int
    recorded: int = 0
    reason: str = ""
    author: str = ""
    add: tuple[int, ...] = ()
    remove: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()


class Supporter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One author's assertions of the value in force: the first, how many, and the order of the newest.

    ``body`` is the id of the newest of them with a body, and ``body_order`` its order; empty when none has.
    """

    first: Stated
    count: int
    newest: tuple[int, int, int]
    body: str = ""
    body_order: tuple[int, int, int] = (0, 0, 0)


class Floor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One lineage up to ``order`` (at, position, index), folded: what has left its document.

    ``position`` is the highest log position of what left it; ``count`` assertions did, in ``versions`` versions;
    ``dated`` when any of them says from when or until when it holds. ``supporters`` are those who assert the value
    of the last of those versions, by author (`limits.SUPPORTERS` at most: the first, and those who said it last);
    when an act ended it (``closed`` says which, ``closed_by`` is its id) those who did until then. ``labels`` and
    ``pinned`` are the lineage's.
    """

    order: tuple[int, int, int] = (0, 0, 0)
    position: int = 0
    count: int = 0
    versions: int = 0
    dated: bool = False
    supporters: dict[str, Supporter] = {}
    closed: Closing | Literal[""] = ""
    closed_by: str = ""
    labels: tuple[int, ...] = ()
    pinned: bool = False


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fact as stored: the set of its assertions and acts, sorted by (at, position, index).

    ``floors`` holds, for each lineage with more of them than a document keeps, the older ones folded:
    complete history is in the log. Equal sets have equal bytes.
    """

    v: int
    identity: Identity
    assertions: tuple[Stated, ...] = ()
    acts: tuple[Act, ...] = ()
    floors: dict[str, Floor] = {}


class Indexed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is kept under a fact's id: its identity, who asserted it, and its order (at, position, index)."""

    id: str
    identity: Identity
    source: Source
    order: tuple[int, int, int]


class Mark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a book's records are applied: its last applied record, and that record's position in the log.

    ``producers`` are as in a thread's state: for each, keyed as in a record's header, its last number, the
    record that holds it, and that record's position.
    """

    v: int
    chain: str
    record: int = 0
    position: int = 0
    producers: dict[str, tuple[int, int, int]] = {}


class Origin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which set of buckets a bucket belongs to: three buckets with one ``id`` were filled together.

    ``generation`` counts the sets of a space; the highest whose three buckets have it is the one in use.
    """

    v: int
    id: str
    generation: int = 1


class SessionRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A session as memory keeps it, beside its facts. Times are ms UTC of acceptance.

    Every write of the session moves ``expires_at``; from then on readers show none of its facts. ``ended`` is
    the order of the event that ended it last: what orders up to there is hidden and goes. ``state`` is the JSON
    text that the session carries, as the event at ``state_order`` set it, ``state_id`` its id (empty: never set).
    """

    v: int
    session: str
    started: int = 0
    changed: int = 0
    expires_at: int = 0
    ended: tuple[int, int, int] = (0, 0, 0)
    ended_by: str = ""
    reason: str = ""
    state: str = ""
    state_id: str = ""
    state_order: tuple[int, int, int] = (0, 0, 0)
    state_by: str = ""
    agents: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
